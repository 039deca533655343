"""In the notebook: its skeleton, `check` and ``%%grade`` in a running kernel, and the process that grades.

A kernel is full of the learner's code, so nothing is graded in it: a process of our own, kept from one call
to the next, gets the text of the cells and sends the report back.
"""
