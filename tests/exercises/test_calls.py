"""Parameters are passed by position, but for those whose default is shown: these by their names."""

import pytest

from tests.conftest import ROOT

# What stands in the text, and a signature in which the names with a default are keyword-only.
BY_NAME = {
    "softmax": ("x, axis=-1)", "x, /, *, axis=-1)"),
    "scaled_dot_product_attention": ("Q, K, V, mask=None)", "Q, K, V, /, *, mask=None)"),
    "attention_patterns": ("weights, tokens, k=2)", "weights, tokens, /, *, k=2)"),
    "attention_heatmap": ("weights, tokens, title=None)", "weights, tokens, /, *, title=None)"),
    "train_and_generate": (
        "max_new_tokens, temperature=0.0, generator=None)",
        "max_new_tokens, /, *, temperature=0.0, generator=None)",
    ),
}


@pytest.mark.one_in(10)
@pytest.mark.parametrize("exercise", BY_NAME)
def test_names_with_a_default_may_be_keywords_alone(grade_text, exercise):
    old, new = BY_NAME[exercise]
    text = (ROOT / "solutions" / f"{exercise}.py").read_text()
    assert old in text
    report = grade_text(exercise, text.replace(old, new, 1))
    assert [check.finding for check in report.checks if check.outcome != "passed"] == []


def test_a_diagnosis_calls_by_name_too(grade_text):
    """A wrong answer with keyword-only names is named as any other."""
    text = (ROOT / "solutions" / "softmax.py").read_text()
    text = text.replace(*BY_NAME["softmax"]).replace("np.exp(", "np.exp2(")
    checks = grade_text("softmax", text).checks
    names = {name for c in checks if c.diagnosis for name in c.diagnosis.misconceptions}
    assert names == {"base-2"}


@pytest.mark.thorough
def test_a_recursion_of_several_calls_a_word_writes_as_well(grade_text):
    text = (ROOT / "solutions" / "train_and_generate.py").read_text() + (
        "\nby_loop = generate\n"
        "def write(tokens, model, count, temperature, generator):\n"
        "    if count == 0:\n        return tokens\n"
        "    return onward(by_loop(model, tokens, 1, temperature=temperature, "
        "generator=generator), model, count - 1, temperature, generator)\n"
        "def onward(*args):\n    return further(*args)\n"
        "def further(*args):\n    return write(*args)\n"
        "def generate(model, prompt, max_new_tokens, temperature=0.0, generator=None):\n"
        "    return write(prompt, model, max_new_tokens, temperature, generator)\n"
    )
    checks = grade_text("train_and_generate", text).checks
    assert [check.finding for check in checks if check.outcome != "passed"] == []
