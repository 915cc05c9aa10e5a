"""Checks of `scaling_experiment`.

Students may draw random numbers in any way. So each statistic is compared with an interval that a
fair experiment misses once in 10 million times. The course's seed determines the sizes, and some
sizes are not in the text. Some generators make known numbers.
"""

import numpy as np
import pytest

from autograder.author import (
    Figure,
    Mismatch,
    OwnSteps,
    StudentProblem,
    expect_close,
    expect_independent_calls,
    expect_numbers,
    expect_unchanged_arguments,
    one_line,
)
from reference import draws
from reference.checks.fair_trials import (
    Sizes,
    drawn_sizes,
    expect_fair,
    expect_scatter,
    expect_variance,
    fair_interval,
    follow_draws,
    many_sizes,
    usual_sizes,
)
from reference.checks.one_trial import expect_trials
from reference.curves import (
    has_other_dimensions,
    labels_of_pairs,
    legend_tells_apart,
    says_scaled,
    says_unscaled,
)
from reference.following import own_distributions, sharper

SEQ_LEN = 8
REPEATS = 25


@pytest.fixture
def generator(submission):
    """Return a function that makes a generator in the student's process."""
    made = submission.define("draws", draws.GENERATOR)
    return lambda state: made.generator.kept(state.key, state.position)


def run(submission, reference, sizes, rng):
    """Return the student's results, as {dimension: {measure: number}}."""
    dimensions = sizes.dimensions
    results = submission.measure_scaling(dimensions, sizes.seq_len, sizes.trials, rng)
    if not isinstance(results, dict):
        said = "measure_scaling did not return a dict with an entry for each dimension."
        raise Mismatch(said, code="nothing_returned" if results is None else "other_kind")
    if set(results) != set(dimensions):
        found = ", ".join(repr(key) for key in list(results)[:8]) or "none"
        raise Mismatch(
            f"The keys of the result are {found}. They should be the dimensions, as whole "
            f"numbers: {', '.join(map(str, dimensions))}.",
            code="other_kind",
        )
    table = {}
    for dimension, row in results.items():
        if not isinstance(row, dict):
            said = f"The entry for dimension {dimension} is not a dict of measures."
            raise Mismatch(said, code="other_kind")
        absent = [name for name in reference.MEASURES if name not in row]
        if absent:
            said = f"The entry for dimension {dimension} lacks {', '.join(absent)}."
            raise Mismatch(said, code="other_kind")
        table[dimension] = {}
        for name in reference.MEASURES:
            value = expect_numbers(row[name], f"{name} for dimension {dimension}")
            if value.shape != () or not np.isfinite(value):
                raise Mismatch(f"{name} for dimension {dimension} has to be one finite number.")
            table[dimension][name] = float(value)
    return table


def distributions_at(reference, sizes):
    """Return the distributions for one trial, by dimension.

    For many dimensions, they are less exact.
    """
    size = 600 if len(sizes.dimensions) < 10 else 300
    return lambda dimension: reference.sampling_distributions(dimension, sizes.seq_len, size)


@pytest.mark.check(
    "attention_entropy: one value for each row, in nats",
    points=2,
    grades=["entropy"],
    hints=(
        "Is your entropy of four equal weights ln 4 = 1.386?",
        "Entropy is −Σ p·ln p over each row. ln is the natural logarithm, and each row has one "
        "value.",
        "Sum only along the last axis. Use np.log, not np.log2.",
    ),
)
def test_entropy(submission, reference, rng):
    cases = [np.full((1, 4), 0.25), np.array([[0.5, 0.5], [0.9, 0.1]])]
    cases.append(np.array([[0.98, 0.0155, 0.00445, 0.00005]]))
    cases += [reference.softmax(rng.normal(size=size)) for size in ((3, 5), (2, 3, 4), (6,))]
    for weights in cases:
        answer = submission.attention_entropy(weights)
        expect_close(answer, reference.entropy(weights), "the entropy")


@pytest.mark.check(
    "attention_entropy: a weight of 0 adds nothing",
    points=1,
    grades=["entropy", "no side effects"],
    needs=["test_entropy"],
    hints=(
        "What does NumPy give for 0 * np.log(0)?",
        "p·ln p goes to 0 as p goes to 0, so a weight of 0 counts as 0.",
        "Take the logarithm of p + 1e-12, or only where p > 0.",
    ),
)
def test_entropy_of_zeros(submission, reference, rng, grading):
    grading("entropy")
    cases = np.eye(3), np.array([[0.5, 0.5, 0.0], [1.0, 0.0, 0.0]])
    for weights in cases:
        answer = submission.attention_entropy(weights)
        expect_close(answer, reference.entropy(weights), "the entropy")
    grading("no side effects")
    cases += (rng.dirichlet(np.ones(4), size=(2, 3)),)
    for weights in cases:
        expect_unchanged_arguments(submission.attention_entropy, ["weights"], weights)
    calls = [("attention_entropy", lambda s: s.attention_entropy(weights))]
    between = [lambda s: s.attention_entropy(np.full((2, 3), 1 / 3))]
    expect_independent_calls(submission.fresh(), calls, between)


@pytest.mark.check(
    "softmax_gradient_norm: how strongly the softmax reacts, for each row",
    points=3,
    grades=["gradient norm", "no side effects"],
    hints=(
        "What is the derivative of softmax output i with respect to input j?",
        "The Jacobian is diag(p) − p pᵀ. Its Frobenius norm is the square root of the sum of all "
        "squared entries.",
        "For each row, p = softmax(scores) and J = np.diag(p) - np.outer(p, p). The norm is "
        "np.sqrt((J**2).sum()).",
    ),
)
def test_gradient_norm(submission, reference, rng, grading):
    grading("gradient norm")
    cases = [np.zeros((1, 2)), np.array([[0.0, 1.0, 2.0], [0.0, 0.0, 9.0]])]
    cases += [rng.normal(scale=3.0, size=size) for size in ((4, 5), (2, 3, 4), (6,))]
    for scores in cases:
        answer = submission.softmax_gradient_norm(scores)
        expect_close(answer, reference.gradient_norm(scores), "the gradient norm", condition=20.0)
    large = np.array([[1000.0, 0.0, -1000.0], [500.0, 500.0, 0.0]])
    rows_apart = np.array([[1000.0, 999.0], [-1000.0, -1000.5]])  # each needs its own maximum
    for scores in (large, rows_apart):
        answer = submission.softmax_gradient_norm(scores)
        expect_close(answer, reference.gradient_norm(scores), "the gradient norm", condition=1e3)
    grading("no side effects")
    for scores in (*cases, large):
        expect_unchanged_arguments(submission.softmax_gradient_norm, ["scores"], scores)


@pytest.mark.check(
    "measure_scaling: the standard deviation of the scores",
    points=2,
    grades=["measures"],
    hints=(
        "Of which numbers do you take the standard deviation: the scores or the weights?",
        "In each trial, take the standard deviation of all L × L scores together, once as they "
        "are and once divided by √d. Then take the mean over the trials.",
        "Use scores.std() of each trial's matrix, and take the mean over the trials.",
    ),
)
def test_spread(submission, reference, rng, generator):
    names = ("scores_std_unscaled", "scores_std_scaled")
    # then longer sequences, whose variance is known to 3 %: enough to detect rounded scores
    long = Sizes([int(rng.integers(33, 100))], 40, 40)
    for number, sizes in enumerate((usual_sizes(rng), long)):
        table = run(submission, reference, sizes, generator(draws.seeded(11, number)))
        expect_fair(table, names, sizes, distributions_at(reference, sizes))
    expect_mean_of_trials(submission, reference, names, generator)
    many = many_sizes(rng)
    table = run(submission, reference, many, generator(draws.seeded(12)))
    expect_scatter(table, names, many, distributions_at(reference, many))


def expect_mean_of_trials(submission, reference, names, generator):
    """Pass if the measures are means over trials that differ widely, each with two tokens."""
    sizes = Sizes([1], 2, 1500)
    table = run(submission, reference, sizes, generator(draws.seeded(11, 2)))
    fair = reference.sampling_distributions(1, 2, 4000)
    try:
        expect_fair(table, names, sizes, {1: fair}.get)
    except Mismatch:
        if not all(abs(table[1][name] - 1) < 0.1 for name in names):
            raise
        raise Mismatch(
            f"In {sizes.trials} trials of two tokens at dimension 1, {names[0]} is "
            f"{table[1][names[0]]:.4g}, as for the scores of all trials together. The mean of the "
            f"trials' standard deviations is about {fair[names[0]].mean:.2g}.",
            mistake="trials-together",
        ) from None


@pytest.mark.check(
    "measure_scaling: entropy and largest weight",
    points=3,
    grades=["measures"],
    hints=(
        "Over which axis do you take the largest weight?",
        "Each row of weights has an entropy and a largest entry. Take the mean of each measure "
        "over the rows, and then over the trials.",
        "Use weights.max(axis=-1).mean() and attention_entropy(weights).mean() of each trial. "
        "Then take the mean over the trials.",
    ),
)
def test_entropy_and_largest_weight(submission, reference, rng, generator, note):
    largest = [name for name in reference.MEASURES if name.startswith("max_weight")]
    entropies = [name for name in reference.MEASURES if name.startswith("entropy")]
    sizes, many = usual_sizes(rng), many_sizes(rng)
    table = run(submission, reference, sizes, generator(draws.seeded(13)))
    scattered = run(submission, reference, many, generator(draws.seeded(14)))
    expect_fair(table, largest, sizes, distributions_at(reference, sizes))
    expect_scatter(scattered, largest, many, distributions_at(reference, many))
    is_right = entropy_is_right(submission, reference)
    try:
        expect_fair(table, entropies, sizes, distributions_at(reference, sizes))
        expect_scatter(scattered, entropies, many, distributions_at(reference, many))
    except Mismatch:
        if is_right:
            raise
        own = own_distributions(OwnSteps(submission, vary=sharper), sizes)
        if own is None:
            raise
        expect_fair(table, entropies, sizes, own.get)
        note("Right, given your attention_entropy.")


@pytest.mark.check(
    "measure_scaling: averaged over all trials, from the given generator",
    points=2,
    grades=["measures", "random numbers", "no side effects"],
    needs=["test_spread"],
    hints=(
        "Where do the random numbers of each trial come from?",
        "All random numbers should come from `rng`. Take the mean over all `trials`.",
        "Call rng.standard_normal((seq_len, d)) for Q and for K in every trial.",
    ),
)
def test_trials_and_generator(submission, reference, rng, generator, grading):
    grading("random numbers")
    few = Sizes([int(rng.integers(9, 30))], int(rng.integers(5, 10)), 5)
    once = generator(draws.seeded(3))
    first = run(submission, reference, few, once)
    onwards = run(submission, reference, few, once)
    again = run(submission, reference, few, generator(draws.seeded(3)))
    assert first == again, "Two runs with generators of the same seed gave different numbers."
    if first == onwards:
        raise Mismatch(
            "Two runs in a row with the same generator gave the same numbers. Numbers that come "
            "from `rng` itself are new in each run.",
            mistake="own-generator",
        )
    names = expect_repeats(submission, reference, drawn_sizes(rng, (9, 30)), generator)
    grading("measures")
    expect_what_follows(submission, reference, rng, generator, names)
    grading("no side effects")
    names = ["dimensions", "seq_len", "trials", "rng"]
    args = [64, 4, 16], 5, 3, generator(draws.seeded(6))  # not sorted
    expect_unchanged_arguments(submission.measure_scaling, names, *args)


def expect_repeats(submission, reference, sizes, generator):
    """Pass if the results vary between generators like means of the requested number of trials.

    Return the names of the measures with a right mean. The variance of other measures is unknown.
    """
    (d,) = sizes.dimensions
    fair, names = reference.sampling_distributions(d, sizes.seq_len), []
    tables = [
        run(submission, reference, sizes, generator(draws.seeded(4, n))) for n in range(REPEATS)
    ]
    for name in reference.MEASURES:
        values = np.array([table[d][name] for table in tables])
        if not values.std() > 0:
            raise Mismatch(
                f"{name} is the same for generators with different seeds. So its random numbers "
                "do not come from the `rng` that is passed in.",
                mistake="own-generator",
            )
        low, high = fair_interval(fair, name, sizes.seq_len, REPEATS)  # if each is one trial
        if not low <= values.mean() <= high:
            continue
        names.append(name)
        expect_variance(
            values.var(ddof=1) / (fair[name].std ** 2 / sizes.trials),
            REPEATS - 1,
            f"{name} varies from run to run far less than a mean over {sizes.trials} trials does.",
            f"{name} varies from run to run far more than a mean over {sizes.trials} trials does.",
        )
    return names


def expect_what_follows(submission, reference, rng, generator, names):
    """Pass if the results are right for known numbers of `rng`, or else if they fit fair trials."""
    sizes = Sizes([int(rng.integers(2, 5))], 5, 3)  # few numbers, all known; then twice as large
    (d,) = sizes.dimensions
    seed = int(rng.integers(2**31))
    tiny, single, double = (
        run(submission, reference, sizes, generator(draws.sized(size, seed)))[d]
        for size in (28, 47, 48)
    )
    entropy = entropy_is_right(submission, reference)
    entropy = entropy and {"entropy_unscaled", "entropy_scaled"} <= {*names}
    names = [name for name in names if entropy or not name.startswith("entropy")]
    if follow_draws(names, sizes.seq_len, tiny, single, double):
        return
    if not {"max_weight_unscaled", "max_weight_scaled"} <= {*names}:
        return  # the gaps between scores are unknown
    # unknown: numbers of Box–Muller, or of a generator that `rng` seeds or spawns, …
    expect_trials(
        lambda sizes, number: run(
            submission, reference, sizes, generator(draws.seeded(5, seed, number))
        ),
        d,
        entropy,
    )


def entropy_is_right(submission, reference):
    """Return True if the student's attention_entropy is right for two rows without zeros."""
    weights = np.array([[0.25, 0.25, 0.25, 0.25], [0.7, 0.1, 0.1, 0.1]])
    expected = reference.entropy(weights)
    try:
        expect_close(submission.aside().attention_entropy(weights), expected)
    except (Mismatch, StudentProblem):
        return False
    return True


@pytest.fixture
def dimensions(rng):
    """Return dimensions in random order, so that a plot has to sort its pairs.

    Two of the dimensions are not in the text.
    """
    drawn = [int(rng.integers(*each)) for each in ((5, 16), (65, 200))]
    return 64, 4, drawn[1], 16, drawn[0]


def example_results(reference, dimensions):
    table = {}
    for dimension in dimensions:
        described = reference.sampling_distributions(dimension, SEQ_LEN, size=50)
        table[dimension] = {name: described[name].mean for name in reference.MEASURES}
    return table


@pytest.fixture
def plot(submission, reference, dimensions):
    figure = submission.plot_scaling(example_results(reference, dimensions))
    if not isinstance(figure, Figure):
        what = "None. Is a `return` missing?" if figure is None else "something else."
        code = "nothing_returned" if figure is None else "other_kind"
        raise Mismatch(f"plot_scaling has to return the figure. It returned {what}", code=code)
    return figure


@pytest.mark.check(
    "plot_scaling: both series, scaled and unscaled, against the dimension",
    points=1,
    grades=["curves"],
    hints=(
        "Which two curves let a reader see what scaling does?",
        "Draw one measure in two curves: without scaling and with scaling. Use all dimensions in "
        "the results.",
        "With d = sorted(results), plot [results[n]['entropy_scaled'] for n in d]. Do the same "
        "for 'entropy_unscaled'.",
    ),
)
def test_plot_series(plot, reference, dimensions):
    pairs = labels_of_pairs(plot, example_results(reference, dimensions))
    if not pairs and has_other_dimensions(plot, example_results(reference, dimensions)):
        raise Mismatch(
            "The curves have the right heights, but at wrong x values. Each value belongs at its "
            "own dimension. Give `plot` the dimensions as x, in the order of the values.",
            mistake="x-not-dimensions",
        )
    if not pairs:
        raise Mismatch(
            "No measure is drawn with both series (unscaled and scaled) at all dimensions of "
            "the results."
        )
    for unscaled, scaled in pairs:
        if any(map(says_scaled, unscaled)) and any(map(says_unscaled, scaled)):
            raise Mismatch(
                f"The labels are exchanged. In the legend, {one_line(min(unscaled), 40)} is the "
                f"line with the unscaled values, and {one_line(min(scaled), 40)} is the line with "
                "the scaled values.",
                mistake="labels-exchanged",
            )


@pytest.mark.check(
    "plot_scaling: log axis, labels, legend, title",
    points=2,
    grades=["labels", "no side effects"],
    hints=(
        "From your picture alone, what does each axis and each line show?",
        "The x axis should be logarithmic. Both axes should have labels. The plot should have a "
        "title and a legend.",
        "Use ax.set_xscale('log'), ax.set_xlabel, ax.set_ylabel, ax.legend() and ax.set_title.",
    ),
)
def test_plot_labels(plot, submission, reference, dimensions, grading):
    grading("labels")
    used = [axes for axes in plot.axes if axes.series]
    if not used:
        raise Mismatch("The figure has no lines.")
    lacking, each = [], " in each panel" * (len(used) > 1)
    if not all(axes.x_scale == "log" for axes in used):
        lacking.append(f"a logarithmic x axis{each}")
    if not all(axes.x_label.strip() for axes in used):
        lacking.append(f"a label on the x axis{each}")
    if not all(axes.y_label.strip() for axes in used):
        lacking.append(f"a label on the y axis{each}")
    if not legend_tells_apart(plot, example_results(reference, dimensions)):
        lacking.append("a legend that tells the two series apart")
    if not plot.title.strip() and not any(axes.title.strip() for axes in used):
        lacking.append("a title")
    grading("no side effects")
    results = example_results(reference, dimensions)
    call = lambda s: expect_unchanged_arguments(s.plot_scaling, ["results"], results)
    other = {dimension: row for dimension, row in results.items() if dimension != 64}
    between = [lambda s: s.plot_scaling.kept(other)]  # a figure that stays open, as in a script
    expect_independent_calls(submission.fresh(), [("plot_scaling", call)], between)
    grading("labels")
    if lacking:
        raise Mismatch(f"The plot lacks {', '.join(lacking)}.", mistake="plot-lacks-something")


@pytest.mark.check(
    "CONCLUSION: what the experiment shows",
    points=2,
    grades=["conclusion"],
    hints=(
        "By what factor does the unscaled standard deviation grow when d grows by a factor of 4?",
        "The variance of a dot product of d independent pairs is d. A softmax that is nearly all "
        "0 and 1 hardly reacts to its scores.",
        "The standard deviation grows like a power of d. Find the exponent that turns 4 into 2.",
    ),
)
def test_conclusion(submission):
    answer = submission.value("CONCLUSION")
    assert isinstance(answer, dict), "CONCLUSION has to be a dict with the three keys of the task."
    exponent = answer.get("growth_exponent")
    assert isinstance(exponent, int | float | np.ndarray), "growth_exponent is not a number yet."
    wrong = []
    if np.shape(exponent) != () or not abs(float(exponent) - 0.5) <= 0.05 + 1e-12:
        wrong.append("growth_exponent")
    if answer.get("steady") != "scaled":
        wrong.append("steady")
    if answer.get("gradient") != "vanishes":
        wrong.append("gradient")
    assert not wrong, f"The experiment does not show this: {', '.join(wrong)}."
