"""The numbers in the lessons' texts are those that their own examples give."""

import re

import numpy as np
import pytest

from lessons import attention_patterns, scaling_experiment, train_and_generate
from reference import caching, choosing
from reference.attention import attention, scale, scores, softmax
from reference.biases import alibi, alibi_slopes
from reference.blocks import layer_norm, rms_norm, silu, swiglu
from reference.by_hand import STEPS, hand_problem
from reference.decoders import cross_attention, decoder_layer, first_sum
from reference.gradients import attention_backward, softmax_backward
from reference.grouped import grouped_attention, window_mask
from reference.heads import split_heads
from reference.online import empty, merge, tiled_attention
from reference.rotations import angles, rotary_scores, rotate
from reference.sinusoids import sinusoid
from tests.conftest import ROOT

TWO = np.sqrt(2)


def text_of(lesson):
    """The text cells of a lesson, on one line."""
    lines = (ROOT / "solutions" / f"{lesson}.py").read_text(encoding="utf-8").split("\n")
    return " ".join(" ".join(line[1:] for line in lines if line.startswith("#")).split())


def row(values, digits=3, between=",\\ "):
    return between.join(f"{value:.{digits}f}" for value in values)


def entropy(weights):
    positive = weights[weights > 0]
    return float(-(positive * np.log(positive)).sum())


def by_hand():
    q, keys = np.array([[1.0, 2.0]]), np.array([[1.0, 0.0], [0.0, 2.0]])
    (found,) = scores(q, keys)
    assert list(found) == [1, 4]
    low, high = scale(found, 2)
    first, second = np.exp([low, high])
    yield f"$\\sqrt 2 = {TWO:.3f}$ they are ${low:.3f}$ and ${high:.3f}$"
    yield f"The exponentials are ${first:.3f}$ and ${second:.3f}$"
    yield "weights are ${:.3f}$ and ${:.3f}$".format(*softmax(found / TWO))


def of_softmax():
    exponentials = np.exp([1.0, 2.0, 3.0])
    yield f"the exponentials are ${row(exponentials)}$"
    yield f"Their sum is ${exponentials.sum():.3f}$"
    yield f"the softmax is $[{row(softmax([1.0, 2.0, 3.0]))}]$"
    yield f"close to `[{softmax([1.0, 2.0, 3.0])[0]:.2f} {row(softmax([1.0, 2.0, 3.0])[1:], 3, ' ')}]`"
    yield f"exponentials: {row(exponentials, 2, ', ')}, with the sum {exponentials.sum():.2f}"


def of_projection():
    x, W_Q = np.array([[1, 2]]), np.array([[1, 0, 1], [0, 1, 1]])
    yield f"= {(x @ W_Q)[0].tolist()}$"
    W_K = np.array([[0, 1, 1], [1, 0, 1]])
    yield f"the key `[[{' '.join(f'{k}.' for k in (x @ W_K)[0])}]]`, the value `[[{x.sum()}.]]`"


def of_attention():
    Q, K, V = (np.array(m, float) for m in ([[1, 0]], [[1, 1], [0, 2]], [[2, 0], [1, 2]]))
    output, weights = attention(Q, K, V)
    one, two = weights[0]
    yield f"$0$; divided by $\\sqrt 2$: ${1 / TWO:.3f}$ and $0$. The weights are ${one:.3f}$ and ${two:.3f}$"
    yield f"${one:.3f} \\cdot [2, 0] + {two:.3f} \\cdot [1, 2] = [{row(output[0])}]$"
    assert np.allclose(weights.round(3) @ V, output.round(3), atol=1e-9)  # as printed
    yield f"output to `[[{row(output[0], 2, ' ')}]]`"


def of_mask():
    yield f"weights $[{row(softmax(np.array([1.0, 2.0])))},\\ 0]$"
    yield f"the exponentials are ${row(np.exp([1.0, 2.0]))},\\ 0$"


def of_scaling():
    half = np.array([0.5, 0.5])
    yield f"$\\ln 2 = {entropy(half):.3f}$"
    jacobian = np.diag(half) - np.outer(half, half)
    assert np.allclose(abs(jacobian), 0.25)
    yield f"the norm is ${np.sqrt((jacobian**2).sum()):.1f}$"
    unit = scaling_experiment.ROW - scaling_experiment.ROW.mean()
    unit /= scaling_experiment.ROW.std()
    found = [entropy(softmax(spread * unit)) for spread in scaling_experiment.SPREADS]
    yield "entropies are {:.2f}, {:.2f} and {:.2f} nats".format(*found)


def of_patterns():
    weights = softmax(np.eye(2) / TWO)
    one, two = weights[0]
    said = f"{one:.3f} \\ln {one:.3f} + {two:.3f} \\ln {two:.3f}"
    yield f"$-({said}) = {entropy(weights[0]):.3f}$"
    a, b = round(one, 3), round(two, 3)
    assert f"{-(a * np.log(a) + b * np.log(b)):.3f}" == f"{entropy(weights[0]):.3f}"
    itself, pairs = attention_patterns.ITSELF, attention_patterns.PAIRS
    yield f"{itself[0, 0]:.2f} on the diagonal and {itself[0, 1]:.2f} elsewhere"
    yield f"blocks of {pairs[0, 0]:.2f}"


def of_dropout():
    for kept in ([0, 1, 1, 0], [1, 0, 0, 1], [0, 0, 1, 0]):
        left = np.array([0.1, 0.2, 0.3, 0.4]) * kept / (1 - 0.5)
        yield " | ".join([*(f"{x:.1f}" if x else "0" for x in left), f"{left.sum():.1f}"])


def of_heads():
    query, key = np.array([1, 2, 3, 4]), np.array([1, 0, 0, 1])
    first, second = query[:2] @ key[:2], query[2:] @ key[2:]
    yield f"= {first}$ in head 0"
    yield f"= {second}$ in head 1"
    yield f"score ${first} + {second} = {query @ key}$"


def of_training():
    (_, right) = softmax(np.array([0.0, 1.0]))
    yield f"$e / (1 + e) = {right:.3f}$, so the loss is $-\\ln {right:.3f} = {-np.log(right):.3f}$"
    yield f"$\\ln V$: ${np.log(2):.3f}$ here"
    for temperature in (0.5, 1, 2):
        found = softmax(train_and_generate.LOGITS / temperature)
        yield f"T = {temperature:g}: {row(found, 2, ', ')}"


def of_positions():
    pe = sinusoid(3, 4, 100)
    assert pe[0].tolist() == [0, 1, 0, 1]
    yield f"\\cos 0.1] = [{row(pe[1])}]$"
    yield f"position 2 gives $[{row(pe[2])}]$"
    dot = pe[0] @ pe[1]
    assert np.isclose(dot, pe[1] @ pe[2])  # as the text asks the reader to check
    yield f"$\\cos 1 + \\cos 0.1 = {dot:.3f}$"
    yield f"${dot:.3f} / 4 = {dot / 4:.3f}$"


def of_relative_bias():
    (bias,) = alibi(4, 1, 4)[0]
    comma = ",\\ "
    yield f"[3, 2, 1, 0] = [{comma.join(f'{each:g}' for each in bias)}]$"
    yield f"the weights are $[{row(softmax(bias))}]$"
    divisors = [f"{1 / slope:.0f}" for slope in alibi_slopes(6)]
    fractions = [f"\\tfrac{{1}}{{{each}}}" for each in divisors]
    yield f"The result is $[{', '.join(fractions)}]$"
    first, *_, last = softmax(alibi(4, 1, 8))[0, 0]
    yield f"fall from {last:.2f} at the token itself to {first:.2f}"


def of_rotary():
    query, key = np.array([[3.0, 4.0]]), np.array([[1.0, 2.0]])

    def at(x, position):
        return rotate(x, np.array([[position * np.pi / 2]]))[0]

    yield f"$q = [3, 4]$ becomes $[{row(at(query, 1), 0, ', ')}]$ at position 1"
    for place in (1, 2):
        q, k = at(query, place), at(key, place - 1)
        yield f"$[{row(q, 0, ', ')}] \\cdot [{row(k, 0, ', ')}] ="
        assert np.isclose(q @ k, 2)
    (turned,) = angles([3], 4, 100)
    yield f"Position 3 has the angles $[{', '.join(f'{each:g}' for each in turned)}]$"
    (diagonal, first), *_ = rotary_scores(*2 * [np.array([[1.0, 0.0], [1.0, 0.0]])])
    assert np.round([diagonal, first], 3).tolist() == [0.707, 0.382]  # in a hint


def of_block_parts():
    x, ones = np.array([1.0, 7.0]), np.ones(2)
    assert np.allclose(layer_norm(x, 2 * ones, 0 * ones, 0.0), [-2, 2])
    gained = layer_norm(x, np.array([2.0, 10.0]), np.array([0.0, 5.0]), 0.0)
    yield f"$b = [0, 5]$ it is $[{row(gained, 0, ', ')}]$"
    yield f"the result $[{row((x - 4) / x.std(ddof=1), 3, ', ')}]$"
    yield f"is divided by 5: $[{row(rms_norm(x, ones, 0.0), 1, ', ')}]$"
    tiny = np.array([-1e-4, 1e-4])
    inside, outside = np.sqrt(tiny.var() + 1e-5), tiny.std() + 1e-5
    yield f"= {inside:.5f}$. Outside, it would be $0.0001 + 0.00001 = {outside:.5f}$"
    yield f"the result {inside / outside:.0f} times larger"
    yield f"$\\mathrm{{silu}}(1) = {silu(np.array(1.0)):.3f}$"
    column, both, out = np.array([[1.0], [0.0]]), np.ones((2, 1)), np.array([[1.0, 2.0]])
    passed = swiglu(np.array([1.0, 2.0]), column, both, out)
    comma = ",\\ "
    yield f"and the result is $[{row(passed, 3, comma)}]$"


def of_grouped_queries():
    per_token = 2 * 32 * 32 * 128 * 2
    yield f"= {per_token:,}$ bytes".replace(",", "{,}")
    assert per_token * 4096 == 2 * 2**30
    assert per_token * 4096 // 4 == 512 * 2**20
    values = np.array([2.0, 4.0, 10.0, 30.0]).reshape(2, 2, 1)
    output, weights = grouped_attention(np.zeros((4, 1, 1)), np.ones((2, 2, 1)), values)
    assert (weights == 0.5).all()
    yield f"are the means ${row(output.ravel(), 0, ', ')}$"
    yield f"The outputs would be ${row(output.ravel()[[0, 2, 1, 3]], 0, ', ')}$"
    assert window_mask(6, 3).sum(axis=1).tolist() == [1, 2, 3, 3, 3, 3]
    yield f"$32 \\cdot 4095 = {32 * 4095:,}$".replace(",", "{,}")


def of_sampling():
    chances = np.array([0.25, 0.5, 0.1, 0.15])
    logits, comma = np.log(chances), ",\\ "
    squares = ",\\ ".join(f"{square:.4g}" for square in chances**2)
    yield f"squares ${squares}$ with the sum ${(chances**2).sum():.3f}$"
    yield f"So the new probabilities are $[{row(choosing.temperature(logits, 0.5), 3, comma)}]$"
    yield f"they shrink, to $[{row(choosing.temperature(logits, 2.0), 3, comma)}]$"
    assert np.isfinite(choosing.top_k(logits, 3)).tolist() == [True, True, False, True]
    assert np.isfinite(choosing.top_p(logits, 0.7)).tolist() == [True, True, False, False]
    assert choosing.draw(chances, 0.6) == 1


def of_cross_attention():
    x, memory = np.array([[1.0, 0.0], [0.0, 2.0]]), np.array([[0.0, 1], [1, 2], [9, 9]])
    W_q, W_k, W_v = np.ones((2, 1)), np.eye(2)[:, :1], np.eye(2)[:, 1:]
    cross, is_real = (W_q, W_k, W_v, np.array([[1.0, -1.0]])), np.array([True, True, False])
    output, weights = cross_attention(x, memory, *cross, is_real)
    shares = [f"[{row(each[:2], 3, ', ')}, 0]$" for each in weights]
    yield f"${shares[0]} and ${shares[1]}"
    yield f"the values are {output[0, 0]:.3f} and {output[1, 0]:.3f}"
    unmasked = cross_attention(x, memory, *cross)[1]
    yield f"without the mask? $[{row(unmasked[0], 3, ', ')}]$"
    inside = np.zeros((2, 2)), np.eye(2), np.eye(2), np.eye(2)
    assert np.allclose(first_sum(x, inside), [[2, 0], [0.5, 3]])
    z = decoder_layer(x, memory, inside, cross, is_real)
    cells = " \\\\ ".join(" & ".join(f"{each:.3f}" for each in line) for line in z)
    yield f"z = \\begin{{bmatrix}} {cells} \\end{{bmatrix}}"


def of_gradients():
    p, dp = np.array([0.5, 0.25, 0.25]), np.array([4.0, 0.0, 8.0])
    yield f"= [{row(softmax_backward(p, dp), 0)}]$"
    q, k = np.array([[2.0, 0, 0, 0]]), np.array([[1.0, 2, 0, 0], [1, 0, 4, 0]])
    dq, dk, dv = attention_backward(q, k, np.array([[4.0], [0]]), None, np.ones((1, 1)))
    yield f"divided by 2: $[{row(dq[0], 0)}]$"
    yield f"the rows ${dk[0].astype(int).tolist()}$ and ${dk[1].astype(int).tolist()}$"
    assert dv.tolist() == [[0.5], [0.5]]
    errors = (2.01**3 - 8) / 0.01 - 12, (2.01**3 - 1.99**3) / 0.02 - 12
    yield "the first error is ${:.4f}$, and the second is ${:.4f}$".format(*errors)


def of_kv_cache():
    x, first, second = np.array([[1.0, 2.0], [2, 1], [1, 3]]), np.eye(2)[:, :1], np.eye(2)[:, 1:]
    weights = first, first, second, np.array([[1.0, 0.0]])
    outputs = caching.step(x, None, *weights)[0]
    yield f"= {outputs[1, 0]:.3f}$. The third token"
    yield f"and the output $[{outputs[2, 0]:.3f}, 0]$"
    shares = [softmax(np.array(each)) for each in ([2.0, 4.0], [1.0, 2.0, 1.0])]
    yield f"and the weights $[{row(shares[0], 3, ', ')}]$"
    yield f"weights $[{row(shares[1], 3, ', ')}]$"
    mask = caching.step_mask(2, 3).astype(float)
    yield f"\\begin{{bmatrix}} {row(mask[0], 0, ' & ')} \\\\ {row(mask[1], 0, ' & ')} \\end{{bmatrix}}"
    assert 3 + 4 + 5 + 6 == 18
    per_token = caching.cache_bytes(40, 40, 128, 1)
    yield f"= {per_token:,}$ bytes".replace(",", "{,}")
    yield f"it needs {per_token * 2048 / 1e9:.1f} GB"


def of_online_softmax():
    state, v = empty((1,), 1), np.array([[1.0], [4.0], [10.0]])
    scores = np.log([[1.0, 2.0, 4.0]])
    m, total, output = (float(x.item()) for x in merge(*state, scores[:, :2], v[:2]))
    assert np.isclose(m, np.log(2))
    yield f"$\\ell = \\tfrac{{1}}{{2}} + 1 = {total:g}$ and"
    yield f"\\cdot 4 = {output:g}$"
    state = merge(*(np.array(x) for x in ([m], [total], [[output]])), scores[:, 2:], v[2:])
    yield f"$\\ell = {total / 2:g} + 1 = {state[1].item():g}$"
    yield f"$o = {output / 2:g} + 10 = {state[2].item():g}$"
    last = tiled_attention(np.ones((1, 1)), scores.T, v, 1).item()
    yield f"${state[2].item():g} / {state[1].item():g} = {last:g}$"
    yield f"$(1 + 8 + 40) / 7 = {last:g}$"


LESSONS = {
    "hand_computation": by_hand,
    "softmax": of_softmax,
    "qkv_projection": of_projection,
    "scaled_dot_product_attention": of_attention,
    "causal_mask": of_mask,
    "scaling_experiment": of_scaling,
    "attention_patterns": of_patterns,
    "self_attention": of_dropout,
    "multi_head_attention": of_heads,
    "train_and_generate": of_training,
    "positions": of_positions,
    "rotary": of_rotary,
    "relative_bias": of_relative_bias,
    "block_parts": of_block_parts,
    "grouped_queries": of_grouped_queries,
    "online_softmax": of_online_softmax,
    "attention_gradient": of_gradients,
    "sampling": of_sampling,
    "cross_attention": of_cross_attention,
    "kv_cache": of_kv_cache,
}


@pytest.mark.parametrize("lesson", LESSONS)
def test_the_numbers_of_a_lesson_are_what_its_example_gives(lesson):
    text = text_of(lesson)
    absent = [said for said in LESSONS[lesson]() if said not in text]
    assert absent == []


def test_the_layer_norm_of_the_lesson():
    x = np.array([1.0, 3.0])
    found = ((x - x.mean()) / x.std()).astype(int).tolist()
    said = f"mean {x.mean():.0f} and standard deviation {x.std():.0f}, so it becomes `{found}`"
    assert said in text_of("language_model")


def test_the_heads_of_the_lesson():
    tokens = np.arange(1, 9).reshape(1, 2, 4)
    text = text_of("multi_head_reshape")
    for number, head in enumerate(split_heads(tokens, 2)[0]):
        rows = r" \\ ".join(" & ".join(map(str, each)) for each in head)
        assert rf"head {number}: }} \begin{{bmatrix}} {rows} \end{{bmatrix}}" in text
    first, second = tokens.reshape(1, 2, 2, 2)[0, 0].tolist()
    assert f"the rows ${first}$ and ${second}$" in text


def test_the_solution_by_hand_is_the_exact_one_rounded():
    text = (ROOT / "solutions" / "hand_computation.py").read_text(encoding="utf-8")
    given = {}
    solved = re.findall(r"### BEGIN SOLUTION\n(.*?)### END SOLUTION", text, re.DOTALL)
    exec("\n".join(solved), given)
    problem = hand_problem("")
    for letter, part in problem.parts.items():
        for step in STEPS:
            assert np.allclose(given[f"{letter}_{step}"], part.exact(step), rtol=0, atol=6e-4)
    assert np.allclose(given["c_masked_row"], problem.masked_row, rtol=0, atol=6e-4)
