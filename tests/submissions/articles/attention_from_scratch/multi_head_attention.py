import torch
import torch.nn as nn
import torch.nn.functional as F


class MultiHeadAttention(nn.Module):
    def __init__(self, d_model, num_heads, dropout=0.0, bias=True):
        super().__init__()
        self.h = num_heads
        self.d_k = d_model // num_heads
        self.d_v = d_model // num_heads

        # all heads in one matrix, no bias
        self.W_q = nn.Linear(d_model, num_heads * self.d_k, bias=False)
        self.W_k = nn.Linear(d_model, num_heads * self.d_k, bias=False)
        self.W_v = nn.Linear(d_model, num_heads * self.d_v, bias=False)
        self.W_o = nn.Linear(num_heads * self.d_v, d_model, bias=False)

    def forward(self, query, key=None, value=None, mask=None):
        x = query                                   # self-attention
        batch_size, seq_len, d_model = x.shape

        Q_all = self.W_q(x)
        K_all = self.W_k(x)
        V_all = self.W_v(x)

        # (batch, seq_len, h * d_k) -> (batch, h, seq_len, d_k)
        Q = Q_all.view(batch_size, seq_len, self.h, self.d_k).transpose(1, 2)
        K = K_all.view(batch_size, seq_len, self.h, self.d_k).transpose(1, 2)
        V = V_all.view(batch_size, seq_len, self.h, self.d_v).transpose(1, 2)

        scores = torch.matmul(Q, K.transpose(-2, -1)) / (self.d_k ** 0.5)
        attn_weights = F.softmax(scores, dim=-1)
        context = torch.matmul(attn_weights, V)

        context = context.transpose(1, 2).contiguous().view(batch_size, seq_len, -1)
        output = self.W_o(context)
        return output, attn_weights
