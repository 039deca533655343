"""What a course platform needs: bundles for Gradescope and GitHub, and a kit for students.

A bundle is a `Bundle`, a table of names and bytes, until it is written; so what leaves the machine can be
looked through first (`leaks.py`), and the same call gives the same bytes.
"""
