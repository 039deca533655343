"""Mutants: the right submissions with one small change each, graded to see what the suites miss.

Wrong submissions that people wrote for a kit share the blind spots of those who wrote the kit. Mutants
do not: they come from operators that know nothing of the suites. A mutant that loses no point either
is right by the contract, and then `survivors.toml` says why, or shows a hole in a suite.
"""
