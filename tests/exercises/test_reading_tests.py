"""What the source of a student's test shows: why it accepts broken functions, or rejects right ones."""

import ast
import textwrap

import pytest

from reference.reading_tests import why_it_accepts, why_it_rejects
from tests.conftest import ROOT

RIGHT = [
    ROOT / "solutions/find_the_bug.py",
    *sorted((ROOT / "examples/right/find_the_bug").glob("*.py")),
]
EXPECTED = "e = np.exp(x)\nexpected = e / e.sum(-1, keepdims=True)\n"


def parsed(body, name="row_softmax"):
    text = f"def test_{name}(implementation):\n" + textwrap.indent(body, "    ")
    return ast.parse(text).body[0]


def defined(name):
    """Return a helper of the test: one that cannot reject an answer, or one that can."""
    text = {
        "harmless": "def harmless(x):\n    return np.exp(x)",
        "same": "\n" * 9 + "def same(x, y):\n    assert (x == y).all()",
        "asserting": "def asserting(x):\n    return same(x, 1)",
    }.get(name)
    return None if text is None else ("f.py", ast.parse(text).body[0])


@pytest.mark.parametrize(
    ("body", "mistake"),
    [
        ("assert np.allclose(row_softmax(x), expected)", "ignores-its-argument"),
        (
            "try:\n    assert implementation(x) is None\nexcept AssertionError:\n    print('no')",
            "catches-its-assertion",
        ),
        (
            "try:\n    same(implementation(x), expected)\nexcept Exception:\n    print('no')",
            "catches-its-assertion",
        ),
        ("assert (np.allclose(implementation(x), expected), 'no')", "asserts-a-tuple"),
        ("print(np.allclose(implementation(x), expected))", "prints-its-verdict"),
        ("return np.allclose(implementation(x), expected)", "returns-its-verdict"),
        ("right = slow(x)\nreturn np.allclose(implementation(x), right)", "returns-its-verdict"),
        ("implementation(x) == expected", "no-assert"),
        ("assert implementation is not broken_row_softmax", "looks-at-the-function"),
        ("assert implementation(x).all() == expected.all()", "compares-truth-values"),
        ("assert implementation(x).shape == x.shape", "compares-only-shapes"),
        ("s = implementation(x).sum(-1)\nassert np.allclose(s, 1)", "compares-only-sums"),
        ("w = implementation(x)\nassert (w > 0).all()", "compares-only-bounds"),
        ("assert not np.allclose(implementation(x), bad)", "asserts-only-differences"),
        (
            "y = implementation(x)\nassert y.ndim == 2\nassert not np.isnan(y).any()",
            "compares-only-shapes",
        ),
        ("ok = np.allclose(implementation(x), harmless(x))\nreturn ok", "returns-its-verdict"),
    ],
)
def test_why_a_test_accepts_broken_functions(body, mistake):
    assert why_it_accepts("f.py", parsed(body), defined).mistake == mistake


@pytest.mark.parametrize(
    ("body", "says"),
    [
        ("y, _ = implementation(x)\nassert np.allclose(y, right)", "never uses the weights"),
        ("w = implementation(x)[1]\nassert np.allclose(w, right)", "never uses the output"),
        ("y, w = implementation(x)\nassert np.allclose(y, right) and np.allclose(w, z)", None),
        ("y = implementation(x)\nassert np.allclose(y[0], right)", None),
        ("y, _ = implementation(x)\nassert np.allclose(y, implementation(x)[1])", None),
    ],
)
def test_a_test_that_ignores_a_result(body, says):
    fact = why_it_accepts("f.py", parsed(body, "multi_head_forward"))
    assert fact is None if says is None else says in fact.says


@pytest.mark.parametrize(
    "condition",
    [
        "not abs(y - right) > 1e-7",
        "not np.any(abs(y - right) >= 1e-7)",
        "not 1e-7 < abs(y - right)",
        "not (y != right).any()",
        "not np.any(y - right)",
        "np.abs(np.subtract(y, right)).max() < 1e-6",
        "math.dist(y[0], right[0]) < 1e-6",
        "np.allclose(y, 1 / x.shape[-1])",
        "np.allclose(y[0], sum(w[j] * V[j] for j in range(3)))",
        "np.allclose(y, (w[..., None] * V).sum(-2))",
        "y[0, 0] == 0.5",
        "round(y[0, 0], 4) == 0.7311",
        "implementation is not None and np.allclose(y, right)",
    ],
)
def test_a_condition_about_the_right_numbers_is_not_blamed(condition):
    assert why_it_accepts("f.py", parsed(f"y = implementation(x)\nassert {condition}")) is None


@pytest.mark.parametrize(
    "body",
    [
        "d = implementation(x)\nd -= right\nassert np.abs(d).max() < 1e-6",
        "y, d = implementation(x), []\nd.append(abs(y - right))\nassert max(d) < 1e-6",
        "implementation = implementation(x)\nassert (implementation == right).all()",
        "y = implementation(x)\nassert y.ndim == 1\nif abs(y - right).max() > 1e-6: raise Wrong",
        "CHECKS[0](implementation)",
        "if not np.allclose(implementation(x), right): pytest.fail('wrong')",
    ],
)
def test_a_test_that_compares_the_right_numbers_in_other_ways_is_not_blamed(body):
    assert why_it_accepts("f.py", parsed(body)) is None


@pytest.mark.parametrize(
    ("body", "name"),
    [
        ("assert np.all(abs(implementation(x) - y) < 1e-6) == True", "row_softmax"),
        ("assert np.sum(abs(implementation(x) - y) > 1e-6) == 0", "row_softmax"),
        ("assert np.array_equal(np.round(implementation(x), 5), y)", "row_softmax"),
        ("assert implementation(x).argmax() == 2", "row_softmax"),
        ("assert 0, np.apply_along_axis(implementation, -1, x)", "row_softmax"),
        ("assert 0, functools.partial(implementation, x)()", "row_softmax"),
        (
            "assert abs((implementation(rng.random(3), p) != 0).mean() - p) < 0.1",
            "attention_with_dropout",
        ),
    ],
)
def test_a_test_that_rejects_for_another_reason_is_not_blamed(body, name):
    assert why_it_rejects("f.py", parsed(body, name), 2) is None


def test_an_alias_of_the_function_may_be_called():
    assert why_it_rejects("f.py", parsed("other = implementation\nassert other(x) is y"), 3) is None


def test_the_name_of_the_truth_value_is_the_students():
    fact = why_it_accepts("f.py", parsed("assert implementation(x).any() == right.any()"))
    assert "any() comes before" in fact.says


@pytest.mark.thorough
@pytest.mark.parametrize(("heads", "is_named"), [("1", True), ("1, 2", False)])
def test_calls_for_which_the_broken_function_is_right(grade_text, heads, is_named):
    text = RIGHT[0].read_text() + (
        "\n\ndef test_multi_head_forward(implementation):\n"
        f"    for heads in ({heads},):\n"
        "        x, W = np.ones((2, 3, 4)), np.ones((4, 4)) / 9\n"
        "        y, w = implementation(x, W, W, W, W, num_heads=heads)\n"
        "        assert np.allclose(y, 16 / 81) and w.sum() > 0\n"
    )
    said = " ".join(check.finding for check in grade_text("find_the_bug", text).checks)
    assert "test_multi_head_forward accepts the broken function" in said
    assert ("num_heads is 1" in said) == is_named


@pytest.mark.parametrize(
    "body",
    [
        EXPECTED + "assert np.allclose(implementation(x), expected)",
        EXPECTED + "assert np.abs(implementation(x) - expected).max() < 1e-6",
        EXPECTED + "d = implementation(x) - expected\nassert (np.abs(d) < 1e-6).all()",
        "check(implementation(x))",
        "return check(implementation(x))",
        "return asserting(implementation(x))",
        "np.testing.assert_allclose(implementation(x), expected)",
        "try:\n    assert np.allclose(implementation(x), y)\nexcept AssertionError as e:\n    raise e",
    ],
)
def test_a_test_that_compares_numbers_is_not_blamed(body):
    assert why_it_accepts("f.py", parsed(body), defined) is None


@pytest.mark.parametrize(
    ("body", "name", "line", "mistake"),
    [
        ("assert np.array_equal(implementation(x), y)", "row_softmax", 2, "expects-exact-numbers"),
        ("assert np.allclose(implementation, y)", "row_softmax", 2, "never-calls"),
        (
            "kept = rng.random(n) >= p\nassert np.allclose(implementation(x), kept * w)",
            "attention_with_dropout",
            3,
            "expects-own-draws",
        ),
        (
            "kept = rng.random(n) >= p\nsame(implementation(x), kept * w)",
            "attention_with_dropout",
            11,
            "expects-own-draws",
        ),
        (
            "draws = rng.random(n)\nkept = np.where(draws >= p, w, 0)\n"
            "same(implementation(x), kept)",
            "attention_with_dropout",
            11,
            "expects-own-draws",
        ),
        ("same(implementation(x), y)", "row_softmax", 11, "expects-exact-numbers"),
    ],
)
def test_why_a_test_rejects_right_functions(body, name, line, mistake):
    assert why_it_rejects("f.py", parsed(body, name), line, defined).mistake == mistake


@pytest.mark.parametrize("path", RIGHT, ids=lambda path: path.stem)
def test_nothing_is_said_of_good_tests(path):
    for node in ast.parse(path.read_text()).body:
        if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
            assert why_it_accepts("f.py", node) is None
            assert why_it_rejects("f.py", node, node.lineno) is None


def test_the_report_says_why_a_test_accepts(grade_text):
    text = (
        RIGHT[0].read_text()
        + "\n\ndef test_row_softmax(function):\n    print(function(np.ones(2)))\n"
    )
    checks = grade_text("find_the_bug", text).checks
    said = [check.finding for check in checks if "accepts the broken" in check.finding]
    assert said and "It has no assert" in said[0] and "It only prints." in said[0]
