"""Follow-through: results that are right for the student's own wrong steps.

Each function gets the results of the student's step from `steps`, an `OwnSteps`. All other steps
are correct.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from autograder.author import (
    Mismatch,
    OwnSteps,
    StudentProblem,
    expect_results,
    expect_shape,
    is_responsive,
    tensor,
)
from reference.attention import Array, attention, scale, scores, softmax
from reference.generating import Tokens
from reference.heads import merge_heads, split_heads
from reference.kit import kit_of
from reference.scaling import Distribution, sampling_distributions

State = Mapping[str, Any]
Softmax = Callable[[Array], Array]


def own_count_visible(steps: OwnSteps, size: int) -> Array:
    """Return the number of visible positions for each query, by the student's own mask."""
    return steps.ask(lambda own, n: own.create_causal_mask(n), size).sum(axis=-1)


def own_masked_weights(steps: OwnSteps, given: Array, mask: npt.NDArray[Any]) -> Array:
    """Return the weights, computed with the student's `apply_mask`."""
    blocked = steps.ask(lambda own, x: own.apply_mask(x, mask), given)
    return softmax(blocked)


def own_attention(
    steps: OwnSteps | None, place: int, Q: Array, K: Array, V: Array, mask: Any = None
) -> Array:
    """Return the output or the weights. Without `steps`, use the correct softmax."""
    return attention(Q, K, V, mask, _softmax(steps))[place]


def own_attention_with_zeros(
    steps: OwnSteps | None, place: int, Q: Array, K: Array, V: Array, mask: Any
) -> Array:
    """Return the result of `own_attention` without a mask. Blocked scores are set to 0."""
    scaled = scale(scores(Q, K), Q.shape[-1])
    weights = _softmax(steps)(np.where(mask, scaled, 0.0))
    return (weights @ V, weights)[place]


def _softmax(steps: OwnSteps | None) -> Softmax:
    if not steps:
        return softmax
    return lambda x: steps.ask(lambda mine, x: mine.softmax(x), x)


def own_distributions(steps: OwnSteps, sizes: Any) -> dict[int, Mapping[str, Distribution]] | None:
    """Return the distributions by dimension, measured with the student's entropy.

    If the student's function cannot compute many trials at once, it is called once per trial. If it
    is unusable, return None.
    """

    def of_all(own: Any, weights: Array) -> Array:
        return expect_shape(own.attention_entropy(weights), weights.shape[:-1])

    def of_each(own: Any, weights: Array) -> Array:
        return np.array([[np.mean(own.attention_entropy(trial))] for trial in weights])

    return _distributions(steps, sizes, of_all) or _distributions(steps.anew(), sizes, of_each)


def _distributions(
    steps: OwnSteps, sizes: Any, entropy: Callable[[Any, Array], Array]
) -> dict[int, Mapping[str, Distribution]] | None:
    def own_entropy(weights: Array) -> Array:
        return steps.ask(entropy, weights)

    try:
        found = {
            d: sampling_distributions(d, sizes.seq_len, entropy=own_entropy)
            for d in sizes.dimensions
        }
        return found if is_responsive(steps) else None
    except (Mismatch, StudentProblem, ValueError, TypeError):
        return None


def own_row_softmax(steps: OwnSteps, scores: Array) -> Array:
    """Return the weights, computed with the student's `row_softmax`."""
    return steps.ask(lambda mine, x: mine.row_softmax(x), scores)


def own_repaired(steps: OwnSteps, name: str, args: tuple[Any, ...]) -> tuple[Array, ...]:
    """Return the results of a repaired function that calls the student's own `row_softmax`."""

    def weights(scores: Array) -> Array:
        return own_row_softmax(steps, scores)

    if name == "masked_heads":
        scores, mask = args
        return (weights(np.where(mask[:, np.newaxis] if mask.ndim == 3 else mask, scores, -1e9)),)
    if name == "batched_attention":
        Q, K, V = args
        return attention(Q, K, V, None, weights)
    x, *matrices, W_o, count = args
    Q, K, V = (split_heads(x @ W, count) for W in matrices)
    output, own = attention(Q, K, V, None, weights)
    return merge_heads(output) @ W_o, own


def sharper(weights: Array) -> Array:
    """Return other weights. Each row sums to 1 and is less even."""
    squares = weights**2
    return squares / squares.sum(axis=-1, keepdims=True)


def own_self_attention(
    steps: OwnSteps, bare: Any, inputs: tuple[Array, ...], state: State, place: int
) -> Array:
    """Return the output of a correct SelfAttention around the student's own attention."""

    def ask(mine: Any, x: Array) -> Any:
        query, key, value = (x @ state[f"W_{name}.weight"].T for name in "qkv")
        own = bare.of(mine)
        return own.answers(own.run((), (query, key, value, *mask), {}).value)[place]

    x, *mask = inputs
    found = steps.ask(ask, x)
    return found if place else found @ state["W_o.weight"].T


def own_logits(
    steps: OwnSteps, block: Any, sizes: tuple[int, ...], tokens: Tokens, state: State
) -> Array:
    """Return the logits of a correct model around the student's own block."""
    _, d_model, heads, d_ff, _ = sizes
    x = state["token_embedding.weight"][tokens]
    x = x + state["position_embedding.weight"][: tokens.shape[1]]
    causal = np.tril(np.ones((tokens.shape[1],) * 2, bool))
    own = {
        name.removeprefix("block."): value
        for name, value in state.items()
        if name.startswith("block.")
    }
    made_with = (d_model, heads, d_ff)
    found = steps.ask(lambda mine, x: block.of(mine).output(made_with, (x, causal), own), x)
    weight = state["output_projection.weight"].astype(float)
    logits: Array = found @ weight.T + state["output_projection.bias"]
    return logits


def own_words(
    steps: OwnSteps,
    weights: tuple[Array, Array],
    prompt: Tokens,
    count: int,
    limit: int,
    form: str,
) -> list[int]:
    """Return the sequence of words that the student's own code chooses."""
    from reference.checks.trained_models import run_generate

    tokens = list(prompt)

    def choice(mine: Any, context: Tokens) -> Any:
        kit = kit_of(mine)
        model = kit.MeanModel.kept(*(tensor(each) for each in weights))
        return run_generate(mine, model, context, 1, form=form)[-1:]

    for _ in range(count):
        tokens.append(int(steps.ask(choice, np.array(tokens[-limit:]))[0]))
        steps.comes_to(len(tokens) - 1, tokens[-1])
    return tokens


def own_losses(
    steps: OwnSteps, weights: tuple[Array, Array], batches: Sequence[Tokens], count: int, lr: float
) -> list[float]:
    """Return the losses of a correct training with the student's own loss."""
    import torch

    from reference import small_models
    from reference.checks.trained_models import one_number

    model = small_models.MeanModel(*(torch.from_numpy(each).double() for each in weights))
    optimizer = torch.optim.AdamW(model.parameters(), lr=lr)
    losses = []

    def own_loss(mine: Any, logits: Array) -> Any:
        """Return the loss, then its gradient with respect to the logits."""
        kit = kit_of(mine)
        own = mine.kept_value("next_token_loss")
        both = kit.with_gradient(own, tensor(logits), tensor(tokens))
        loss, gradient = expect_results(both, ("loss", "gradient"), "next_token_loss")
        found = expect_shape(gradient, logits.shape, "the gradient")
        return np.append(one_number(loss), found.ravel())

    for step in range(count):
        tokens = batches[step % len(batches)]
        logits = model(torch.from_numpy(tokens))
        loss, *gradient = steps.ask(own_loss, logits.detach().numpy())
        steps.comes_to(step, float(loss))
        optimizer.zero_grad()
        logits.backward(torch.tensor(gradient, dtype=torch.float64).reshape(logits.shape))
        optimizer.step()
        losses.append(float(loss))
    return losses
