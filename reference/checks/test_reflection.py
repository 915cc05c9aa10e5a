"""Checks of `reflection`.

They test only that each question has an answer, because an instructor marks the answers.
"""

import pytest

from autograder.author import TEXT_STUB, NotStarted

TITLES = {
    "why_scale": "Why the scores are divided by √d_k",
    "attention_or_recurrence": "Attention against recurrent networks",
    "what_it_means": "How “it” finds its referent",
}


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(
            name,
            id=name,
            marks=pytest.mark.check(
                f"{title}: answered",
                points=1,
                grades=["ten words"],
                hints=(
                    "What would you tell a friend who asked you this?",
                    "Write a few sentences in your own words. Say what happens, and why.",
                    f"Replace the text {TEXT_STUB} in its cell by your answer.",
                ),
            ),
        )
        for name, title in TITLES.items()
    ],
)
def test_answered(submission, name):
    if not submission.answer(name).replace(TEXT_STUB, "").strip():
        raise NotStarted(f"the answer to “{TITLES[name]}”")
