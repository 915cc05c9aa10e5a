"""Small models of the course. The student's functions train them and generate text with them."""

import numpy as np

from autograder.author import StudentProblem, expect_numbers, expect_shape, tensor


def draw_model(rng, words, width=6):
    return (
        rng.normal(size=(words, width)).astype(np.float32),
        (1.5 * rng.normal(size=(words, width))).astype(np.float32),
    )


def run_training(submission, kit, weights, batches, steps, lr, used=False):
    """Return the trained model and the losses. A `used` model has gradients before the call."""
    model = kit.MeanModel.kept(*(tensor(each) for each in weights))
    model = kit.with_gradients.kept(model) if used else model
    losses = submission.train(model, [tensor(each) for each in batches], steps, lr)
    answer = expect_numbers(losses, "the list of losses")
    if answer.ndim > 1 and answer.size == steps:
        answer = answer.reshape(-1)
    return model, expect_shape(answer, (steps,), "the list of losses").astype(np.float32)


def run_generate(submission, model, prompt, count, form="plain", **drawn):
    """Return the prompt and the new words. `form` is the form in which the student returns them."""
    answer = expect_numbers(
        submission.generate(model, tensor(prompt), count, **drawn), "the sequence"
    )
    if form == "batch" and answer.shape == (1, len(prompt) + count):
        answer = answer[0]
    if form == "new" and answer.shape == (count,):
        answer = np.concatenate([prompt, answer])
    return expect_shape(answer, (len(prompt) + count,), "the sequence")


def form_of(submission, kit):
    """Return the form of the student's sequences: plain, a batch of one, or without the prompt.

    Only the check of greedy generation grades the form.
    """
    rng = np.random.default_rng(1)
    model = kit.MeanModel.kept(*(tensor(each) for each in draw_model(rng, 5)))
    try:
        answer = np.asarray(submission.aside().generate(model, tensor(np.array([1, 3])), 3))
    except StudentProblem as problem:
        if problem.kind in {"timed out", "crashed"}:  # its models end with its process
            raise
        return "plain"
    except ValueError:
        return "plain"
    return {(1, 5): "batch", (3,): "new"}.get(answer.shape, "plain")


def one_number(answer):
    numbers = expect_numbers(answer, "the loss")
    return numbers.reshape(()) if numbers.size == 1 else numbers
