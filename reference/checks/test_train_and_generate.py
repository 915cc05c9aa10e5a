"""Checks of `train_and_generate`."""

import numpy as np
import pytest

from autograder.author import (
    Mismatch,
    Raised,
    StudentProblem,
    expect_close,
    expect_follows,
    expect_results,
    expect_shape,
    expect_unchanged_arguments,
    tensor,
)
from reference.checks.trained_models import (
    draw_model,
    form_of,
    one_number,
    run_generate,
    run_training,
)
from reference.following import own_losses, own_words
from reference.generating import greedy, mean_logits
from reference.kit import kit_of
from reference.losses import right_gradient, right_loss, right_losses
from reference.sampling import least_likely_are_missing, what_was_drawn

AT_ONCE, CALLS = 200, 8  # words per call: recursion is allowed, and has a limit
LARGE = 20.0  # of logits
MANY = 60  # number of training steps: a tenth or a twentieth of it is still several steps
OPTIMIZER = (
    "Which weights, which learning rate and which other settings does your optimizer get?",
    "AdamW makes every weight a little smaller at each step, even a weight without a gradient.",
    "Use torch.optim.AdamW(model.parameters(), lr=lr) once, and call step() once per step.",
)
CONDITION = 200.0  # of losses after some steps of AdamW: in float32, about 2e-4 of their size


@pytest.fixture
def kit(submission):
    return kit_of(submission)


def draw_loss(rng, batch, length, words):
    logits = (2 * rng.normal(size=(batch, length, words))).astype(np.float32)
    return logits, rng.integers(words, size=(batch, length))


@pytest.mark.check(
    "The loss of a small example",
    points=2,
    grades=["loss"],
    hints=(
        "Which token should the logits at position t predict?",
        "The logits at position t predict the token at t + 1. So the last logits and the first "
        "token have no partner.",
        "F.cross_entropy takes (N, V) and (N,). Flatten logits[:, :-1] and tokens[:, 1:].",
    ),
)
def test_loss_by_hand(submission):
    logits = np.array([[[0.0, 1.0], [2.0, 0.0], [5.0, 5.0]]], np.float32)
    tokens = np.array([[0, 1, 0]])
    answer = submission.next_token_loss(tensor(logits), tensor(tokens))
    expect_close(one_number(answer), right_loss(logits, tokens), "the loss")


@pytest.mark.check(
    "The loss of batches, with its gradient",
    points=3,
    grades=["loss", "gradient"],
    hints=(
        "Over which predictions do you take the mean?",
        "The mean runs over all B · (L − 1) predictions. The loss stays a tensor that has a "
        "gradient.",
        "Return the tensor of F.cross_entropy unchanged, without .item() or detach().",
    ),
)
def test_loss_of_batches(submission, kit, rng, grading):
    grading("loss")
    for sizes in ((1, 2, 3), (3, 5, 7), (4, 3, 11), (2, 6, 2)):
        logits, tokens = draw_loss(rng, *sizes)
        answer = submission.next_token_loss(tensor(logits), tensor(tokens))
        expect_close(one_number(answer), right_loss(logits, tokens), "the loss", condition=20.0)
    grading("gradient")
    logits, tokens = draw_loss(rng, 2, 4, 5)
    loss = submission.kept_value("next_token_loss")
    both = kit.with_gradient(loss, tensor(logits), tensor(tokens))
    _, gradient = expect_results(both, ("loss", "gradient"), "next_token_loss")
    if gradient is None:
        raise Mismatch(
            "No gradient reaches the logits. The loss is a plain number, or your code detaches it "
            "from the logits.",
            mistake="gradient-cut",
        )
    expect_close(gradient, right_gradient(logits, tokens), "the gradient by the logits")


@pytest.mark.check(
    "The losses of a few steps of training",
    points=4,
    grades=["steps", "optimizer"],
    hints=(
        "What are the parts of one training step, in order?",
        "In each step, compute the loss, clear the gradients, call backward and then step. "
        "Store this loss as a float.",
        "Use optimizer.zero_grad(), loss.backward(), optimizer.step() and "
        "losses.append(loss.item()). Use one optimizer for all steps.",
    ),
)
def test_losses(submission, kit, rng, note):
    for words, count, steps, lr in ((7, 1, 6, 0.05), (9, 3, 8, 0.02), (6, 2, 7, 0.1)):
        weights = draw_model(rng, words)
        batches = [rng.integers(words, size=(4, 5)) for _ in range(count)]
        _, answer = run_training(submission, kit, weights, batches, steps, lr)
        compare_losses(submission, answer, (weights, batches, steps, lr), note)


def compare_losses(submission, answer, run, note):
    """Pass if the losses are right, or follow from the student's own loss."""
    expect_follows(
        answer,
        right_losses(*run)[0],
        lambda asked: own_losses(asked, *run),
        "the losses",
        note,
        "next_token_loss",
        submission,
        condition=CONDITION,
        axes=(0, 2),  # the logits of the last position do not affect the loss
    )


@pytest.mark.check(
    "AdamW, and an unchanged mode of the model",
    points=3,
    grades=["optimizer", "same model", "mode"],
    hints=(
        "In which mode is the model after your function train?",
        "AdamW makes every weight a little smaller at each step. Your function should leave "
        "model.training as it was before the call.",
        "Use torch.optim.AdamW(model.parameters(), lr=lr). Store model.training before you start, "
        "and pass this value to model.train(…) at the end.",
    ),
)
def test_optimizer_and_mode(submission, kit, rng, grading):
    weights = draw_model(rng, 12)
    batches = [rng.integers(6, size=(3, 4))]  # words 6 to 11 never occur
    model, _ = run_training(submission, kit, weights, batches, MANY, 0.1)
    grading("same model")
    rows = expect_shape(kit.rows(model), weights[0].shape, "the embedding")
    if np.array_equal(rows, weights[0]):
        others = np.asarray(model.value("output"))
        raise Mismatch(
            "After train, the given model has the same weights as before. Either train changed "
            "another model's weights, or it changed none."
            if np.array_equal(others, weights[1])
            else "After train, the embedding of the given model has the same weights as before. "
            "Other weights have changed, so the optimizer does not change all weights.",
            hints=OPTIMIZER,
        )
    grading("optimizer")
    after = rows[6:]
    right = right_losses(weights, batches, MANY, 0.1)[1][6:]
    if np.array_equal(after, weights[0][6:]):
        raise Mismatch(
            "Your train leaves weights without a gradient unchanged. It should make them smaller, "
            "as AdamW does: by 1 % of lr at each step.",
            mistake="no-weight-decay",
            hints=OPTIMIZER,
        )
    expect_one_rate(weights[0][6:], after, right)
    expect_close(after, right, "the weights without a gradient", condition=20.0)
    grading("mode")
    for training in (True, False):
        model = kit.in_mode.kept(kit.MeanModel.kept(*(tensor(each) for each in weights)), training)
        submission.train(model, [tensor(each) for each in batches], 2, 0.01)
        if training and model.value("last_training") is False:
            raise Mismatch(
                "The model was in training mode before the call, but train runs it in evaluation "
                "mode.",
                mistake="trains-in-evaluation",
                separate=True,
            )
        if model.value("training") is not training:
            before, now = ("training", "evaluation") if training else ("evaluation", "training")
            raise Mismatch(
                f"The model was in {before} mode before the call, and it is in {now} mode after "
                "the call.",
                mistake="mode-changed",
                separate=True,
            )


def expect_one_rate(before, after, right):
    """Fail if all weights without a gradient shrank by the same wrong factor."""
    shares, share = after / before, float(np.mean(right / before))
    factor = float(np.mean(shares))
    alike = np.allclose(shares, factor, rtol=0, atol=1e-5)
    if alike and not np.allclose(factor, share, rtol=0, atol=1e-5):
        raise Mismatch(
            f"In {MANY} steps with lr=0.1, AdamW shrinks weights without a gradient by "
            f"{1 - share:.2%}. Yours shrank by {1 - factor:.2%}. So the number of steps is another "
            "one, or the learning rate or the weight decay is not the right one in all steps.",
            mistake="rate-scheduled",
            hints=OPTIMIZER,
        )


@pytest.mark.check(
    "Greedy generation",
    points=4,
    grades=["greedy"],
    hints=(
        "The logits of which position predict the token that comes after the whole text?",
        "The logits at the last position predict the next token. Append the likeliest token, "
        "and call the model again.",
        "Use model(tokens.unsqueeze(0))[0, -1].argmax(), then torch.cat. The prompt comes first "
        "in the result.",
    ),
)
def test_greedy(submission, kit, rng):
    for words, length, count in ((5, 1, 4), (8, 3, 6), (11, 4, 1)):
        weights = draw_model(rng, words)
        prompt = rng.integers(words, size=length)
        model = kit.MeanModel.kept(*(tensor(each) for each in weights))
        answer = run_generate(submission, model, prompt, count)
        try:
            expect_close(answer, greedy(*weights, prompt, count, 1000), "the sequence")
        except Mismatch:
            expect_not_sampled(submission, kit, model, prompt, count)
            raise


def expect_not_sampled(submission, kit, model, prompt, count):
    """Fail if the tokens at temperature 0 depend only on the seed of the generator."""
    form = form_of(submission, kit)
    try:
        first, again, *others = (
            run_generate(
                submission.aside(),
                model,
                prompt,
                count,
                form,
                temperature=0.0,
                generator=kit.generator.kept(seed),
            )
            for seed in (1, 1, 2, 3, 4, 5)
        )
    except (Mismatch, StudentProblem):
        return
    if np.array_equal(first, again) and any(not np.array_equal(first, each) for each in others):
        raise Mismatch(
            "With temperature=0.0, the tokens depend on the seed of the generator, so your code "
            "samples them. At temperature 0, take the token with the largest logit.",
            "the sequence",
            mistake="sampled-at-zero",
        )


@pytest.mark.check(
    "A sequence longer than the model can take",
    points=2,
    grades=["context"],
    hints=(
        "What does the model get if there are more tokens than max_seq_length?",
        "The model should get only the last max_seq_length tokens. The result should have all "
        "tokens.",
        "Pass tokens[-model.max_seq_length:] to the model. Do not shorten the tokens of the "
        "result.",
    ),
)
def test_context(submission, kit, rng, note):
    form = form_of(submission, kit)
    for words, length, count, limit in ((6, 2, 8, 4), (9, 7, 3, 5), (7, 3, 5, 1)):
        weights = draw_model(rng, words)
        prompt = rng.integers(words, size=length)
        model = kit.MeanModel.kept(*(tensor(each) for each in weights), limit)
        answer = run_generate(submission, model, prompt, count, form=form)
        expect_follows(
            answer,
            greedy(*weights, prompt, count, limit),
            lambda asked, w=weights, p=prompt, n=count, m=limit: own_words(asked, w, p, n, m, form),
            "the sequence",
            note,
            "choice of tokens",
            submission,
            vary=lambda context, words=words: (context + 1) % words,
            share=0.0,  # another word may leave the likeliest one unchanged
        )
        if model.value("longest") != min(limit, length + count - 1):
            raise Mismatch(
                f"The model can take {limit} tokens. It never got that many, although there were "
                "enough.",
                mistake="context-too-short",
            )


@pytest.mark.check(
    "Tokens sampled at a temperature",
    points=3,
    grades=["sampling"],
    hints=(
        "What does your code do with the logits before it samples a token?",
        "Divide the logits by the temperature, and take a softmax. Then sample one token with "
        "these probabilities and the given generator.",
        "Use torch.multinomial(torch.softmax(logits / temperature, dim=-1), 1, "
        "generator=generator).",
    ),
)
def test_drawn(submission, reference, kit, rng):
    form = form_of(submission, kit)
    generators = lambda rng: kit.generator.kept(int(rng.integers(2**31)))
    embedding, output = draw_model(rng, 5, 3)
    weights = embedding, output / 2
    model = kit.MeanModel.kept(*(tensor(each) for each in weights), 1)
    logits = mean_logits(*weights, np.arange(5)[:, None])[:, 0]
    for temperature in (0.6, 2.0, 1.0):

        def write(first, temperature=temperature):
            """Return this number of new words after `first`, sampled with a new generator."""
            drawn = {"temperature": temperature, "generator": generators(rng)}
            answer = run_generate(submission, model, np.array([first]), AT_ONCE, form, **drawn)
            if not np.isin(answer, range(5)).all():
                raise Mismatch("The sequence contains numbers that are not tokens of the model.")
            return answer.astype(np.int64)

        words, other = write(0), write(0)
        if not np.array_equal(words, other):  # otherwise the generator is not used: see below
            for _ in range(CALLS - 1):
                words = np.concatenate([words, write(words[-1])[1:]])
        found = what_was_drawn(words, logits, temperature)
        if found is not None:
            finding = found.finding[0].lower() + found.finding[1:]
            raise Mismatch(f"With temperature={temperature}, {finding}", mistake=found.id)
    weights = draw_model(rng, 60, 3)
    model = kit.MeanModel.kept(*(tensor(each) for each in weights), 1)
    drawn = {"temperature": 4.0, "generator": generators(rng)}
    words = run_generate(submission, model, np.array([0]), AT_ONCE, form, **drawn).astype(np.int64)
    logits = mean_logits(*weights, np.arange(60)[:, None])[:, 0]
    if least_likely_are_missing(words, reference.softmax(logits / 4.0), 20):
        raise Mismatch(
            f"None of {AT_ONCE} tokens is one of the 20 least likely of 60. About every sixth "
            "token should be, so unlikely tokens are never sampled.",
            mistake="unlikely-never-sampled",
        )


@pytest.mark.check(
    "The same generator gives the same tokens",
    points=1,
    grades=["random numbers"],
    hints=(
        "Where do the random numbers of your sampling come from?",
        "All random numbers of the sampling should come from the given generator.",
        "Pass the generator on: torch.multinomial(…, generator=generator).",
    ),
)
def test_generator(submission, kit, rng):
    form = form_of(submission, kit)
    weights = draw_model(rng, 9)
    model = kit.MeanModel.kept(*(tensor(each) for each in weights))

    def sampled(generator, temperature=1.0):
        drawn = {"temperature": temperature, "generator": generator}
        return run_generate(submission, model, np.array([1, 2]), 40, form, **drawn)

    def always_equal(generators):
        """Return True if two results are equal, even at a high temperature."""
        return all(
            np.array_equal(*(sampled(each, temperature) for each in generators()))
            for temperature in (1.0, 3.0)
        )

    first = sampled(kit.generator.kept(5))
    if not np.array_equal(first, sampled(kit.generator.kept(5))):
        raise Mismatch(
            "Two generators with the same seed give different tokens. So not all random numbers "
            "of the sampling come from the given generator.",
            mistake="generator-ignored",
            separate=True,
        )
    greedy_words = greedy(*weights, np.array([1, 2]), 40, 1000)
    if always_equal(lambda: (kit.generator.kept(5), kit.generator.kept(6))):
        if np.array_equal(first, greedy_words):
            raise Mismatch(
                "At temperature 1, your code always takes the likeliest token. It does not sample.",
                mistake="always-greedy",
            )
        if np.array_equal(first, sampled(None, 0.0)):
            raise Mismatch(
                "At temperature 1, your code gives the tokens of temperature 0. It samples none.",
                mistake="always-greedy",
            )
        raise Mismatch(
            "Two generators with different seeds give the same 40 tokens. So the sampling does "
            "not use the given generator unchanged.",
            mistake="generator-ignored",
        )
    if always_equal(lambda: (None, None)):
        raise Mismatch(
            "Without a generator, two calls in a row give the same 40 tokens. So the random "
            "numbers do not come from PyTorch's own generator.",
            mistake="own-seed",
            separate=True,
        )
    kept = kit.generator.kept(5)
    if always_equal(lambda: (kept, kept)):
        raise Mismatch(
            "Two calls in a row with the same generator give the same 40 tokens. The second "
            "call should continue with the generator as the first call left it.",
            mistake="generator-starts-again",
            separate=True,
        )


@pytest.mark.check(
    "Other sizes, unchanged arguments, independent calls",
    points=2,
    grades=["loss", "no side effects", "steps"],
    hints=(
        "What does a call leave behind in the model, in its arguments, or in a global name?",
        "cross_entropy should accept logits of any size. After generate, the model should still "
        "be able to train.",
        "Use torch.no_grad() as a `with` block, and torch.cat for the sequence. Do not use "
        "requires_grad_(False).",
    ),
)
def test_other_sizes(submission, rng, note, grading):
    submission = submission.fresh()  # first, the questions that no earlier check asks
    kit = kit_of(submission)
    weights = draw_model(rng, 10)
    batches = [rng.integers(10, size=(2, length)) for length in (3, 6, 2, 4)]
    logits, tokens = draw_loss(rng, 5, 9, 13)
    logits *= LARGE / np.abs(logits).max()  # as large as the logarithm of a softmax can be
    sent = tensor(logits), tensor(tokens)
    grading("no side effects")
    expect_independent_generation(submission, kit, rng, weights, batches)
    expect_unchanged_arguments(submission.next_token_loss, ["logits", "tokens"], *sent)
    first, again = (run_training(submission, kit, weights, batches, 9, 0.03)[1] for _ in range(2))
    expect_same_again(again, first, "the losses of another model's training", "train")
    model = kit.MeanModel.kept(*map(tensor, weights))
    names = ["model", "batches", "steps", "lr"]
    expect_unchanged_arguments(submission.train, names, model, [*map(tensor, batches)], 3, 0.03)
    grading("steps")
    used = run_training(submission, kit, weights, batches, 9, 0.03, used=True)[1]
    if not np.allclose(used, first, 1e-4, equal_nan=True):
        raise Mismatch(
            "If the weights have gradients before the call, the losses of train are others. The "
            "first step should not use these gradients.",
            mistake="old-gradients-used",
        )
    compare_losses(submission, first, (weights, batches, 9, 0.03), note)
    grading("loss")
    expect_close(
        one_number(submission.next_token_loss(*sent)),
        right_loss(logits, tokens),
        "the loss",
        condition=1e3,
    )


def expect_independent_generation(submission, kit, rng, weights, batches):
    """Pass if `generate` changes neither its arguments nor its model, even for 0 new tokens."""
    form = form_of(submission, kit)
    model = kit.MeanModel.kept(*(tensor(each) for each in weights))
    prompt = rng.integers(10, size=6)
    answer = run_generate(submission, model, prompt, 0, form=form)
    expect_close(answer, prompt, "the sequence, with no new tokens,")
    first = run_generate(submission, model, prompt, 5, form=form)
    run_generate(submission, model, prompt[::-1].copy(), 4, form=form)
    again = run_generate(submission, model, prompt, 5, form=form)
    expect_same_again(again, first, "the sequence", "generate")
    names = ["model", "prompt", "max_new_tokens"]
    expect_unchanged_arguments(submission.generate, names, model, tensor(prompt), 3)
    try:
        submission.train(model, [tensor(each) for each in batches], 1, 0.03)
    except Raised:  # if train fails for a new model too, its own error is reported
        run_training(submission, kit, weights, batches, 1, 0.03)
        raise Mismatch(
            "After generate has used a model, train fails. So generate has changed the model.",
            mistake="model-frozen",
            told="After generate has used a model, train fails. So generate has changed the model.",
        ) from None


def expect_same_again(again, first, what, name):
    if not np.allclose(again, first, 1e-4, equal_nan=True):
        raise Mismatch(
            f"The same call of {name} has another result after other calls. It depends on chance, "
            "or on something that an earlier call left behind.",
            what,
            mistake="remembers",
        )
