"""Verified repair: the right line, nothing that is not true, and nothing that counts."""

import gc
import textwrap

import msgspec
import pytest
from click.testing import CliRunner

from autograder.cli import app
from autograder.diagnosis.repair.edits import BY_TURNS, NO_LINES, Edit, Suspects, edits, in_order
from autograder.diagnosis.repair.tree import read_trees
from autograder.grading import repair
from autograder.grading.judge import ALL_CHECKS, Judge, RunOptions
from autograder.grading.repair import is_worth_looking, look_for_repair
from autograder.report.html import exercise_html
from autograder.report.model import CheckReport, ExerciseReport, Line, Repair
from autograder.report.redaction import exercise_for_student
from autograder.report.terminal import exercise_lines, plain
from autograder.sandbox.workers import Budget
from autograder.submission.source import Source, read_source
from autograder.worker.messages import Unit
from tests.courses import write_course

pytestmark = pytest.mark.one_in(4)

SOFTMAX = """
    import numpy as np

    def softmax(x, axis=-1):
        x = np.asarray(x, dtype=float)
        top = x.max(axis=axis, keepdims=True)
        # the largest becomes 0
        e = np.exp(x - top)
        total = e.sum(axis=axis, keepdims=True)
        return e / total
"""
ATTENTION = """
    import numpy as np

    def scaled_dot_product_attention(Q, K, V, mask=None):
        d = Q.shape[-1]
        s = np.einsum("...qd,...kd->...qk", Q, K)
        s = s * d ** -0.5
        if mask is not None:
            s = np.where(np.asarray(mask) > 0, s, -np.inf)
        s = s - s.max(axis=-1, keepdims=True)
        w = np.exp(s)
        w = w / w.sum(axis=-1, keepdims=True)
        return w @ V, w
"""


def written(exercise, text, before="", after=""):
    text = textwrap.dedent(text).lstrip("\n")
    assert before in text
    text = text.replace(before, after, 1) if before else text
    return Source(exercise, f"{exercise}.py", (Unit(f"{exercise}.py", text),))


@pytest.fixture
def search(judge):
    def search(source):
        return look_for_repair(judge, judge.run(source))

    return search


def searched(course, judge, source, policy="practice"):
    """Whether a search would follow the checks."""
    exercise = course.exercise(source.name)
    return is_worth_looking(exercise, source, judge.run(source).results, policy)


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("text", "before", "after", "line"),
    [
        (SOFTMAX, "x - top", "x + top", 7),
        (SOFTMAX, "e / total", "total / e", 9),
        (SOFTMAX, "np.exp(x - top)", "np.exp2(x - top)", 7),
        (SOFTMAX, "e.sum(axis=axis,", "e.sum(axis=-1,", 8),
        (SOFTMAX, "dtype=float)", "dtype=float)[::-1]", 4),
        (ATTENTION, "d ** -0.5", "d ** 0.5", 6),
        (ATTENTION, "d = Q.shape[-1]", "d = Q.shape[-2]", 4),
        (ATTENTION, "> 0, s,", ">= 0, s,", 8),
        (ATTENTION, "return w @ V, w", "return w @ V, s", 12),
        (ATTENTION, "s.max(axis=-1", "s.max(axis=-2", 9),
    ],
)
def test_the_line_of_a_mistake_is_found_and_the_edit_is_not_said(search, text, before, after, line):
    name = "softmax" if text is SOFTMAX else "scaled_dot_product_attention"
    found = search(written(name, text, before, after))
    assert [place.line for place in found.places] == [line]
    assert f"line {line}" in found.said
    assert after not in found.said and before not in found.said


@pytest.mark.thorough
def test_two_mistakes_at_once_are_found_in_their_lines(search):
    text = textwrap.dedent(SOFTMAX).replace("np.exp(x - top)", "np.exp(x + top)")
    found = search(written("softmax", text, "e / total", "total / e"))
    assert [place.line for place in found.places] == [7, 9]
    assert found.said == "Changes in lines 7 and 9 together make every check pass."


@pytest.mark.thorough
def test_a_name_that_is_needed_again_gets_one_of_its_own(search):
    text = """
        import torch
        from torch import nn

        class MultiHeadAttention(nn.Module):
            def __init__(self, d_model, num_heads):
                super().__init__()
                if d_model % num_heads:
                    raise ValueError(f"{d_model} {num_heads}")
                self.heads = num_heads
                self.W_q = nn.Linear(d_model, d_model, bias=False)
                self.W_k = nn.Linear(d_model, d_model, bias=False)
                self.W_v = nn.Linear(d_model, d_model, bias=False)
                self.W_o = nn.Linear(d_model, d_model, bias=False)

            def forward(self, x, mask=None):
                x = self.W_q(x)
                q = x.unflatten(-1, (self.heads, -1)).transpose(-2, -3)
                k = self.W_k(x).unflatten(-1, (self.heads, -1)).transpose(-2, -3)
                v = self.W_v(x).unflatten(-1, (self.heads, -1)).transpose(-2, -3)
                s = q @ k.mT / q.shape[-1] ** 0.5
                if mask is not None:
                    m = mask.bool()
                    s = s.masked_fill(~(m.unsqueeze(1) if m.ndim == 3 else m), -1e9)
                a = s.softmax(-1)
                return self.W_o((a @ v).transpose(-2, -3).flatten(-2)), a
    """
    found = search(written("multi_head_attention", text))
    assert [place.line for place in found.places] == [16, 17]


@pytest.mark.thorough
def test_a_mistake_with_a_name_leaves_the_other_function_to_the_search(course, judge, search):
    text = """
        import numpy as np

        def create_causal_mask(seq_len):
            return np.triu(np.ones((seq_len, seq_len)))

        def apply_mask(scores, mask):
            shifted = np.asarray(scores) + mask * 0.5
            return np.where(np.asarray(mask) > 0, shifted, -1e9)

        def masked_attention_weights(scores, mask):
            s = np.where(np.asarray(mask) > 0, scores, -1e9)
            e = np.exp(s - s.max(-1, keepdims=True))
            return e / e.sum(-1, keepdims=True)

        def count_visible(seq_len):
            return seq_len * (seq_len + 1) // 2
    """
    found = search(written("causal_mask", text))
    assert {place.line for place in found.places} <= {7, 8} and found.places
    assert "makes every check that tests only apply_mask pass." in found.said


@pytest.mark.thorough
def test_an_expression_of_a_right_answer_is_tried_with_the_students_names(search):
    """No one operator makes this: the axis has to be given, and be kept, of another name."""
    text = """
        import numpy as np

        def softmax(rows, axis=-1):
            rows = np.asarray(rows, dtype=float)
            exps = np.exp(rows - np.max(rows, axis=axis, keepdims=True))
            return exps / np.sum(exps)
    """
    found = search(written("softmax", text))
    assert [place.line for place in found.places] == [6]


def test_a_check_that_did_not_run_has_to_pass_too(tmp_path):
    """`if True` passes the first check of `keep`, and not the second, which needs the first."""
    checks = """
import pytest

@pytest.mark.check("Keeps")
def test_kept(submission):
    assert submission.keep([1, 2], [1, 1]) == [1, 2]

@pytest.mark.check("Blocks", needs=["test_kept"])
def test_blocked(submission):
    assert submission.keep([1, 2], [1, 0]) == [1, 0]

@pytest.mark.check("Counts")
def test_count(submission):
    assert submission.count(3) == 3
"""
    text = """
        def keep(x, mask):
            if mask > 0:
                return x
            return 0

        def count(n):
            return n + 1
    """
    course = make_course(tmp_path, checks)
    with Judge(course, [course.exercise("sums")]) as judge:
        found = look_for_repair(judge, judge.run(written("sums", text)))
    assert "tests only count" in found.said and "keep" not in found.said


@pytest.mark.thorough
def test_a_mistake_elsewhere_is_not_kept_to_the_line_that_shows_it(search):
    """The array holds whole numbers alone; a copy at the line that writes into it helps too."""
    text = """
        import numpy as np

        def split_heads(x, num_heads):
            B, L, E = x.shape
            if E % num_heads != 0:
                raise ValueError(f"{E} is not a multiple of {num_heads}")
            d = E // num_heads
            heads = np.zeros((B, num_heads, L, d), dtype=int)
            for b in range(B):
                for h in range(num_heads):
                    heads[b, h] = x[b, :, h * d:(h + 1) * d]
            return heads

        def merge_heads(x):
            B, H, L, d = x.shape
            return x.transpose(0, 2, 1, 3).reshape(B, L, H * d)
    """
    found = search(written("multi_head_reshape", text))
    assert 8 in [place.line for place in found.places]
    assert found.kind in {"either", "", "keyword"}


SIZES = """
    def split_heads(x, num_heads):
        B, L, E = x.shape
        if E % num_heads:
            raise ValueError(f"{E} features, {num_heads} heads")
        return BODY

    def merge_heads(x):
        B, H, L, d = x.shape
        return x.transpose(0, 2, 1, 3).reshape(B, L, H * d)
"""


@pytest.mark.thorough
def test_two_lines_are_named_if_a_change_in_either_is_enough(search):
    """Only the line with the right order of the names was marked."""
    wrong = SIZES.replace("reshape(B, L, H * d)", "reshape(B, H, L * d)")
    body = "x.reshape(B, L, num_heads, -1).swapaxes(1, 2)"
    found = search(written("multi_head_reshape", wrong, "BODY", body))
    assert [place.text[:12] for place in found.places] == ["B, H, L, d =", "return x.tra"]


HALVES = """
    import numpy as np

    def softmax(x, axis=-1):
        x = np.asarray(x, dtype=float)
        e = np.exp(x - x.max(axis=axis, keepdims=True))
        return BODY
"""


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("exercise", "text", "body"),
    [
        ("softmax", HALVES, "np.tanh(e) / np.sum(np.tanh(e), axis=axis, keepdims=True)"),
        ("softmax", HALVES, "np.sqrt(e / np.sum(e, axis=axis, keepdims=True))"),
        (
            "multi_head_reshape",
            SIZES,
            "x.reshape(B, L, num_heads, num_heads).transpose(0, 2, 1, 3)",
        ),
    ],
)
def test_a_kind_of_edit_is_not_said_if_another_such_edit_is_no_repair(search, exercise, text, body):
    found = search(written(exercise, text, "BODY", body))
    assert found is None or "(" not in found.said


@pytest.mark.thorough
def test_a_conversion_beside_the_mistake_is_not_named(search):
    text = """
        import numpy as np

        def split_heads(x, num_heads):
            B, L, E = x.shape
            if E % num_heads:
                raise ValueError(f"{E} features, {num_heads} heads")
            d = E // num_heads
            out = np.zeros((B, num_heads, L, d), dtype=int)
            for h in range(num_heads):
                out[:, h] = x[:, :, h * d:(h + 1) * d]
            return out

        def merge_heads(x):
            B, H, L, d = x.shape
            return x.transpose(0, 2, 1, 3).reshape(B, L, H * d)
    """
    found = search(written("multi_head_reshape", text))
    assert [place.line for place in found.places] == [8]


def test_an_array_has_no_one_more():
    """One more is said of sizes and of places; of an array it would move every number."""
    text = "def f(scores, n):\n    a = apply(scores, n)\n    return a[:n], range(n)\n"
    found = edits(read_trees([Unit("f.py", text)]), NO_LINES)
    new = {span.new for edit in found for span in edit.spans if edit.kind == "off by one"}
    assert "n + 1" in new and "scores + 1" not in new


def test_each_kind_in_each_line_has_its_turn():
    kinds = [("axis", 1), ("axis", 1), ("axis", 2), ("sign", 1), ("axis", 1)]
    ranked = [Edit(kind, 0, (line,), (line,), ()) for kind, line in kinds]
    ordered = in_order(ranked, Suspects(), BY_TURNS)
    turns = [(edit.kind, edit.lines[0]) for edit in ordered]
    assert turns == [("axis", 1), ("axis", 2), ("sign", 1), ("axis", 1), ("axis", 1)]


@pytest.mark.thorough
def test_twice_the_same_and_nothing_else_changes(judge):
    source = written("softmax", SOFTMAX, "x - top", "x + top")
    seed, children = judge.seed, judge.children
    graded = judge.run(source)
    repairs = [look_for_repair(judge, graded), look_for_repair(judge, graded)]
    assert repairs[0] is not None and repairs[0] == repairs[1]
    again = judge.run(source)
    results = [
        [msgspec.structs.replace(each, calls=(), compared=(None, None)) for each in one.results]
        for one in (again, graded)
    ]
    assert again.report == graded.report and results[0] == results[1]
    assert (judge.seed, judge.children) == (seed, children)


def test_an_answer_that_no_small_edit_mends_gets_nothing(search):
    hopeless = "def softmax(x, axis=-1):\n    total = 0\n    return [total, x]\n"
    assert search(written("softmax", hopeless)) is None


@pytest.mark.thorough
def test_the_first_value_of_its_own_is_not_named_beside_another_line(judge, monkeypatch):
    text = """
        import numpy as np

        def softmax(x, axis=-1):
            x = np.asarray(x, dtype=float)
            y = x * 0.3 + x ** 3
            return y / (1 + y ** 2)
    """
    monkeypatch.setattr("autograder.grading.repair.CALLS", 400)
    graded = judge.run(written("softmax", text))
    assert "no known correct solution" in look_for_repair(judge, graded).said
    place = Line(file="softmax.py", line=6, text="")
    graded.results[-1] = msgspec.structs.replace(graded.results[-1], place=place)
    found = look_for_repair(judge, graded)
    assert found is None or "no known correct solution" not in found.said


@pytest.mark.thorough
def test_calls_end_the_searches_in_a_file_alike_each_time(judge, monkeypatch):
    text = "def softmax(x, axis=-1):\n    y = x * 0.3 + x ** 3\n    return y / (1 + y ** 2)\n"
    graded, counts = judge.run(written("softmax", text)), []
    exchange = Budget.timed_exchange

    def counted(*args, **more):
        counts[-1] += 1
        return exchange(*args, **more)

    monkeypatch.setattr(Budget, "timed_exchange", counted)
    for calls in (400, 80, 80):
        monkeypatch.setattr("autograder.grading.repair.CALLS", calls)
        counts.append(0)
        assert look_for_repair(judge, graded) is None or counts[-1]
    assert counts[1] == counts[2] < counts[0] / 2


@pytest.mark.thorough
def test_as_many_right_answers_are_read_whoever_is_searched_first(course, monkeypatch):
    """One file mentions matplotlib: fewer calls are for its search, and not for right answers."""
    read, values = [], repair.values_of_right_answers

    def counted(paths, *more):
        read.append(0)

        def counting():
            for path in paths:
                read[-1] += 1
                yield path

        return values(counting(), *more)

    monkeypatch.setattr(repair, "values_of_right_answers", counted)
    monkeypatch.setattr(repair, "CALLS_HEAVY", 20)
    text = textwrap.dedent(SOFTMAX).replace("e / total", "e / total ** 2 + 0.1")
    for each in "import matplotlib\n" + text, text:
        with Judge(course, [course.exercise("softmax")]) as judge:
            look_for_repair(judge, judge.run(written("softmax", each)))
    assert read[0] == read[1] > repair.ANSWERS


def test_a_guard_of_time_is_behind_the_calls(search, monkeypatch):
    monkeypatch.setattr("autograder.grading.repair.TOTAL_SECONDS", 0.0)
    found = search(written("softmax", SOFTMAX, "x - top", "x + top"))
    assert found is None or "every check" not in found.said


@pytest.mark.thorough
def test_what_time_has_cut_speaks_of_the_edit_alone(search, monkeypatch):
    """The clock stops the search just after the first edit that does: others may do as well."""
    run = Judge.run

    def last(self, source, options=ALL_CHECKS):
        graded = run(self, source, options)
        if options.seed == self.seed + repair.OTHER_SEEDS:  # the last grading of a right edit
            monkeypatch.setattr(repair, "TOTAL_SECONDS", 0.0)
        return graded

    monkeypatch.setattr(Judge, "run", last)
    found = search(written("softmax", SOFTMAX, "x - top", "x + top"))
    assert (found.said, found.kind) == ("A change in line 7 makes every check pass.", "")


def test_a_right_answer_is_not_searched(course, judge):
    assert not searched(course, judge, written("softmax", SOFTMAX))


def test_what_has_a_name_or_is_not_there_is_not_searched(course, judge):
    named = written("softmax", SOFTMAX, "e.sum(axis=axis,", "e.sum(axis=0,")
    assert not searched(course, judge, named)
    assert not searched(course, judge, written("softmax", "x = 1\n"))


def test_an_exam_is_not_searched_and_says_nothing(course, judge):
    source = written("softmax", SOFTMAX, "e / total", "e / total ** 2 + 0.1")
    assert searched(course, judge, source)
    assert not searched(course, judge, source, "exam")


@pytest.mark.thorough
def test_a_line_of_a_notebook_is_named_with_its_cell(search):
    text = textwrap.dedent(SOFTMAX).replace("e / total", "total / e")
    units = (Unit("code cell 1", "%matplotlib inline\nprint('hello')"), Unit("code cell 2", text))
    found = search(Source("softmax", "softmax.ipynb", units))
    assert "line 10 of code cell 2" in found.said
    assert found.places[0].file == "code cell 2"


@pytest.mark.thorough
def test_lines_that_run_beside_code_of_the_course_s_are_found(course, judge, root):
    """What is printed there is never shown, and tells the search which lines to try."""
    exercise = course.exercise("train_and_generate")
    source = read_source(root / "examples/right/train_and_generate/preallocated.py", exercise.name)
    text = source.text.replace("max(0, end", "max(-1, end")
    wrong = Source(exercise.name, "train_and_generate.py", (Unit("train_and_generate.py", text),))
    found = look_for_repair(judge, judge.run(wrong))
    assert f"line {line_of(text, 'max(-1, end')}" in found.said
    assert "axis" not in found.said


def line_of(text, part):
    return text[: text.index(part)].count("\n") + 1


def test_an_edit_that_only_known_inputs_pass_is_not_believed(tmp_path):
    """The check's one number can be met by another constant; other seeds show that."""
    checks = """
import pytest

@pytest.mark.check("Adds")
def test_adds(submission, rng):
    x = int(rng.integers(10, 20))
    assert submission.add(x) == x + 3
"""
    course = make_course(tmp_path, checks)
    exercise = course.exercise("sums")
    close, wrong = (written("sums", f"def add(x):\n    return {n}\n") for n in (21, 20))
    with Judge(course, [exercise]) as judge:
        for seed in range(100):  # one for which 21 is the answer
            if judge.run(close, RunOptions(seed=seed)).report.points:
                break
    with Judge(course, [exercise], seed=seed) as judge:
        assert judge.run(close).report.points
        assert look_for_repair(judge, judge.run(wrong)) is None


@pytest.mark.parametrize(
    "body",
    [
        "    return " + " + ".join(["x"] * 9000) + "\n",
        "    return " + "-" * 3000 + "x\n",
        "    return " + "(" * 150 + "x" + ")" * 150 + "[0]" * 900 + "\n",
        "    y = 1\r    return x\f\n",
        "    print('\\x01' + '0:2\\n' * 9999)\n    return x\n",
    ],
)
def test_a_hostile_file_costs_little_and_breaks_nothing(search, body):
    assert search(written("softmax", "def softmax(x, axis=-1):\n" + body)) is None


def test_every_face_shows_the_sentence_except_in_an_exam():
    said = "A change in line 3 makes every check pass."
    check = CheckReport(name="a", title="A", points=0, max_points=1, outcome="failed")
    report = ExerciseReport(
        name="sums",
        title="Sums",
        status="graded",
        points=0,
        max_points=1,
        checks=(check,),
        repair=Repair(said=said),
    )
    shown = exercise_for_student(report, "homework")
    assert said in exercise_html(shown)
    assert said in "\n".join(plain(line) for line in exercise_lines(shown))
    assert exercise_for_student(report, "exam").repair is None


def test_the_command_shows_the_sentence_and_then_the_checks(tmp_path, root, monkeypatch):
    monkeypatch.setattr(gc, "disable", lambda: None)
    file = tmp_path / "softmax.py"
    file.write_text(written("softmax", SOFTMAX, "np.exp(x - top)", "np.exp(top - x) ** 2").text)
    before = CliRunner().invoke(app, ["check", str(file), "--course", str(root)])
    file.write_text(written("softmax", SOFTMAX, "e / total", "total / e").text)
    after = CliRunner().invoke(app, ["check", str(file), "--course", str(root)])
    assert before.exit_code == after.exit_code == 1
    assert "makes every check pass" not in before.stdout
    lines = after.stdout.splitlines()
    (place,) = (place for place, line in enumerate(lines) if line.startswith("A change in line 9"))
    assert lines[place + 1 : place + 3] == ["  9 | return total / e", "    | ^^^^^^^^^^^^^^^^"]
    assert not any("✗" in line or "✓" in line for line in lines[:place])


def make_course(folder, checks):
    return write_course(folder, {"sums": 1}, checks={"sums": checks})
