"""The command `grade`: thin commands that parse, call and print.

Importing this package is cheap: torch, pytest, rich and the suites are imported inside the commands.
"""
