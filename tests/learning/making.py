"""Submissions made of the solutions with one thing changed: what each is told is tested."""

from __future__ import annotations

from pathlib import Path

from grader.submission.source import Submission, read_submission
from tests.support import ROOT

__all__ = ["CHANGES", "changed", "submission"]

SOLUTIONS = ROOT / "solutions"
TINY, TRAINING, ENCODER = "tiny_transformer.py", "training.py", "encoder.py"
# name: file, what is there, what stands in its place
CHANGES: dict[str, tuple[str, str, str]] = {
    "no causal mask": (TINY, "mask = combine_masks(mask, causal)", "pass"),
    "one ahead": (TINY, "device=token_ids.device)", "device=token_ids.device).roll(-1, 0)"),
    "no positions": (ENCODER, "x = self.positional_encoding(x)", "x = x"),
    "softmax before the loss": (TRAINING, "logits.flatten(0, 1),", "logits.softmax(-1).flatten(0, 1),"),
    "summed": (TRAINING, "return total / counted.clamp(min=1)", "return total"),
    "classes on another axis": (
        TRAINING,
        "logits.flatten(0, 1),",
        "logits.reshape(logits.size(0), logits.size(2), -1).transpose(1, 2).flatten(0, 1),",
    ),
    "over all positions": (TRAINING, "counted.clamp(min=1)", "targets.numel()"),
    "not shifted": (
        TRAINING,
        "targets[:, :-1] = following.masked_fill(following == pad_id, ignore_index)",
        "targets[:] = token_ids.masked_fill(token_ids == pad_id, ignore_index)",
    ),
    "rolled": (TRAINING, "    return targets", "    targets[:, -1] = token_ids[:, 0]\n    return targets"),
    "padding counts": (TRAINING, "following.masked_fill(following == pad_id, ignore_index)", "following"),
    "no step": (TRAINING, "    optimizer.step()\n", ""),
    "no backward": (TRAINING, "    loss.backward()\n", ""),
    "never cleared": (TRAINING, "    optimizer.zero_grad()\n", ""),
    "cleared before the step": (
        TRAINING,
        "    optimizer.step()",
        "    optimizer.zero_grad()\n    optimizer.step()",
    ),
    "step before backward": (
        TRAINING,
        "    loss.backward()\n",
        "    optimizer.step()\n    loss.backward()\n    return loss.item()\n",
    ),
    "step twice": (TRAINING, "    optimizer.step()", "    optimizer.step()\n    optimizer.step()"),
    "by hand": (
        TRAINING,
        "    optimizer.step()\n",
        "    with torch.no_grad():\n        for p in model.parameters():\n            p -= 0.01 * p.grad\n",
    ),
    "never clipped": (TRAINING, "if max_grad_norm is not None", "if False"),
    "a tensor": (TRAINING, "return loss.item()", "return loss.detach()"),
    "graphs kept": (
        TRAINING,
        "    loss.backward()",
        "    KEPT.append(loss)\n    loss.backward(retain_graph=True)",
    ),
    "last but one": (TRAINING, "model(token_ids)[:, -1]", "model(token_ids)[:, -2]"),
    "not a number": (TRAINING, "return loss.item()", "return loss.item() * float('nan')"),
    "rows of -inf": (TINY, "return self.output_projection(x)", "return self.output_projection(x / (x * 0))"),
}


def changed(name: str) -> dict[str, str]:
    """The texts of all files, with one change."""
    texts = {p.name: p.read_text(encoding="utf-8") for p in SOLUTIONS.glob("*.py")}
    file, before, after = CHANGES[name]
    assert before in texts[file], name
    texts[file] = texts[file].replace(before, after)
    if "KEPT" in after:
        texts[file] = texts[file].replace("from torch import nn\n", "from torch import nn\n\nKEPT = []\n")
    return texts


def submission(texts: dict[str, str], folder: Path) -> Submission:
    """These files in a folder, read as a submission."""
    for name, text in texts.items():
        (folder / name).write_text(text, encoding="utf-8")
    return read_submission(folder, may_be_empty=True)
