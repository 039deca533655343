# fault: zero-scores-masked
# line: 25
# what: the scores are multiplied by the mask, and every score of 0 is then forbidden
import torch



def padding_mask(token_ids: torch.Tensor, pad_id: int = 0) -> torch.Tensor:
    """True where ``token_ids`` (B, S) is a real token, for every head and query: (B, 1, 1, S)."""
    return (token_ids != pad_id)[:, None, None, :]  # (B, 1, 1, S)


def causal_mask(size: int, device: torch.device | str | None = None) -> torch.Tensor:
    """True on and below the diagonal: position t sees positions <= t. Shape (size, size)."""
    return torch.ones(size, size, dtype=torch.bool, device=device).tril()  # (S, S)


def combine_masks(padding: torch.Tensor, causal: torch.Tensor) -> torch.Tensor:
    """True where ``padding`` (B, 1, 1, S) and ``causal`` (S, S) both allow: (B, 1, S, S)."""
    return padding.bool() & causal.bool()  # (B, 1, S, S)


def apply_mask(scores, mask):
    s = scores * mask
    return s.masked_fill(s == 0, float("-inf"))
