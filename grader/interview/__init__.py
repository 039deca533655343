"""Interview mode: a clock, no help until it is over, and then a post-mortem.

All that it knows stands in the workspace's journal, so a terminal that crashes ends nothing.
"""
