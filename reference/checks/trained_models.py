"""What a student's training and writing make of the course's small models."""

import numpy as np

from autograder.checking.expect import expect_numbers, expect_results, expect_shape
from autograder.checking.once import computed_once
from autograder.sandbox.problems import StudentProblem
from autograder.worker.codec import tensor
from reference.kit import kit_of


def draw_model(rng, words, width=6):
    return (
        rng.normal(size=(words, width)).astype(np.float32),
        (1.5 * rng.normal(size=(words, width))).astype(np.float32),
    )


@computed_once
def right_losses(weights, batches, steps, lr):
    """The course's own training, and the embedding after it."""
    import torch

    from reference import small_models, training

    model = small_models.MeanModel(*(torch.from_numpy(each).double() for each in weights))
    losses = training.train(model, [torch.from_numpy(each) for each in batches], steps, lr)
    return np.array(losses), small_models.rows(model).numpy()


def run_training(submission, kit, weights, batches, steps, lr):
    model = kit.MeanModel.kept(*(tensor(each) for each in weights))
    losses = submission.train(model, [tensor(each) for each in batches], steps, lr)
    answer = expect_numbers(losses, "the list of losses")
    if answer.ndim > 1 and answer.size == steps:
        answer = answer.reshape(-1)
    return model, expect_shape(answer, (steps,), "the list of losses").astype(np.float32)


def run_generate(submission, model, prompt, count, form="plain", **drawn):
    """The sequence; in the `form` that the student gives all of them, with its prompt in front."""
    answer = expect_numbers(
        submission.generate(model, tensor(prompt), count, **drawn), "the sequence"
    )
    if form == "batch" and answer.shape == (1, len(prompt) + count):
        answer = answer[0]
    if form == "new" and answer.shape == (count,):
        answer = np.concatenate([prompt, answer])
    return expect_shape(answer, (len(prompt) + count,), "the sequence")


def form_of(submission, kit):
    """How the student's sequences come: plain, as a batch of one, or without the prompt.

    That is graded with the greedy words, and with nothing else.
    """
    rng = np.random.default_rng(1)
    model = kit.MeanModel.kept(*(tensor(each) for each in draw_model(rng, 5)))
    try:
        answer = np.asarray(submission.aside().generate(model, tensor(np.array([1, 3])), 3))
    except (StudentProblem, ValueError):
        return "plain"
    return {(1, 5): "batch", (3,): "new"}.get(answer.shape, "plain")


def of_own_words(asked, weights, prompt, count, limit, form):
    """The sequence whose every word is the student's own choice after the last `limit` words."""
    tokens = list(prompt)

    def choice(mine, context):
        kit = kit_of(mine)
        model = kit.MeanModel.kept(*(tensor(each) for each in weights))
        return run_generate(mine, model, context, 1, form=form)[-1:]

    for _ in range(count):
        tokens.append(int(asked.ask(choice, np.array(tokens[-limit:]))[0]))
    return tokens


def one_number(answer):
    numbers = expect_numbers(answer, "the loss")
    return numbers.reshape(()) if numbers.size == 1 else numbers


def losses_of_own_loss(asked, weights, batches, steps, lr):
    """The losses of a right training with the student's own loss: one mistake costs once."""
    import torch

    from reference import small_models

    model = small_models.MeanModel(*(torch.from_numpy(each).double() for each in weights))
    optimizer = torch.optim.AdamW(model.parameters(), lr=lr)
    losses = []

    def own_loss(mine, logits):
        """The loss, then its gradient by the logits."""
        kit = kit_of(mine)
        own = mine.kept_value("next_token_loss")
        both = kit.with_gradient(own, tensor(logits), tensor(tokens))
        loss, gradient = expect_results(both, ("loss", "gradient"), "next_token_loss")
        found = expect_shape(gradient, logits.shape, "the gradient")
        return np.append(one_number(loss), found.ravel())

    for step in range(steps):
        tokens = batches[step % len(batches)]
        logits = model(torch.from_numpy(tokens))
        loss, *gradient = asked.ask(own_loss, logits.detach().numpy())
        optimizer.zero_grad()
        logits.backward(torch.tensor(gradient, dtype=torch.float64).reshape(logits.shape))
        optimizer.step()
        losses.append(float(loss))
    return losses
