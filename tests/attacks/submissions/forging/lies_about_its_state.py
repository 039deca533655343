# exercise: layer_norm
# honest: layer_norm_misnamed
# tries: has other parameters than it should, and overrides everything that lists them
# expect: failed

from wrong import Misnamed


class LayerNorm(Misnamed):
    @property
    def claimed(self):
        return {"weight": self.gamma, "bias": self.beta}

    def state_dict(self, *args, **kwargs):
        return dict(self.claimed)

    def named_parameters(self, *args, **kwargs):
        yield from self.claimed.items()

    def parameters(self, *args, **kwargs):
        yield from self.claimed.values()

    def named_modules(self, *args, **kwargs):
        yield "", self

    def __dir__(self):
        return ["weight", "bias"]


class AddNorm(LayerNorm):
    def __init__(self, d_model, dropout=0.0, norm_first=False, eps=1e-5):
        super().__init__(d_model, eps)

    def forward(self, x, sublayer):
        return super().forward(sublayer(x))
