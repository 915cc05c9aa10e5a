"""Misconceptions about the next-token loss."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from autograder.author import (
    Comparison,
    Fact,
    Family,
    Hints,
    Probe,
    Recipe,
    Step,
    TensorCaller,
    Trait,
    float32_probe,
)
from reference.misconceptions.formulas import formulas
from reference.results import as_one_number

SHIFT: Hints = (
    "Which token should the logits at position t predict?",
    "The logits at position t predict the token at t + 1. So the logits without their last "
    "position belong to the tokens without the first token.",
    "Use logits[:, :-1] with tokens[:, 1:].",
)
ENTROPY: Hints = (
    "What is the loss of a model that gives every token the same probability?",
    "A model that gives every token the same probability has the loss ln V. The loss of one "
    "prediction is minus the natural logarithm of the probability of its token.",
    "F.cross_entropy takes the unchanged logits. It does the softmax and the logarithm itself.",
)
MEAN: Hints = (
    "Over how many predictions is the mean taken?",
    "The mean runs over all B · (L − 1) predictions. Each prediction has the same weight.",
    "Flatten the two axes of batch and position before F.cross_entropy. Do not change its default "
    "reduction.",
)


def _logarithms(x: Any, axis: int = -1) -> Any:
    shifted = x - x.max(axis, keepdims=True)
    return shifted - np.log(np.exp(shifted).sum(axis, keepdims=True))


def _taken(logarithms: Any, targets: Any) -> Any:
    return np.take_along_axis(logarithms, targets[..., None], -1)[..., 0]


def _average(x: Any, axis: int | None = None) -> Any:
    return np.sum(x, axis) / np.float64(x.size if axis is None else x.shape[axis])


STEPS = {
    "predictions": lambda s: s.logits[:, :-1],
    "targets": lambda s: s.tokens[:, 1:],
    "logarithms": lambda s: _logarithms(s.predictions),
    "costs": lambda s: -_taken(s.logarithms, s.targets),
    "loss": lambda s: _average(s.costs),
}


def _softmax(x: Any) -> Any:
    return np.exp(_logarithms(x))


def _one_hot(s: Any) -> Any:
    return np.eye(s.logits.shape[-1])[s.targets]


def _yes_or_no(s: Any) -> Any:
    shares, came = _softmax(s.predictions), _one_hot(s)
    return -(came * np.log(shares) + (1 - came) * np.log(1 - shares))


def _across(s: Any) -> Any:
    flat = _logarithms(s.logits.reshape(-1, s.logits.shape[-1])[:-1])
    return -_taken(flat, s.tokens.reshape(-1)[1:])


def _column_order(x: Any) -> Any:
    return x.swapaxes(0, 1).reshape(x.shape)


def _classes_second(s: Any) -> Any:
    batch, length, words = s.predictions.shape
    turned = s.predictions.reshape(batch, words, length)
    return _logarithms(turned, 1).swapaxes(1, 2)


def _pairs(positions: slice, tokens: slice) -> dict[str, Step]:
    """Return the changes that predict these tokens from the logits at these positions."""
    return {
        "predictions": lambda s: s.logits[:, positions],
        "targets": lambda s: s.tokens[:, tokens],
    }


def _rolled(by: int) -> dict[str, Step]:
    return {"predictions": lambda s: s.logits, "targets": lambda s: np.roll(s.tokens, by, 1)}


def _added(s: Any, loss: Any) -> float:
    probabilities = np.exp(_taken(s.logarithms, s.targets))
    low, high = 1e-15, 1.0
    for _ in range(60):
        middle = float(np.sqrt(low * high))
        is_larger = -np.log(probabilities + middle).mean() > float(loss)
        low, high = (middle, high) if is_larger else (low, middle)
    added = float(f"{low:.1e}")
    if abs(-np.log(probabilities + added).mean() - float(loss)) > 1e-5 * max(1.0, abs(float(loss))):
        raise ValueError("no number that was added explains the loss")
    return added


LOSS = Recipe(
    "next_token_loss",
    lambda draw: probes(draw),
    (
        Family(
            None,
            SHIFT,
            {
                "target-not-shifted": (
                    "Each token is predicted from the logits at its own position, where the model "
                    "has already seen it.",
                    _pairs(np.s_[:], np.s_[:]),
                    _pairs(np.s_[:-1], np.s_[:-1]),
                    _pairs(np.s_[1:], np.s_[1:]),
                ),
                "shifted-backwards": (
                    "Your targets are shifted in the wrong direction: the logits at t + 1 are "
                    "used to predict the token at t.",
                    _pairs(np.s_[1:], np.s_[:-1]),
                ),
                "rolled": (
                    "Your targets are rolled: at the last position, the model has to predict the "
                    "first token of the same sentence.",
                    _rolled(-1),
                ),
                "rolled-backwards": (
                    "Your targets are rolled in the wrong direction: at each position, the model "
                    "has to predict the token before it. At the first position, it has to predict "
                    "the last token of the sentence.",
                    _rolled(1),
                ),
                "shifted-across-sentences": (
                    "The targets are shifted across sentences: at the last token of a sentence, "
                    "the model has to predict the first token of the next sentence.",
                    {"costs": _across},
                ),
                "shifted-by-two": (
                    "Your targets are shifted by two positions.",
                    _pairs(np.s_[:-2], np.s_[2:]),
                ),
                "targets-in-another-order": (
                    "Your targets belong to other predictions: the numbers match targets listed "
                    "position by position for logits listed sequence by sequence, or the reverse.",
                    {"targets": lambda s: _column_order(s.tokens[:, 1:])},
                    {"predictions": lambda s: _column_order(s.logits[:, :-1])},
                ),
                "last-word-only": (
                    "Your loss has only the prediction of the last token of each sequence.",
                    _pairs(np.s_[-2:-1], np.s_[-1:]),
                ),
                "first-word-only": (
                    "Your loss has only the prediction of the second token from the first.",
                    _pairs(np.s_[:1], np.s_[1:2]),
                ),
            },
        ),
        Family(
            "logarithms",
            ENTROPY,
            {
                "softmax-before-cross-entropy": (
                    "Your loss matches a softmax before the cross-entropy. The cross-entropy has "
                    "its own softmax, so the softmax is taken twice.",
                    lambda s: _logarithms(_softmax(s.predictions)),
                ),
                "no-logarithm": (
                    "Your loss is minus the mean of the probabilities, not of their logarithms.",
                    lambda s: _softmax(s.predictions),
                ),
                "no-softmax": (
                    "Your loss is minus the mean of the logits, not of the logarithms of their "
                    "softmax.",
                    lambda s: s.predictions,
                ),
                "no-minus": (
                    "Your loss has the wrong sign: it is negative, and a worse model has a smaller "
                    "loss.",
                    {"costs": lambda s: _taken(s.logarithms, s.targets)},
                ),
                "base-2": (
                    "Your logarithms have base 2. The loss should use natural logarithms.",
                    {"costs": lambda s: -_taken(s.logarithms, s.targets) / np.log(2)},
                ),
                "softmax-over-positions": (
                    "The softmax runs over the positions. It should run over the vocabulary.",
                    lambda s: _logarithms(s.predictions, 1),
                ),
                "softmax-over-batch": (
                    "The softmax runs over the batch. It should run over the vocabulary.",
                    lambda s: _logarithms(s.predictions, 0),
                ),
                "reshaped-to-classes-second": (
                    "Your loss matches logits reshaped to (B, V, L), so positions and tokens are "
                    "mixed. F.cross_entropy accepts (B, V, L), but only from a transpose.",
                    _classes_second,
                ),
                "squared-error": (
                    "Your loss is the squared error of the probabilities. It should be the "
                    "cross-entropy.",
                    {"loss": lambda s: _average((_softmax(s.predictions) - _one_hot(s)) ** 2)},
                    {"costs": lambda s: ((_softmax(s.predictions) - _one_hot(s)) ** 2).sum(-1)},
                ),
                "each-word-yes-or-no": (
                    "Your loss asks a yes-or-no question for each token of the vocabulary (binary "
                    "cross-entropy). The cross-entropy uses only the probability of the correct "
                    "token.",
                    {"loss": lambda s: _average(_yes_or_no(s))},
                    {"costs": lambda s: _yes_or_no(s).sum(-1)},
                ),
                "share-of-right-guesses": (
                    "The result is the share of positions whose likeliest token is correct. It "
                    "should be the cross-entropy.",
                    {"costs": lambda s: (s.predictions.argmax(-1) == s.targets).astype(float)},
                ),
                "labels-smoothed": (
                    "Your targets are smoothed: a tenth of each target is divided equally among "
                    "all tokens.",
                    {
                        "costs": lambda s: (
                            -0.9 * _taken(s.logarithms, s.targets) - 0.1 * s.logarithms.mean(-1)
                        )
                    },
                ),
                "perplexity": (
                    "Your result is the exponential of the loss (the perplexity).",
                    {"loss": lambda s: np.exp(_average(s.costs))},
                ),
                "average-word": (
                    "Your loss is the mean over all tokens of the vocabulary. It should use only "
                    "the correct tokens.",
                    {"costs": lambda s: -s.logarithms.mean(-1)},
                ),
            },
        ),
        formulas(
            "loss",
            "Your loss is",
            "the mean of all predictions' losses",
            ("sum-for-mean", "the sum over all predictions", lambda s: s.costs.sum()),
            (
                "sum-over-positions",
                "the sum over the positions and the mean over the batch",
                lambda s: _average(s.costs.sum(1)),
            ),
            (
                "sum-over-batch",
                "the sum over the batch and the mean over the positions",
                lambda s: _average(s.costs.sum(0)),
            ),
            ("not-averaged", "one number for each prediction", lambda s: s.costs),
            (
                "mean-over-batch-only",
                "one number for each position",
                lambda s: _average(s.costs, 0),
            ),
            (
                "one-for-each-sentence",
                "one number for each sentence",
                lambda s: _average(s.costs, 1),
            ),
            (
                "first-sentence-only",
                "the mean of the first sentence",
                lambda s: _average(s.costs[0]),
            ),
            ("largest-loss", "the largest of all losses", lambda s: s.costs.max()),
            hints=MEAN,
        ),
        Family(
            "loss",
            MEAN,
            {
                "divided-by-length": (
                    "Your loss is the sum divided by B · L, but there are only B · (L − 1) losses.",
                    lambda s: s.costs.sum() / s.tokens.size,
                ),
                "word-0-left-out": (
                    "Targets with the number 0 are left out, like padding. In this exercise, 0 is "
                    "a normal token.",
                    lambda s: _average(s.costs[s.targets != 0]),
                ),
            },
        ),
    ),
    steps=STEPS,
    parameters=("logits", "tokens"),
    traits=(
        Trait(lambda s: len(s.tokens) > 1, "for batches of several", "for a batch of one"),
        Trait(
            lambda s: s.tokens.shape[1] > 2,
            "for sequences of more than two tokens",
            "for sequences of two tokens",
        ),
    ),
    labels={
        "predictions": "the logits without the last position",
        "logarithms": "the logarithms of the probabilities",
        "costs": "the losses of the tokens",
    },
    axes=lambda s: {
        "B": s.logits.shape[0],
        "L": s.logits.shape[1],
        "V": s.logits.shape[2],
        "L − 1": s.logits.shape[1] - 1,
    },
    facts=(
        Fact(
            "large-epsilon",
            _added,
            "Your loss matches a number added inside the logarithm: {}. It changes the loss.",
        ),
    ),
    caller=TensorCaller(),
    comparison=Comparison(
        precision=np.float32,
        read=as_one_number,
    ),
)


def probes(draw: int) -> Sequence[Probe]:
    rng = np.random.default_rng([35, draw])

    def case(batch: int, length: int, words: int, zeros: bool = True, scale: float = 2.0) -> Probe:
        tokens = rng.integers(0 if zeros else 1, words, size=(batch, length))
        if zeros:
            tokens[0, -1] = 0
        return float32_probe(Probe((scale * rng.normal(size=(batch, length, words)), tokens)))

    return [
        case(1, 2, 3),
        case(2, 3, 4),
        case(3, 4, 5),
        case(4, 4, 4),
        case(3, 5, 4, zeros=False),
        case(2, 7, 6),
        case(5, 3, 2),
        case(2, 4, 5, scale=30.0),
        case(3, 3, 6, scale=30.0),
    ]
