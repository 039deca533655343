# tries: answers in place of the worker, with everything in it that an answer may hold
# expect: failed
import torch

from grader.worker.server import Server
from wrong import attention


def answer(self, request, tensors, packer):
    wanted = {"$": "tuple", "v": [packer.pack(torch.zeros(2, 3, 4, 7)), packer.pack(torch.zeros(2, 3, 4, 5))]}
    return {
        "outcome": "ok",
        "value": wanted,
        "changed": {"$": "list", "v": []},
        "calls": {"$": "list", "v": []},
        "grads": packer.pack({"status": "ok", "of": {}}),
        "trace": packer.pack([]),
        "registered": False,
        "globals": [],
        "warnings": [],
    }


Server.answer = answer


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    return attention(query, key, value, mask, dropout)
