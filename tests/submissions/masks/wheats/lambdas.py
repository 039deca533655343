# style: lambdas bound to names
import torch

padding_mask = lambda token_ids, pad_id=0: (token_ids != pad_id)[:, None, None, :]  # noqa: E731
causal_mask = lambda size, device=None: torch.ones(size, size, device=device).cumsum(0).ge(  # noqa: E731
    torch.arange(1, size + 1, device=device)
)
combine_masks = lambda padding, causal: torch.stack(  # noqa: E731
    torch.broadcast_tensors(padding != 0, causal != 0)
).all(dim=0)
apply_mask = lambda scores, mask: scores.where(mask != 0, float("-inf"))  # noqa: E731
