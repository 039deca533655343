"""What a learner handed in: reading it as text, and talking to the worker that runs it."""
