"""Asking never changes the answer: what was looked at before is seen in no comparison and no saved run."""

from __future__ import annotations

from collections.abc import Callable
from itertools import permutations
from pathlib import Path

import pytest

import fullmarks
from fullmarks.analysis.compare import compare
from fullmarks.analysis.intervals import Sampling, confidence, slice_confidence
from fullmarks.analysis.saved import save_run
from fullmarks.analysis.standings import standings
from fullmarks.report.html_page import html_page
from fullmarks.report.page_content import page_content

QUICK = Sampling(resamples=60)
GOLD = {
    "data": [
        {
            "title": f"title {article}",
            "paragraphs": [
                {
                    "qas": [
                        {
                            "id": f"{article}-{at}",
                            "question": f"which {at % 2}?",
                            "answers": [{"text": "cat"}] if at else [],
                        }
                        for at in range(6)
                    ]
                }
            ],
        }
        for article in range(3)
    ]
}
IDS = [f"{article}-{at}" for article in range(3) for at in range(6)]
ANSWERS = {
    "base": dict.fromkeys(IDS, "cat"),
    "other": {identifier: ("dog", "cat", "")[at % 3] for at, identifier in enumerate(IDS)},
}

Question = Callable[[fullmarks.Result], object]
QUESTIONS: dict[str, Question] = {
    "by question": lambda run: run.by("question"),
    "by paragraph": lambda run: run.by("paragraph"),
    "by title": lambda run: run.by("title"),
    "repr": repr,
    "html": lambda run: run._repr_html_(),
    "to_dict": lambda run: run.to_dict(),
    "per_example": lambda run: list(run.per_example),
    "confidence": lambda run: confidence(run, QUICK),
    "slices": lambda run: slice_confidence(run, "question", QUICK),
}


def runs() -> dict[str, fullmarks.Result]:
    return {name: fullmarks.score("squad2", GOLD, answers) for name, answers in ANSWERS.items()}


def told(asked: dict[str, fullmarks.Result], folder: Path) -> list[object]:
    """Everything that is made of runs, to the last byte: twice, for making it is looking too."""
    found: list[object] = []
    for _ in range(2):
        found.append(repr(vars(compare(asked, sampling=QUICK))))
        found.append(b"".join(html_page(page_content(standings(asked, sampling=QUICK)))))
        for name, run in asked.items():
            save_run(run, folder / f"{name}.json")
            found += [(folder / f"{name}.json").read_bytes(), repr(run.to_dict()), run.signature]
    return found


@pytest.fixture(scope="module")
def unasked(tmp_path_factory: pytest.TempPathFactory) -> list[object]:
    found = told(runs(), tmp_path_factory.mktemp("unasked"))
    assert found[: len(found) // 2] == found[len(found) // 2 :]
    return found


@pytest.mark.parametrize("asked", QUESTIONS)
def test_one_question_before(asked: str, unasked: list[object], tmp_path: Path) -> None:
    looked_at = runs()
    for run in looked_at.values():
        QUESTIONS[asked](run)
    assert told(looked_at, tmp_path) == unasked


@pytest.mark.parametrize("order", list(permutations(["by question", "to_dict", "per_example"])), ids=", ".join)
def test_several_questions_in_any_order(order: tuple[str, ...], unasked: list[object], tmp_path: Path) -> None:
    looked_at = runs()
    for asked in order:
        QUESTIONS[asked](looked_at["base"])
    assert told(looked_at, tmp_path) == unasked


def test_the_answer_is_one_s_own() -> None:
    """What is done to an answer is not seen in the next one."""
    run = runs()["base"]
    run.by("title")["title 0"]["exact"] = 7.0
    assert run.by("title")["title 0"]["exact"] != 7.0
    run.per_example[0]["prediction"] = "changed"
    assert run.per_example[0]["prediction"] == "cat"


def test_numbers_that_statistics_are_made_of_cannot_be_changed() -> None:
    from fullmarks.analysis.pairs import alone

    (_, rows) = alone(runs()["base"].tally).rows[0]
    with pytest.raises(ValueError, match="read-only"):
        rows[0, 0] = 0.5
