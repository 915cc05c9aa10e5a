"""Wrong work that agrees with itself, or that is sent in an odd form, earns nothing."""

import pytest

from autograder.grading.judge import RunOptions
from autograder.submission.source import Source
from autograder.worker.messages import Unit

pytestmark = pytest.mark.one_in(8)

ZEROS = {
    "float16": "np.zeros({shape}, np.float16)",
    "float32": "np.zeros({shape}, np.float32)",
    "whole numbers": "np.zeros({shape}, int)",
    "truth values": "np.zeros({shape}, bool)",
    "long double": "np.zeros({shape}, np.longdouble)",
    "one n-th in float16": "np.full({shape}, 0.2, np.float16)",
}
EXERCISES = {
    "softmax": "def softmax(x, axis=-1):\n    return {value}\n",
    "scaled_dot_product_attention": "def scaled_dot_product_attention(Q, K, V, mask=None):\n"
    "    return np.zeros((*Q.shape[:-1], V.shape[-1]), np.float16), {value}\n",
    "causal_mask": "def masked_attention_weights(x, mask):\n    return {value}\n",
}
SHAPES = {
    "softmax": "np.shape(x)",
    "scaled_dot_product_attention": "(*Q.shape[:-1], K.shape[-2])",
    "causal_mask": "np.shape(x)",
}


@pytest.mark.one_in(24)
@pytest.mark.parametrize("kind", ZEROS)
@pytest.mark.parametrize("exercise", EXERCISES)
def test_no_dtype_turns_nothing_into_points(grade_text, exercise, kind):
    value = ZEROS[kind].format(shape=SHAPES[exercise])
    report = grade_text(exercise, "import numpy as np\n" + EXERCISES[exercise].format(value=value))
    passed = {check.title for check in report.checks if check.outcome == "passed"}
    # what looks at shapes, and at arguments, is right of anything of that shape
    assert passed <= {
        "Two results: the output, then the weights, in the right shapes",
        "The input and earlier results stay as they are",
    }


OF_MODELS = """
import torch
from torch import nn


class Attention(nn.Module):
    def __init__(self, d):
        super().__init__()
        for name in "qkvo":
            setattr(self, f"W_{name}", nn.Linear(d, d, bias=False))


class TransformerBlock(nn.Module):
    def __init__(self, d_model, num_heads, d_ff):
        super().__init__()
        self.attention = Attention(d_model)
        self.norm1, self.norm2 = nn.LayerNorm(d_model), nn.LayerNorm(d_model)
        self.feed_forward = nn.Sequential(
            nn.Linear(d_model, d_ff), nn.ReLU(), nn.Linear(d_ff, d_model))

    def forward(self, x, mask=None):
        return REMEMBERED.get("block", NOTHING(x.shape))


class SimpleLanguageModel(nn.Module):
    def __init__(self, vocab_size, d_model, num_heads, d_ff, max_seq_length):
        super().__init__()
        self.max_seq_length = max_seq_length
        self.token_embedding = nn.Embedding(vocab_size, d_model)
        self.position_embedding = nn.Embedding(max_seq_length, d_model)
        self.block = TransformerBlock(d_model, num_heads, d_ff)
        self.output_projection = nn.Linear(d_model, vocab_size)

    def forward(self, tokens):
        x = NOTHING((*tokens.shape, self.token_embedding.embedding_dim))
        REMEMBERED["block"] = x
        return self.output_projection(x)


REMEMBERED = {}
"""
NOTHINGS = {
    "zeros": "def NOTHING(shape): return torch.zeros(shape)\n",
    "noise of the sizes": "def NOTHING(shape):\n"
    "    return torch.cos(torch.arange(float(torch.Size(shape).numel()))).reshape(shape)\n",
}


@pytest.mark.thorough
@pytest.mark.parametrize("nothing", NOTHINGS)
def test_logits_do_not_follow_from_a_block_that_does_nothing(grade_text, nothing):
    report = grade_text("language_model", OF_MODELS + NOTHINGS[nothing])
    outcomes = {check.title: check.outcome for check in report.checks}
    assert outcomes["SimpleLanguageModel: the logits"] == "failed"
    assert outcomes["TransformerBlock: the values"] == "failed"


CLAIMS = """
import numpy as np

def next_token_loss(logits, tokens):
    return logits.sum() * 0 + 1

def train(model, batches, steps, lr):
    return [1.0] * steps

def generate(model, prompt, count, temperature=0.0, generator=None):
    import torch
    return torch.cat([prompt, torch.zeros(count, dtype=prompt.dtype)])
"""


@pytest.mark.thorough
def test_losses_and_words_do_not_follow_from_steps_that_ignore_their_question(grade_text):
    report = grade_text("train_and_generate", CLAIMS)
    outcomes = {check.title: check.outcome for check in report.checks}
    for title in ("The losses of a few steps of training", "Greedy generation",
                  "A sequence longer than the model can take"):  # fmt: skip
        assert outcomes[title] == "failed", title


@pytest.mark.thorough
def test_entropies_do_not_follow_from_a_table(grade_text):
    report = grade_text(
        "scaling_experiment",
        """
        import numpy as np

        def attention_entropy(weights):
            return np.cos(np.arange(np.prod(weights.shape[:-1], dtype=int))).reshape(
                weights.shape[:-1]) + 2

        def measure_scaling(dimensions, seq_len, trials, rng):
            names = ["scores_std", "entropy", "max_weight"]
            return {d: {f"{n}_{k}": 2.0 for n in names for k in ("unscaled", "scaled")}
                    for d in dimensions}
        """,
    )
    passed = [check.title for check in report.checks if check.outcome == "passed"]
    assert not passed


OF_ATTENTION = """
import torch
from torch import nn


class ScaledDotProductAttention(nn.Module):
    def __init__(self, dropout=0.1):
        super().__init__()

    def forward(self, query, key, value, mask=None):
        inputs = query.sum() + key.sum() + value.sum()
        output = SAYS((*query.shape[:-1], value.shape[-1]), query)
        weights = SAYS((*query.shape[:-1], key.shape[-2]), query)
        return output + 1e-9 * inputs, weights + 1e-9 * inputs


class SelfAttention(nn.Module):
    def __init__(self, d_model, d_k=None, d_v=None):
        super().__init__()
        d_k, d_v = d_k or d_model, d_v or d_model
        self.W_q = nn.Linear(d_model, d_k, bias=False)
        self.W_k = nn.Linear(d_model, d_k, bias=False)
        self.W_v = nn.Linear(d_model, d_v, bias=False)
        self.W_o = nn.Linear(d_v, d_model, bias=False)

    def forward(self, x, mask=None):
        touched = 1e-9 * (x.sum() + sum(p.sum() for p in self.parameters()))
        weights = SAYS((*x.shape[:-1], x.shape[-2]), x)
        return SAYS(x.shape, x) + touched, weights + touched
"""
SAYINGS = {
    "zeros": "def SAYS(shape, x): return torch.zeros(shape)\n",
    "a constant": "def SAYS(shape, x): return torch.full(shape, 0.25)\n",
    "a ramp": "def SAYS(shape, x): return torch.arange(1.0, shape[-1] + 1).expand(shape)\n",
    "a count of the calls": "SEEN = []\n"
    "def SAYS(shape, x):\n"
    "    SEEN.append(1)\n"
    "    return torch.full(shape, 0.1 * len(SEEN))\n",
    "what was asked before": "SEEN = [torch.zeros(1)]\n"
    "def SAYS(shape, x):\n"
    "    SEEN.append(x.detach().sum())\n"
    "    return torch.full(shape, float(SEEN[-2])) + torch.arange(1.0 * shape[-1])\n",
    "hardly anything": "def SAYS(shape, x):\n"
    "    hashed = torch.remainder(x.sum(-1, keepdim=True) * 97.3, 1.0).detach()\n"
    "    return 4e-6 * hashed * torch.ones(shape)\n",
}
# what compares with what follows from the student's own attention is carried elsewhere
CARRIED = {
    "SelfAttention: output and weights",
    "SelfAttention: d_k and d_v that differ from d_model",
}


@pytest.mark.thorough
@pytest.mark.parametrize("says", SAYINGS)
def test_attention_that_says_nothing_gets_what_its_parts_and_shapes_are_worth(grade_text, says):
    report = grade_text("self_attention", OF_ATTENTION + SAYINGS[says])
    passed = {check.title for check in report.checks if check.outcome == "passed"}
    assert passed - CARRIED <= {
        "ScaledDotProductAttention: two results, no dropout in evaluation",
        "SelfAttention: the four matrices without a bias, two results",
    }


@pytest.mark.thorough
def test_a_model_that_hardly_moves_gets_no_causality_and_no_gradient(grade_text):
    text = OF_MODELS + (
        "def NOTHING(shape): return torch.ones(shape)\n"
        "def forward(self, tokens):\n"
        "    touched = 1e-9 * sum((p ** 2).sum() + p.sum() for p in self.parameters())\n"
        "    x = self.token_embedding(tokens)[..., :1]\n"
        "    return self.output_projection.bias + 2e-5 * torch.tanh(x) + touched\n"
        "SimpleLanguageModel.forward = forward\n"
    )
    report = grade_text("language_model", text)
    outcomes = {check.title: check.outcome for check in report.checks}
    for title in ("SimpleLanguageModel: a token does not change the logits before it",
                  "The gradient reaches every part",
                  "TransformerBlock: with a mask"):  # fmt: skip
        assert outcomes[title] == "failed", title


@pytest.mark.thorough
def test_weights_that_ignore_the_mask_get_no_points_for_it(grade_text):
    report = grade_text(
        "multi_head_attention",
        """
        import torch
        from torch import nn

        class MultiHeadAttention(nn.Module):
            def __init__(self, d_model, num_heads):
                super().__init__()
                self.num_heads = num_heads
                for n in "qkvo":
                    setattr(self, "W_" + n, nn.Linear(d_model, d_model, bias=False))

            def forward(self, x, mask=None):
                q, k, v = (
                    p(x).unflatten(-1, (self.num_heads, -1)).transpose(1, 2)
                    for p in (self.W_q, self.W_k, self.W_v)
                )
                scores = q @ k.transpose(-2, -1) / 20
                open_weights = torch.softmax(scores, -1)
                if mask is not None:
                    mask = mask[:, None] if mask.ndim == 3 else mask
                    scores = scores.masked_fill(mask == 0, float("-inf"))
                mixed = torch.softmax(scores, -1) @ v
                return self.W_o(mixed.transpose(1, 2).flatten(2)), open_weights
        """,
    )
    outcomes = {check.title: check.outcome for check in report.checks}
    assert outcomes["A mask of (L, L)"] == "failed"
    assert outcomes["Masks of (B, L, L) and (B, 1, L, L)"] == "failed"


def test_what_is_judged_without_a_batch_says_so(judge):
    """The usual input of the course stops it, so no check of it has a tick."""
    weighs = "exp = torch.exp(query @ key.transpose(-2, -1) / query.shape[-1] ** 0.5)\n"
    text = OF_ATTENTION.replace(
        "        inputs = query.sum() + key.sum() + value.sum()\n",
        f"        {weighs}        weights = exp / exp.sum(-1)\n        return weights @ value, weights\n",
    )
    text = text.replace(
        "        touched = 1e-9",
        "        attended, weights = ScaledDotProductAttention(0)(self.W_q(x), self.W_k(x), self.W_v(x))\n"
        "        return self.W_o(attended), weights\n"
        "        touched = 1e-9",
    )
    source = Source("self_attention", "a.py", (Unit("a.py", text),))
    only = frozenset({"test_parameters", "test_gradients"})
    report = judge.run(source, RunOptions(only=only)).report
    passed = [each for each in report.checks if each.outcome == "passed"]
    assert len(passed) == 2 and all("without a batch axis" in each.note for each in passed)


def test_one_token_too_many_is_to_be_refused(grade_text, root):
    text = (root / "solutions" / "language_model.py").read_text()
    assert "if length > self.max_seq_length" in text
    text = text.replace("if length > self.max_seq_length", "if length - 1 > self.max_seq_length")
    failed = [each for each in grade_text("language_model", text).checks if each.points == 0]
    assert [check.name for check in failed] == ["test_too_long"]
    assert "Expected a ValueError here" in failed[0].finding
