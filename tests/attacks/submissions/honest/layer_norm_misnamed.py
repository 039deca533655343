# exercise: layer_norm
# tries: nothing: what a wrong file gets whose parameters have the wrong names
# expect: failed
from wrong import Misnamed


class LayerNorm(Misnamed):
    pass


class AddNorm(Misnamed):
    def __init__(self, d_model, dropout=0.0, norm_first=False, eps=1e-5):
        super().__init__(d_model, eps)

    def forward(self, x, sublayer):
        return super().forward(sublayer(x))
