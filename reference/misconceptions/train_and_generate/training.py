"""Misconceptions about the training loop. Each runs with torch in float64."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from autograder.author import (
    Change,
    Comparison,
    Family,
    Hints,
    Probe,
    Recipe,
    Trait,
    constant,
    float32_probe,
)
from reference.misconceptions.formulas import formulas
from reference.results import as_single
from reference.training_changes import GRADIENTS, RATES
from reference.with_models import TrainsOne

STEP: Hints = (
    "What are the parts of one training step, in order?",
    "In each step, calculate next_token_loss(model(tokens), tokens), clear the old gradients, call "
    "backward and then step. PyTorch adds new gradients to those that are not cleared.",
    "Call optimizer.zero_grad(), then loss.backward(), then optimizer.step().",
)
OPTIMIZER: Hints = (
    "Where does your code make the optimizer?",
    "Make torch.optim.AdamW with the rate lr once, before the loop. It remembers the earlier "
    "steps.",
    "Write optimizer = torch.optim.AdamW(model.parameters(), lr=lr) before the loop.",
)
BATCHES: Hints = (
    "Which batch does each step use?",
    "Use the batches in order. After the last batch, begin again with the first.",
    "Look at the line that chooses the batch. An index begins again if you use `%`.",
)
LIST: Hints = (
    "What should the list contain?",
    "The list should have one float for each step: the loss before the step.",
    "Call losses.append(loss.item()) in every step, and return the list.",
)


@dataclass
class Loop:
    """Training loop in parts. By default, each part is correct."""

    optimizer: str = "AdamW"
    rate: Callable[[float, int, int], float] = lambda lr, step, steps: lr
    clear: str = "before backward"
    is_new: Callable[[int, int], bool] = lambda step, count: step == 0
    batch: Callable[[int, int], int] = lambda step, count: step % count
    count: Callable[[int, int], int] = lambda steps, _: steps
    sign: float = 1.0
    shift: int = 1
    whole_sum: bool = False
    gradients: Callable[[Sequence[Any]], object] = lambda parameters: None
    is_step: Callable[[int], bool] = lambda step: True
    noted: str = "before"
    listed: Callable[[list[float]], Any] = lambda losses: losses

    def run(self, model: Any, batches: Sequence[Any], steps: int, lr: float) -> Any:
        import torch

        losses: list[float] = []
        for step in range(self.count(steps, len(batches))):
            tokens = batches[self.batch(step, len(batches))]
            loss = self._loss(torch, model(tokens), tokens)
            losses.append(float(loss.detach()))
            if self.is_new(step, len(batches)):
                optimizer = self._optimizer(torch, model, lr)
            optimizer.param_groups[0]["lr"] = self.rate(lr, step, steps)
            self._step(model, optimizer, loss, step)
            if self.noted == "after":
                with torch.no_grad():
                    losses[-1] = float(self._loss(torch, model(tokens), tokens))
        return self.listed(losses)

    def _step(self, model: Any, optimizer: Any, loss: Any, step: int) -> None:
        if self.clear == "before backward":
            optimizer.zero_grad()
        (self.sign * loss).backward()
        if self.clear == "before step":
            optimizer.zero_grad(set_to_none=False)
        self.gradients(list(model.parameters()))
        if self.is_step(step):
            optimizer.step()

    def _optimizer(self, torch: Any, model: Any, lr: float) -> Any:
        return getattr(torch.optim, self.optimizer)(model.parameters(), lr=lr)

    def _loss(self, torch: Any, logits: Any, tokens: Any) -> Any:
        predictions, targets = logits[:, : tokens.shape[1] - self.shift], tokens[:, self.shift :]
        return torch.nn.functional.cross_entropy(
            predictions.flatten(0, 1),
            targets.flatten(),
            reduction="sum" if self.whole_sum else "mean",
        )


def _run(s: Any) -> Any:
    import torch

    from reference.small_models import MeanModel, rows

    model = MeanModel(torch.tensor(s.embedding), torch.tensor(s.output))
    losses = s.loop.run(model, [torch.tensor(each) for each in s.batches], s.steps, s.lr)
    s.after = rows(model).numpy()
    return np.array(losses)


class Trained(TrainsOne):
    def simulated(self, recipe: Recipe, original: Any, wrong: Iterable[Change]) -> Any:  # noqa: ARG002
        changes = {
            name: change(None)
            for misconception in wrong
            for name, change in misconception.replaces.items()
        }
        return Loop(**changes).run


STEPS = {
    **{name: lambda s, value=value: value for name, value in vars(Loop()).items()},
    "loop": lambda s: Loop(**{name: getattr(s, name) for name in vars(Loop())}),
    "losses": _run,
}


def _running_mean(losses: list[float]) -> Any:
    return list(np.cumsum(losses) / np.arange(1, len(losses) + 1))


TRAIN = Recipe(
    "train",
    lambda draw: probes(draw),
    (
        Family(
            None,
            STEP,
            means=constant,
            ways={
                "gradients-not-cleared": (
                    "The gradients are not cleared between steps: each step uses the sum of all "
                    "gradients so far.",
                    {"clear": "never"},
                ),
                "cleared-before-step": (
                    "Your losses match gradients that are cleared after backward(), before the "
                    "step can use them.",
                    {"clear": "before step"},
                ),
                "no-step": (
                    "In your training, the weights never change, as without a step, or with a "
                    "step before backward() or after the gradients are cleared.",
                    {"is_step": lambda step: False},
                ),
                "ascends": (
                    "Your training makes the loss larger, as with a reversed sign of the loss or "
                    "of the gradients.",
                    {"sign": -1.0},
                ),
                "every-second-step": (
                    "In your training, the weights change only in every second step.",
                    {"is_step": lambda step: step % 2 == 1},
                    {"is_step": lambda step: step % 2 == 0},
                ),
                "gradients-changed": [
                    (
                        f"Your losses match a training that {words}.",
                        {"gradients": change},
                    )
                    for words, change in GRADIENTS
                ],
                "targets-shifted-twice": (
                    "Your targets are shifted by two positions: the prediction for one token is "
                    "compared with the token after it.",
                    {"shift": 2},
                ),
                "target-not-shifted": (
                    "Each token is predicted at its own position, where the model has already "
                    "seen it.",
                    {"shift": 0},
                ),
                "loss-after-step": (
                    "Each loss is computed after its step. It should be computed before the step.",
                    {"noted": "after"},
                ),
                "sum-for-mean": (
                    "The losses are sums over all predictions. They should be means.",
                    {"whole_sum": True},
                ),
            },
        ),
        formulas(
            "optimizer",
            "Your losses match",
            "AdamW",
            ("plain-descent", "plain gradient descent (SGD)", "SGD"),
            ("no-weight-decay", "Adam, which has no weight decay", "Adam"),
            ("rmsprop", "RMSprop", "RMSprop"),
            ("adagrad", "Adagrad", "Adagrad"),
            ("adamax", "Adamax", "Adamax"),
            hints=OPTIMIZER,
            means=constant,
        ),
        Family(
            "optimizer",
            OPTIMIZER,
            means=constant,
            ways={
                "optimizer-made-anew": [
                    (
                        f"Your losses match a new optimizer {when}. A new optimizer does not "
                        "remember earlier steps.",
                        {"is_new": is_new},
                    )
                    for when, is_new in (
                        ("in each step", lambda step, _: True),
                        ("in each pass over the batches", lambda n, count: n % count == 0),
                    )
                ],
                "rate-ignored": [
                    (
                        f"Your losses match the learning rate {rate:g}{{, whatever lr is}}.",
                        {"rate": lambda lr, step, steps, rate=rate: rate},
                    )
                    for rate in (1e-3, 1e-2, 1e-1)
                ],
                "rate-scheduled": [
                    (
                        f"Your losses match a training that {words}. The learning rate "
                        "should be lr in every step.",
                        {"rate": rate},
                    )
                    for words, rate in RATES
                ],
            },
        ),
        Family(
            "batch",
            BATCHES,
            means=constant,
            ways={
                "first-batch-only": (
                    "In your code, every step uses the first batch.",
                    lambda step, count: 0,
                ),
                "last-batch-only": (
                    "In your code, every step uses the last batch.",
                    lambda step, count: count - 1,
                ),
                "batches-backwards": (
                    "Your code uses the batches from the last to the first.",
                    lambda step, count: -1 - step % count,
                ),
                "from-the-second": (
                    "In your code, the first step uses the second batch.",
                    lambda step, count: (step + 1) % count,
                ),
                "stays-at-the-last": (
                    "After the last batch, your code uses this batch again and again. It "
                    "should begin again with the first batch.",
                    lambda step, count: min(step, count - 1),
                ),
                "one-pass-only": (
                    "Your training ends after every batch has been used once. Not all steps are "
                    "done.",
                    {"count": lambda steps, batches: min(steps, batches)},
                ),
                "steps-for-each-batch": (
                    "Your code uses each batch `steps` times. `steps` is the number of all steps "
                    "together.",
                    {"count": lambda steps, batches: steps * batches},
                ),
                "one-step-too-few": (
                    "Your losses are those of one step too few.",
                    {"count": lambda steps, _: steps - 1},
                ),
                "one-step-too-many": (
                    "Your losses are those of one step too many.",
                    {"count": lambda steps, _: steps + 1},
                ),
            },
        ),
        formulas(
            "listed",
            "Your code returns",
            "a list with the loss of each step",
            (
                "last-loss-only",
                "only the last loss",
                lambda losses: losses[-1:],
                lambda losses: losses[-1],
            ),
            (
                "mean-loss-only",
                "only the mean of the losses",
                lambda losses: float(np.mean(losses)),
            ),
            ("running-mean", "the mean of all losses so far", _running_mean),
            ("running-sum", "the sum of all losses so far", lambda losses: list(np.cumsum(losses))),
            ("losses-backwards", "the losses in reverse order", lambda losses: losses[::-1]),
            hints=LIST,
            means=constant,
        ),
    ),
    steps=STEPS,
    parameters=("embedding", "output", "batches", "steps", "lr"),
    traits=(
        Trait(
            lambda s: len(s.batches) < s.steps,
            "if there are more steps than batches",
            "if there are as many batches as steps",
        ),
        Trait(lambda s: len(s.batches) > 1, "with several batches", "with a single batch"),
    ),
    caller=Trained(),
    comparison=Comparison(precision=np.float32, read=as_single),
)


def probes(draw: int) -> Sequence[Probe]:
    rng = np.random.default_rng([36, draw])

    def case(words: int, count: int, steps: int, lr: float) -> Probe:
        embedding, output = rng.normal(size=(words, 4)), 1.5 * rng.normal(size=(words, 4))
        batches = [rng.integers(words, size=(3, 4)) for _ in range(count)]
        return float32_probe(Probe((embedding, output, batches, steps, lr), condition=200.0))

    return [case(5, 1, 4, 0.05), case(7, 3, 5, 0.2), case(6, 4, 4, 0.03), case(8, 2, 5, 0.08)]
