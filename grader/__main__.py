"""``python -m grader`` is ``grade``."""

from __future__ import annotations

__all__ = ["main"]


def main() -> None:
    """The console command; also one that is stopped while it is still being imported leaves quietly."""
    try:
        from grader.cli.main import main as command
    except KeyboardInterrupt:
        raise SystemExit(130) from None
    command()


if __name__ == "__main__":
    main()
