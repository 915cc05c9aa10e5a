"""Names that published code gives to the parts of attention.

Sources: the names in PyTorch (`in_proj_weight`, `out_proj`, `linear1`), GPT-2 (`c_attn`, `c_proj`,
`wte`, `wpe`), LLaMA (`wq`, `q_proj`) and x-transformers (`to_q`, `to_kv`, `to_out`).
"""

import re
from itertools import permutations

from autograder.author import ParameterNames

# The names are searched in a dotted name from its last part to its first.
_JOINED = {"qkv": ("query", "key", "value"), "kv": ("key", "value")}
_ROLES = (
    ("qkv", r"qkv|in_?proj|c_attn|query_key_value"),
    ("kv", r"(^|_)(w_?|to_)?kv($|_)|key_value"),
    ("position", r"pos|wpe"),
    ("token", r"tok|vocab_emb|word|wte|^emb|(^|_)embed(ding|dings)?$"),
    ("norm", r"norm|(^|_)ln(_|\d|$)|(^|_)ln_?[a-z0-9]$"),
    ("query", r"(^|_)(w?q|wqs?|quer(y|ies)|to_?q|q_?(proj|linear|w)|linear_?q|fc_?q)s?(_|\d|$)"),
    ("key", r"(^|_)(w?k|wks?|keys?|to_?k|k_?(proj|linear|w)|linear_?k|fc_?k)s?(_|\d|$)"),
    ("value", r"(^|_)(w?v|wvs?|values?|to_?v|v_?(proj|linear|w)|linear_?v|fc_?v)s?(_|\d|$)"),
    ("network", r"feed|ffn?|mlp|(^|_)(fc|linear|lin|dense|w)_?\d$|c_fc"),
    ("out", r"(^|_)w?o(_|\d|$)|out|proj|lm_?head|logits|unembed|unify|decoder|classifier|^fc$"),
)


def role(name: str) -> str:
    """Return the role that a parameter's name shows. If it shows none, return ""."""
    steps = name.split(".")
    if steps[-1] in {"weight", "bias"} and len(steps) > 1:
        steps.pop()
    for step in reversed(steps):
        word = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", step).lower()
        for found, pattern in _ROLES:
            if re.search(pattern, word):
                return found
    return ""


def is_shift(name: str) -> bool:
    """Return True if a parameter is a bias."""
    last = name.rpartition(".")[2].lower()
    return re.search(r"bias|beta|shift|^b(_|\d|[qkvo]?$)", last) is not None


def neutral(name: str) -> float | None:
    """Return the neutral value of a parameter: 0 for a bias, 1 for a factor in a norm."""
    if is_shift(name):
        return 0.0
    return 1.0 if role(name) == "norm" else None


_TIED = frozenset(
    {
        ("token", "out"),
        ("out", "token"),
        ("norm", "norm"),
        *permutations(("query", "key", "value", "out"), 2),
    }
)
WORDS = ParameterNames(role, is_shift, _JOINED, neutral, _TIED)
