"""The learner's workspace: what happened in it (`.grade/`), and what follows from that."""
