"""Submissions that are alike beyond what the exercise makes alike.

==============  ===================================================================================
normal.py       a syntax tree as it is without names, comments, formatting and order of operands
fragments.py    the statements and expressions of a file, as keys with the lines that they stand on
common.py       how common a fragment is: in the class, and among solutions of the exercise at large
pairs.py        which submissions share rare fragments, without comparing each with each
clusters.py     the groups that they form
find.py         all of it in order
==============  ===================================================================================

The exercises are short, and honest solutions of a short exercise look alike.  So what counts is not how
much of two submissions is the same, but how unlikely the same parts are: a fragment that every fourth
solution holds weighs two bits, one that nobody else has weighs as much as the class is large.

Why not a tool that compares runs of tokens: on these short files copydetect 0.5, at a threshold of 0.6, takes
62 of 1,876 honest pairs for copies and finds 86 of 105 disguised ones; here it is none, and 98%.
"""
