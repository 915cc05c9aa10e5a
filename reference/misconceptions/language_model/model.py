"""Misconceptions in the embeddings, the causal mask and the logits."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from autograder.author import (
    Comparison,
    Family,
    Hints,
    ModuleCaller,
    Probe,
    Recipe,
    Trait,
    float32_probe,
)
from reference.attention import softmax
from reference.misconceptions.formulas import formulas
from reference.misconceptions.language_model.block import (
    ATTENTION,
    LABELS,
    STEPS,
    WEIGHT_NAMES,
    draw_block,
)
from reference.misconceptions.language_model.parts import PARTS, RARE
from reference.misconceptions.scaled_dot_product_attention import FAMILIES, inside_attention
from reference.misconceptions.scaled_dot_product_attention.masking import LOW_FILLS
from reference.misconceptions.torch_words import without
from reference.parts import WORDS
from reference.sinusoids import sinusoid

SIZES = ("vocab_size", "d_model", "num_heads", "d_ff", "max_seq_length")
NAMES = {
    "token_embedding.weight": "words",
    "position_embedding.weight": "places",
    "output_projection.weight": "W_out",
    "output_projection.bias": "b_out",
    **{f"block.{name}": parameter for name, parameter in WEIGHT_NAMES.items()},
}


def _length(s: Any) -> int:
    length: int = s.tokens.shape[1]
    if length > s.max_seq_length:
        raise ValueError("more tokens than positions")
    return length


MODEL_STEPS = {
    "length": _length,
    "embedded": lambda s: s.words[s.tokens],
    "placed": lambda s: s.places[: s.length],
    "x": lambda s: s.embedded + s.placed,
    "mask": lambda s: np.tril(np.ones((s.length, s.length), bool)),
    **STEPS,
    "projected": lambda s: s.norm_2 @ s.W_out.T + s.b_out,
    "logits": lambda s: s.projected,
}

EMBEDDING: Hints = (
    "What goes into the block for the token at position t?",
    "The vector of the token plus the vector of position t goes into the block. Positions "
    "count from 0, and nothing is scaled.",
    "self.token_embedding(tokens) + self.position_embedding(torch.arange(tokens.size(1)))",
)
CAUSAL: Hints = (
    "Which tokens may position t look at?",
    "Position t may look at its own token and at all tokens before it. The mask is a lower "
    "triangle with its diagonal. True means “may look”.",
    "Pass torch.ones(L, L).tril() to the block.",
)
LOGITS: Hints = (
    "What are logits, and how many are there for each position?",
    "Logits are the unchanged result of the output projection: at every position, one number "
    "for each token of the vocabulary.",
    "return self.output_projection(x)",
)


def _ones(s: Any) -> Any:
    return np.ones((s.length, s.length), bool)


MODEL_PARTS = (
    Family(
        None,
        EMBEDDING,
        {
            "positions-missing": (
                "In your code, the positions have no effect: the model cannot tell the order of "
                "the tokens.",
                {"x": lambda s: s.embedded},
            ),
            "words-missing": (
                "In your code, the tokens have no effect: only their positions go into the block.",
                {"x": lambda s: np.broadcast_to(s.placed, s.embedded.shape)},
            ),
            "words-scaled": (
                "The token embedding is multiplied by √d_model, as in the paper of 2017. In this "
                "exercise, add it unchanged.",
                {"x": lambda s: s.embedded * np.sqrt(s.d_model) + s.placed},
            ),
            "positions-from-one": (
                "Your positions count from 1: the first token gets the second vector.",
                {"placed": lambda s: s.places[1 : s.length + 1]},
            ),
            "positions-from-the-end": (
                "The vectors of the last positions are used. The vectors of the first positions "
                "should be used.",
                {"placed": lambda s: s.places[-s.length :]},
            ),
            "first-position-for-all": (
                "Every token gets the vector of position 0.",
                {"placed": lambda s: np.repeat(s.places[:1], s.length, 0)},
            ),
            "positions-by-token": (
                "The position vectors are looked up by the numbers of the tokens. They should be "
                "looked up by the positions 0, 1, 2 and so on.",
                {"placed": lambda s: s.places[s.tokens]},
                {"placed": lambda s: s.places[s.tokens % len(s.places)]},
            ),
            "sines-for-positions": (
                "The positions are sines and cosines. They should be the learnt vectors of "
                "position_embedding.",
                {"placed": lambda s: sinusoid(s.length, s.d_model)},
            ),
        },
    ),
    formulas(
        "x",
        "What goes into the block is",
        "the vector of the token plus the vector of its position",
        ("embeddings-multiplied", "the product of both vectors", lambda s: s.embedded * s.placed),
        (
            "embeddings-largest",
            "the larger number of both vectors",
            lambda s: np.maximum(s.embedded, s.placed),
        ),
        hints=EMBEDDING,
    ),
    formulas(
        "mask",
        "In your code, a position sees",
        "itself and all tokens before it",
        ("mask-inverted", "only the tokens after it", lambda s: ~np.tril(_ones(s))),
        ("upper-triangle", "itself and the tokens after it", lambda s: np.triu(_ones(s))),
        ("own-word-hidden", "only the tokens before it", lambda s: np.tril(_ones(s), -1)),
        ("one-word-too-far", "the tokens up to the next one", lambda s: np.tril(_ones(s), 1)),
        ("only-itself", "only itself", lambda s: np.eye(s.length, dtype=bool)),
        (
            "one-word-back",
            "only itself and one token before it",
            lambda s: np.tril(_ones(s)) & np.triu(_ones(s), -1),
        ),
        hints=CAUSAL,
    ),
    Family(
        "mask",
        CAUSAL,
        {
            "no-causal-mask": (
                "{Your|The} logits are computed without a causal mask: each position also sees "
                "the tokens after it, even the token to be predicted.",
                _ones,
            ),
        },
    ),
    Family(
        "logits",
        LOGITS,
        {
            "softmax-of-logits": (
                "The result has probabilities: the softmax of the logits. Return the logits.",
                lambda s: softmax(s.projected),
            ),
            "logarithms-of-probabilities": (
                "Your result has logarithms of probabilities (log_softmax). Logits are the "
                "unchanged result of the output projection.",
                lambda s: np.log(softmax(s.projected)),
            ),
            "last-position-only": (
                "Your result has only the logits of the last position.",
                lambda s: s.projected[:, -1],
            ),
            "last-two-axes-swapped": (
                "Your result has the axes (B, vocab_size, L): its last two axes are exchanged.",
                lambda s: np.swapaxes(s.projected, 1, 2),
            ),
            "choices": (
                "The result has the index of the likeliest token. It should have the logits of "
                "all tokens.",
                lambda s: s.projected.argmax(-1),
            ),
            "block-left-out": (
                "In your code, the block has no effect: the embeddings go straight to the output "
                "projection.",
                {"projected": lambda s: s.x @ s.W_out.T + s.b_out},
            ),
            "output-bias-left-out": (
                "In your code, the bias of the output projection has no effect.",
                {"projected": lambda s: s.norm_2 @ s.W_out.T},
            ),
            "tied-to-embedding": (
                "The matrix of the token embedding acts as output projection: output_projection "
                "has no effect.",
                {"projected": lambda s: s.norm_2 @ s.words.T},
            ),
            "vectors-returned": (
                "Your result has the vectors of the block: the output projection has no effect.",
                {"projected": lambda s: s.norm_2},
            ),
        },
    ),
)


def probes(draw: int) -> Sequence[Probe]:
    rng = np.random.default_rng([34, draw])

    def case(batch: int, length: int, *sizes: int) -> Probe:
        vocab, d_model, _, d_ff, positions = sizes
        given = dict(zip(SIZES, sizes, strict=True))
        weights = {
            "tokens": rng.integers(vocab, size=(batch, length)),
            "words": rng.normal(size=(vocab, d_model)),
            "places": rng.normal(size=(positions, d_model)),
            "W_out": rng.normal(size=(vocab, d_model)) / np.sqrt(d_model),
            "b_out": rng.normal(size=vocab),
        }
        weights |= draw_block(rng, d_model, d_ff)
        return float32_probe(Probe((), given | weights, condition=100.0))

    return [
        case(1, 1, 5, 4, 1, 3, 4),
        case(2, 2, 6, 4, 2, 5, 7),
        case(2, 4, 4, 6, 3, 4, 6),
        case(3, 5, 9, 6, 2, 7, 8),
        case(1, 6, 8, 8, 4, 5, 10),
        case(2, 7, 7, 4, 2, 6, 7),
        case(4, 3, 3, 4, 4, 5, 5),
        case(2, 8, 12, 6, 1, 4, 9),
    ]


MODEL = Recipe(
    "SimpleLanguageModel",
    probes,
    (*MODEL_PARTS, *PARTS, *ATTENTION),
    steps=MODEL_STEPS,
    parameters=(*SIZES, "tokens", *NAMES.values()),
    alternatives=LOW_FILLS,
    traits=(
        Trait(
            lambda s: s.tokens.shape[1] == s.max_seq_length,
            "for a sequence as long as max_seq_length",
            "for shorter sequences",
        ),
        Trait(
            lambda s: s.tokens.shape[1] > 1,
            "for sequences of several tokens",
            "for a sequence of one token",
        ),
        Trait(lambda s: s.num_heads > 1, "with several heads", "with a single head"),
    ),
    labels={
        "embedded": "the token embeddings",
        "placed": "the position embeddings",
        "x": "the sum of both embeddings",
        **LABELS,
        "projected": "the logits",
    },
    axes=lambda s: {
        "B": s.tokens.shape[0],
        "L": s.tokens.shape[1],
        "E": s.d_model,
        "H": s.num_heads,
        "d_ff": s.d_ff,
        "vocab_size": s.vocab_size,
        "max_seq_length": s.max_seq_length,
    },
    caller=ModuleCaller(SIZES, ("tokens",), NAMES, WORDS),
    comparison=Comparison(precision=np.float32),
    fallbacks=(
        *(each for family in RARE for each in family.misconceptions),
        *inside_attention((*MODEL_PARTS, *PARTS, *ATTENTION), without(FAMILIES, "")),
    ),
)
