"""In every exercise, what a function keeps of an earlier call costs points, and has a name."""

import pytest

from autograder.submission.source import Source
from autograder.worker.messages import Unit
from tests.conftest import ROOT

# For each kind of memory: the exercise, and what is changed in its solution.
KEEPS = {
    "softmax: the first array of that shape": (
        "softmax",
        ("\ndef softmax(", "\ndef _right("),
        "kept = {}\n\n"
        "def softmax(x, axis=-1):\n"
        "    if np.shape(x) == (3, 4):\n"
        "        x = kept.setdefault('x', x)\n"
        "    return _right(x, axis)\n",
    ),
    "qkv_projection: the matrices of the first call of those sizes": (
        "qkv_projection",
        ("\ndef project_qkv(", "\ndef _right("),
        "kept = {}\n\n"
        "def project_qkv(X, *W):\n"
        "    W = kept.setdefault(tuple(w.shape for w in (X, *W)), W)\n"
        "    return _right(X, *W)\n",
    ),
    "scaled_dot_product_attention: the last mask": (
        "scaled_dot_product_attention",
        ("\ndef scaled_dot_product_attention(", "\ndef _right("),
        "kept = []\n\n"
        "def scaled_dot_product_attention(Q, K, V, mask=None):\n"
        "    if mask is None and kept and kept[-1].shape[-2:] == (Q.shape[-2], K.shape[-2]):\n"
        "        mask = kept[-1]\n"
        "    elif mask is not None:\n"
        "        kept.append(np.asarray(mask))\n"
        "    return _right(Q, K, V, mask)\n",
    ),
    "causal_mask: the first mask of that shape": (
        "causal_mask",
        ("\ndef masked_attention_weights(", "\ndef _right("),
        "kept = {}\n\n"
        "def masked_attention_weights(scores, mask):\n"
        "    shape = np.shape(scores)\n"
        "    return _right(scores, kept.setdefault((shape, np.shape(mask)), mask)\n"
        "                  if shape == (5, 5) else mask)\n",
    ),
    "attention_patterns: the first embeddings of that shape": (
        "attention_patterns",
        ("\ndef analyze_pattern(", "\ndef _right("),
        "kept = {}\n\n"
        "def analyze_pattern(embeddings):\n"
        "    if embeddings.shape == (3, 4):\n"
        "        embeddings = kept.setdefault(len(kept) // 3, embeddings)\n"
        "    return _right(embeddings)\n",
    ),
    "multi_head_reshape: the first array of those sizes": (
        "multi_head_reshape",
        ("\ndef merge_heads(", "\ndef _right("),
        "kept = {}\n\n"
        "def merge_heads(x):\n"
        "    if x.shape[2:] == (7, 6):\n"
        "        x = kept.setdefault('x', x)\n"
        "    return _right(x)\n",
    ),
    "attention_heatmap: the current axes": (
        "attention_heatmap",
        (
            'figure, axes = plt.subplots(layout="constrained")',
            "figure, axes = plt.gcf(), plt.gca()",
        ),
        "",
    ),
    "scaling_experiment: the current figure": (
        "scaling_experiment",
        (
            'figure, panels = plt.subplots(1, 3, figsize=(12, 3.5), layout="constrained")',
            "figure = plt.gcf()\n"
            "    panels = [figure.add_subplot(1, 3, place) for place in (1, 2, 3)]",
        ),
        "",
    ),
    "find_the_bug: the first array of that shape": (
        "find_the_bug",
        ("\ndef row_softmax(", "\ndef _right("),
        "kept = {}\n\n"
        "def row_softmax(x):\n"
        "    if x.shape == (3, 5):\n"
        "        kept[len(kept)] = x\n"
        "        x = kept[max(0, len(kept) - 2)]\n"
        "    return _right(x)\n",
    ),
}


def changed(exercise, change, more):
    solution = (ROOT / "solutions" / f"{exercise}.py").read_text()
    old, new = change
    assert old in solution, f"{exercise} has no {old!r} any more"
    return f"{solution.replace(old, new, 1)}\n\n{more}"


@pytest.mark.one_in(12)
@pytest.mark.parametrize("memory", KEEPS)
def test_what_is_kept_costs_its_check_and_is_named(grade_source, memory):
    exercise, change, more = KEEPS[memory]
    label = f"{exercise}.py"
    report = grade_source(Source(exercise, label, (Unit(label, changed(exercise, change, more)),)))
    lost = [check for check in report.checks if check.outcome != "passed"]
    assert lost
    assert report.points >= 0.6 * report.max_points, [check.finding for check in lost]
    names = {n for c in lost if c.diagnosis for n in c.diagnosis.misconceptions}
    assert "remembers" in names or exercise == "scaled_dot_product_attention"  # its values differ


CACHES = {
    "softmax": "import functools\nfor_shape = functools.lru_cache()(lambda n: n)\n",
    "causal_mask": "import functools\ncreate_causal_mask = functools.lru_cache()"
    "(create_causal_mask)\n",
}


@pytest.mark.parametrize("exercise", CACHES)
def test_a_cache_that_changes_nothing_costs_nothing(grade_source, exercise):
    solution = (ROOT / "solutions" / f"{exercise}.py").read_text()
    label = f"{exercise}.py"
    report = grade_source(
        Source(exercise, label, (Unit(label, f"{solution}\n{CACHES[exercise]}"),))
    )
    assert report.points == report.max_points


def test_a_changed_argument_is_named_beside_another_mistake(grade_text):
    report = grade_text(
        "softmax",
        """
        import numpy as np

        def softmax(x, axis=-1):
            x = np.asarray(x, dtype=float)
            x -= x.max(axis=axis, keepdims=True)
            e = np.exp(x)
            return e / e.mean(axis=axis, keepdims=True)
        """,
    )
    said = next(check.diagnosis.finding for check in report.checks if check.diagnosis)
    assert said == (
        "Your numbers are the exponentials divided by their mean, instead of their sum. Your code "
        "changes its argument x, so the caller's array is changed."
    )


def test_a_mistake_is_named_beside_results_that_depend_on_earlier_calls(grade_text):
    report = grade_text(
        "scaled_dot_product_attention",
        """
        import numpy as np

        kept = {}

        def scaled_dot_product_attention(Q, K, V, mask=None):
            scores = Q @ np.swapaxes(K, -1, -2) / np.sqrt(Q.shape[-1])
            if mask is not None:
                kept["mask"] = np.array(mask, dtype=bool)
            if "mask" in kept:
                scores = np.where(kept["mask"], scores, -np.inf)
            e = np.exp(scores)
            weights = e / e.sum(axis=-1, keepdims=True)
            return weights @ V, weights
        """,
    )
    said = " ".join(check.diagnosis.finding for check in report.checks if check.diagnosis)
    assert "A call alone shows another mistake. The result is right for small scores." in said
