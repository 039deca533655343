"""The far side of the wall: the only code that shares a process with the learner's code.

Nothing here imports anything of `grader` but this package, and nothing here knows a suite, a
solution or an expected value.  The trusted side shares only the message format (`wire`).
"""
