"""``python -m grader.cli``."""

from grader.cli.main import main

main()
