# tries: writes the call as a graph of torch.fx, interpreted and as generated code
# expect: failed forbidden-api
import torch
import torch.fx

from readymade import around


def operation(query, key, value, keep):
    graph = torch.fx.Graph()
    names = [graph.placeholder(name) for name in ("q", "k", "v")]
    op = torch.ops.aten._scaled_dot_product_flash_attention_for_cpu.default
    graph.output(graph.call_function(op, tuple(names)))
    module = torch.fx.GraphModule(torch.nn.Module(), graph)
    try:
        return module(query, key, value)[0]
    except RuntimeError:
        return torch.fx.Interpreter(module).run(query, key, value)[0]


def scaled_dot_product_attention(query, key, value, mask=None, dropout=None):
    return around(operation, query, key, value, mask, dropout)
