# fault: attention-over-batch
# line: 29
# what: transposed for the layers
import torch
from torch import nn
from encoder_block import EncoderBlock
from masks import padding_mask
from positional_encoding import SinusoidalPositionalEncoding


class TransformerEncoder(nn.Module):
    # 词嵌入 + 位置编码 + 若干编码器块
    def __init__(self, vocab_size, d_model, num_heads, d_ff, num_layers,
                 dropout=0.1, max_len=5000, pad_id=0, norm_first=False):
        super().__init__()
        self.d_model, self.pad_id = d_model, pad_id
        self.embedding = nn.Embedding(vocab_size, d_model)
        self.positional_encoding = SinusoidalPositionalEncoding(d_model, max_len, dropout)
        blocks = [EncoderBlock(d_model, num_heads, d_ff, dropout, norm_first) for _ in range(num_layers)]
        self.layers = nn.ModuleList(blocks)
        # pre-LN 的最后需要一次归一化
        self.norm = nn.LayerNorm(d_model) if norm_first else nn.Identity()

    def forward(self, token_ids, mask=None):
        keep = padding_mask(token_ids, pad_id=self.pad_id) if mask is None else mask
        h = self.embedding(token_ids) * self.d_model ** 0.5
        h = self.positional_encoding(h)
        for i in range(len(self.layers)):
            h = self.layers[i](h.transpose(0, 1), None).transpose(0, 1)
        return self.norm(h)
