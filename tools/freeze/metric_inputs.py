"""What metrics and extractors are tried on: hard texts out of the golden answers, in the form that each takes."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import cycle, islice
from typing import Any

from tools.freeze.golden_sets import golden_files

NEURAL = ("bart_score", "clip_score", "fid")
"""Metrics that are left out."""
SIZE = 90
"""How many examples a metric is tried on."""
MANY_FILES = tuple(f"{name}.json" for name in ("squad1/answers", "qa/answers", "coqa/answers", "triviaqa/answers"))
Golden = dict[str, Any]


@lru_cache
def read_cases(file: str) -> list[Golden]:
    """The single cases in a golden file of answers."""
    document = json.loads((golden_files() / file).read_text(encoding="utf-8"))
    return document if isinstance(document, list) else document["cases"]


@dataclass(frozen=True, eq=False)
class MetricInput:
    """Which fields of which golden files are predictions, references and columns."""

    files: tuple[str, ...] = (*MANY_FILES, "mlqa/answers.json", "longbench/answers_zh.json")
    prediction: str = "prediction"
    references: str = "golds"
    columns: Mapping[str, str | tuple[Any, ...]] = field(default_factory=dict)
    """Columns by name: a field, or values that are taken in turn."""
    options: Mapping[str, Any] = field(default_factory=dict)
    """Options that every case has."""
    is_usable: Callable[[Golden], bool] = bool
    """Which golden cases the metric takes; by default all."""
    is_one_list: bool = False
    """Whether the field holds one reference, which is a list."""
    as_dictionaries: bool = False
    """Whether predictions and references are dictionaries, as Hugging Face `evaluate` has them."""

    @lru_cache  # noqa: B019 - they are few and never go
    def read(self) -> dict[str, list[Any]]:
        """The keywords for `compute`."""
        fields = {self.prediction, self.references, *(each for each in self.columns.values() if isinstance(each, str))}
        cases: list[Golden] = []
        wanted = SIZE // len(self.files)
        for file in self.files:
            found = [case for case in read_cases(file) if fields <= case.keys() and self.is_usable(case)]
            cases += found[:: len(found) // wanted][:wanted]
        predictions = [case[self.prediction] for case in cases]
        references = [self._listed(case[self.references]) for case in cases]
        columns = {name: self._column(cases, each) for name, each in self.columns.items()}
        if self.as_dictionaries:
            return _dictionaries(predictions, references, columns)
        return {"predictions": predictions, "references": references, **columns}

    def _listed(self, found: Any) -> list[Any]:
        return [found] if self.is_one_list or not isinstance(found, list) else found

    def _column(self, cases: list[Golden], source: str | tuple[Any, ...]) -> list[Any]:
        if not isinstance(source, str):
            return list(islice(cycle(source), len(cases)))
        return [tuple(value) if isinstance(value, list) else value for value in (case[source] for case in cases)]


def _dictionaries(
    predictions: list[str], references: list[list[str]], columns: dict[str, list[Any]]
) -> dict[str, list[Any]]:
    rows = enumerate(zip(predictions, *columns.values(), strict=True))
    answers = ({"text": golds, "answer_start": [0] * len(golds)} for golds in references)
    return {
        "predictions": [
            {"id": str(at), **dict(zip(("prediction_text", *columns), row, strict=True))} for at, row in rows
        ],
        "references": [{"id": str(at), "answers": each} for at, each in enumerate(answers)],
    }


def _one(file: str, prediction: str = "prediction", references: str = "golds", **others: Any) -> MetricInput:
    return MetricInput((f"{file}.json",), prediction, references, **others)


def _with_gold(**others: Any) -> MetricInput:
    return MetricInput(is_usable=lambda case: bool(case["golds"]), **others)


_ANLS = _one("docvqa/answers", references="gold")
_VOTES = _one("vizwiz/scores", references="answers")
_YES_NO = _one("pope/answers", "answer", "label", is_usable=lambda case: case["label"] in ("yes", "no"))
_LETTERS = _one(
    "mmmu/answers",
    "response",
    "official",
    columns={"choices": "options"},
    is_usable=lambda case: bool(case["official"]),
)
_OF_PROBLEMS = {name: name for name in ("question_type", "answer_type", "choices", "precision")}
_CATEGORIES = {"category": ("color", "shape", "YesNo", "number", "choose", "Others", "text")}
_CHANCES = {"no_answer_probability": (0.0, 0.25, 0.5, 0.75, 1.0)}
_NO_LEXICON = {"lexicon": "none"}

PLAIN = MetricInput()
"""Texts and lists of texts, as most metrics take them."""
INPUTS = {
    "acc_approx": MetricInput(columns=_CATEGORIES),
    "anls": _ANLS,
    "choice_accuracy": _LETTERS,
    "contains": _one("popqa/answers", "pred", "possible_answers"),
    "drop": _one("drop/answers", references="gold", is_one_list=True),
    "evidence_f1": _one("qasper/evidence", references="gold", is_one_list=True),
    "fusionbrain_mathqa": _with_gold(),
    "fusionbrain_textqa": _with_gold(),
    "fusionbrain_visualqa": _with_gold(options=_NO_LEXICON),
    "gqa_scores": _one("gqa/answers", references="answer"),
    "longbench": MetricInput(columns={"task": ("hotpotqa", "triviaqa", "multifieldqa_zh")}),
    "mathvista_accuracy": _one(
        "mathvista/answers",
        "extraction",
        "answer",
        columns=_OF_PROBLEMS,
        is_usable=lambda case: isinstance(case["extraction"], str),
    ),
    "meteor": _with_gold(options=_NO_LEXICON),
    "mme_accuracy": _YES_NO,
    "mmmu_accuracy": _LETTERS,
    "ned": _ANLS,
    "numeric_answer": _one("gsm8k/answers", references="gold"),
    "ocrbench_match": _one("ocrbench/answers", "predict", "answers", columns={"dataset_name": "dataset_name"}),
    "pattern_match": _one("nq_open/answers_regex"),
    "relaxed_accuracy": _one("chartqa/answers", references="gold"),
    "set_f1": _one("musique/support", references="gold"),
    "squad": MetricInput(columns=_CHANCES),
    "squad_v1": _with_gold(as_dictionaries=True),
    "squad_v2": MetricInput(columns=_CHANCES, as_dictionaries=True),
    "stvqa_accuracy": _ANLS,
    "vqa_accuracy": _VOTES,
    "votes": _VOTES,
    "webqa_accuracy": MetricInput(columns=_CATEGORIES),
    "yes_no": _YES_NO,
}
"""By the name of the metric; the others take plain ones."""

EXTRACTORS = (
    "after-think",
    "after-think+final-answer",
    "boxed",
    "choice",
    "choice:D",
    "final-answer",
    "first-line",
    "json:answer",
    "last-line",
    "last-line+number",
    "number",
    r"regex:(?i)answer is (\w+)",
)
CHATTY = (
    "<think>41? No, 42.</think> The answer is 42.",
    "<think>never closed",
    "Rome? No.\nAnswer: **Paris**",
    "So we get $\\boxed{\\frac{1}{2}}$ and not \\boxed{3}.",
    '{"reason": "because", "answer": "B"}',
    'Here it is:\n```json\n{"answer": ["x", 1.5, null]}\n```',
    "(C) is wrong, so I choose D.",
    "Answer:",
    "1,234.50 or -7e3, about 5 %",
    "",
)


@lru_cache
def chatty_texts() -> list[str]:
    """Long answers: ours, and others out of the golden files."""
    files = {"gsm8k": "prediction", "mmmu": "response", "scienceqa": "text", "mathvista": "extraction"}
    found = list(CHATTY)
    for folder, name in files.items():
        cases = read_cases(f"{folder}/answers.json")
        texts = [case[name] for case in cases if isinstance(case.get(name), str)]
        found += texts[:: len(texts) // 25]
    return found
