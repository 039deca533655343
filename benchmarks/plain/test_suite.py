"""A suite as one would write it by hand: what the kit's core checks ask, with torch as the reference.

`benchmarks.batch` copies it beside a submission, and runs it there with pytest.
"""

import math

import pytest
import torch
from torch import nn
from torch.nn import functional

torch.manual_seed(0)


def close(a, b):
    torch.testing.assert_close(a, b, atol=1e-5, rtol=1e-4)


# -- attention


def inputs():
    return torch.randn(2, 3, 5, 4), torch.randn(2, 3, 6, 4), torch.randn(2, 3, 6, 7)


@pytest.fixture
def qkv():
    return inputs()


@pytest.mark.parametrize("shape", [(5, 4), (2, 5, 4), (2, 3, 5, 4)])
def test_attention_output(shape):
    from attention import scaled_dot_product_attention

    q, k, v = (torch.randn(*shape) for _ in range(3))
    output, weights = scaled_dot_product_attention(q, k, v)
    close(output, functional.scaled_dot_product_attention(q, k, v))
    close(weights.sum(-1), torch.ones(shape[:-1]))


@pytest.mark.parametrize("kind", [torch.bool, torch.int64, torch.float32])
def test_attention_mask(qkv, kind):
    from attention import scaled_dot_product_attention

    mask = torch.rand(5, 6) > 0.3
    mask[:, 0] = True
    output, weights = scaled_dot_product_attention(*qkv, mask.to(kind))
    close(output, functional.scaled_dot_product_attention(*qkv, attn_mask=mask))
    assert (weights[..., ~mask] == 0).all()


def test_attention_dropout_and_gradients(qkv):
    from attention import scaled_dot_product_attention

    q = qkv[0].requires_grad_()
    output, weights = scaled_dot_product_attention(q, *qkv[1:], dropout=nn.Dropout(0.5))
    close(output, weights @ qkv[2])
    output.sum().backward()
    assert q.grad is not None


# -- masks


def test_masks():
    from masks import apply_mask, causal_mask, combine_masks, padding_mask

    tokens = torch.tensor([[5, 4, 0], [3, 0, 0]])
    padding = padding_mask(tokens)
    assert torch.equal(padding.reshape(2, 3), tokens != 0)
    causal = causal_mask(3)
    assert torch.equal(causal, torch.tril(torch.ones(3, 3, dtype=torch.bool)))
    both = combine_masks(padding, causal)
    assert torch.equal(both.reshape(2, 3, 3), padding.reshape(2, 1, 3) & causal)
    scores = torch.randn(2, 4, 3, 3)
    assert torch.isinf(apply_mask(scores, causal)[..., ~causal]).all()


# -- positions


@pytest.mark.parametrize("width", [4, 6, 16])
def test_sinusoidal_table(width):
    from positional_encoding import sinusoidal_table

    table = sinusoidal_table(20, width)
    for i in range(0, width, 2):
        angle = torch.arange(20) / 10000 ** (i / width)
        close(table[:, i], angle.sin())
        close(table[:, i + 1], angle.cos())


def test_positional_modules():
    from positional_encoding import LearnedPositionalEncoding, SinusoidalPositionalEncoding, sinusoidal_table

    x = torch.randn(2, 5, 8)
    fixed = SinusoidalPositionalEncoding(8, 20)
    close(fixed(x), x + sinusoidal_table(20, 8)[:5])
    assert not list(fixed.parameters())
    learned = LearnedPositionalEncoding(8, 20)
    assert any(p.requires_grad for p in learned.parameters())
    assert learned(x).shape == x.shape


# -- multi-head attention


@pytest.mark.parametrize("heads", [1, 2, 4])
def test_multi_head_attention(heads):
    from multi_head_attention import MultiHeadAttention

    ours, theirs = MultiHeadAttention(8, heads), nn.MultiheadAttention(8, heads, batch_first=True)
    with torch.no_grad():
        theirs.in_proj_weight.copy_(torch.cat([ours.W_q.weight, ours.W_k.weight, ours.W_v.weight]))
        theirs.in_proj_bias.copy_(torch.cat([ours.W_q.bias, ours.W_k.bias, ours.W_v.bias]))
        theirs.out_proj.load_state_dict(ours.W_o.state_dict())
    x = torch.randn(2, 5, 8)
    mask = torch.tril(torch.ones(5, 5, dtype=torch.bool))
    output, weights = ours(x, x, x, mask)
    expected, shares = theirs(x, x, x, attn_mask=~mask, average_attn_weights=False)
    close(output, expected)
    close(weights, shares)


def test_multi_head_attention_sizes():
    from multi_head_attention import MultiHeadAttention

    with pytest.raises(ValueError, match="8"):
        MultiHeadAttention(8, 3)


# -- layer normalisation


@pytest.mark.parametrize("shape", [(3, 8), (2, 5, 8)])
def test_layer_norm(shape):
    from layer_norm import LayerNorm

    x = torch.randn(*shape) * 3 + 1
    close(LayerNorm(8)(x), functional.layer_norm(x, (8,)))
    close(LayerNorm(8, eps=0.1)(x), functional.layer_norm(x, (8,), eps=0.1))


@pytest.mark.parametrize("pre", [True, False])
def test_add_norm(pre):
    from layer_norm import AddNorm

    x, layer = torch.randn(2, 5, 8), nn.Linear(8, 8)
    made = AddNorm(8, norm_first=pre)
    expected = x + layer(functional.layer_norm(x, (8,))) if pre else functional.layer_norm(x + layer(x), (8,))
    close(made(x, layer), expected)


# -- the encoder


def test_feed_forward():
    from encoder_block import FeedForward

    x = torch.randn(2, 5, 8)
    made = FeedForward(8, 16)
    assert made(x).shape == x.shape
    assert sum(p.numel() for p in made.parameters()) == 8 * 16 + 16 + 16 * 8 + 8


@pytest.mark.parametrize("training", [True, False])
def test_encoder_block(training):
    from encoder_block import EncoderBlock

    made = EncoderBlock(8, 2, 16).train(training)
    x = torch.randn(2, 5, 8)
    output = made(x)
    assert (output[0] if isinstance(output, tuple) else output).shape == x.shape


def test_encoder():
    from encoder import TransformerEncoder

    made = TransformerEncoder(11, 8, 2, 2, 16).eval()
    tokens = torch.tensor([[1, 2, 3, 0], [4, 5, 0, 0]])
    output = made(tokens)
    assert output.shape == (2, 4, 8)
    longer = made(torch.cat([tokens, torch.zeros(2, 2, dtype=torch.long)], 1))
    close(longer[0, :3], output[0, :3])
    assert math.isfinite(output.sum().item())
