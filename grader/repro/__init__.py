"""The smallest input that shows a mistake: found over the wall, written down as a program of its own."""
