"""``python -m grader`` is ``grade``."""

from __future__ import annotations

import gc

__all__ = ["main"]

# looking for cycles at every 700 objects takes a tenth of the time, in which hardly any are found
GARBAGE = (20_000, 20, 20)


def main() -> None:
    """The console command; also one that is stopped while it is still being imported leaves quietly."""
    gc.set_threshold(*GARBAGE)
    try:
        from grader.cli.main import main as command
    except KeyboardInterrupt:
        raise SystemExit(130) from None
    command()


if __name__ == "__main__":
    main()
