"""Reports: pure functions over the records of a run.  Nothing here runs or reads a submission."""
