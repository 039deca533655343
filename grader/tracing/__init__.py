"""Runs one small call of the learner's code and says, line by line, what it computed."""
