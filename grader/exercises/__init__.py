"""One room per exercise, and the registry that finds them.  Reading the registry imports no torch."""
