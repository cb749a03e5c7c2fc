"""Answers, supporting facts, evidence and pairs of multihop questions, against their rules written out plainly.

Ours is the way from what the files hold to the sums; reading them is measured for whole commands elsewhere.
"""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import plain_multihop_rules

import fullmarks
from case import Case, Settings
from data import LATIN, make_examples
from fullmarks.metrics.metric import Metric
from fullmarks.protocols.hotpotqa.metric import HotpotqaScores
from fullmarks.protocols.musique.metric import MusiqueScores
from fullmarks.protocols.twowiki.metric import TwowikiScores
from fullmarks.text import kernel
from fullmarks.types import Examples, Total

SIZE = 10_000
PLAIN = "plain rules"
KEYS = ("em", "f1", "prec", "recall")


class Questions:
    """Made questions in the form of all three benchmarks, predictions right in about half of their parts."""

    def __init__(self) -> None:
        source = random.Random(4)
        words = ["".join(source.choices(LATIN, k=source.randint(4, 12))).capitalize() for _ in range(3_000)]
        predictions, references = make_examples(LATIN, SIZE, 1)
        self.gold: list[dict[str, Any]] = []
        self.predictions: dict[str, dict[str, Any]] = {"answer": {}, "sp": {}, "evidence": {}}
        self.rows: list[dict[str, Any]] = []
        self.aliases = {f"Q{number}": source.choices(words, k=3) for number in range(2_000)}
        for number, (answer, golds) in enumerate(zip(predictions, references, strict=True)):
            identifier = f"2hop__{number}"
            facts = [[source.choice(words), source.randrange(8)] for _ in range(source.choice((2, 2, 2, 3, 4)))]
            triples = [[*source.choices(words, k=2), source.choice(words)] for _ in range(2)]
            ids = [[f"Q{source.randrange(2_000)}", relation, None] for _, relation, _ in triples]
            paragraphs = [{"idx": place, "is_supporting": place % 7 == number % 7} for place in range(20)]
            self.gold.append(
                {
                    "_id": identifier,
                    "id": identifier,
                    "answer": golds[0],
                    "answer_id": f"Q{source.randrange(2_000)}",
                    "answer_aliases": golds[2:],
                    "answerable": True,
                    "supporting_facts": facts,
                    "evidences": triples,
                    "evidences_id": ids,
                    "paragraphs": paragraphs,
                }
            )
            other = [[source.choice(words), source.randrange(8)]]
            self.predictions["answer"][identifier] = answer
            self.predictions["sp"][identifier] = [list(fact) for fact in facts if source.random() < 0.8] + (
                other if source.random() < 0.4 else []
            )
            self.predictions["evidence"][identifier] = [list(triple) for triple in triples if source.random() < 0.7]
            numbers = [place for place in range(20) if place % 7 == number % 7 and source.random() < 0.8]
            said = {"predicted_support_idxs": [*numbers, 1], "predicted_answerable": True}
            self.rows.append({"id": identifier, "predicted_answer": answer, **said})

    @property
    def alias_rows(self) -> list[dict[str, Any]]:
        return [{"Q_id": key, "aliases": names, "demonyms": []} for key, names in self.aliases.items()]


def sums(metric: Metric, examples: Examples) -> dict[str, float]:
    """The scores of a metric: its rows added up and finished."""
    rows = metric.rows(examples)
    return metric.finish(Total(len(examples), tuple(kernel.fold(rows, len(metric.columns)))))


def same(ours: dict[str, float], theirs: dict[str, float]) -> bool:
    """Whether the numbers are equal, to the last digit, in the same order."""
    return list(ours.values()) == list(theirs.values())


def answers_of_hotpotqa(questions: Questions) -> dict[str, float]:
    """HotpotQA's answers alone by the plain rule."""
    totals = [0.0] * 4
    for question in questions.gold:
        prediction, gold = questions.predictions["answer"][question["_id"]], question["answer"]
        scores = float(plain_multihop_rules.exact(prediction, gold)), *plain_multihop_rules.overlap(prediction, gold)
        totals = [total + score for total, score in zip(totals, scores, strict=True)]
    return {key: total / len(questions.gold) for key, total in zip(KEYS, totals, strict=True)}


def cases(settings: Settings) -> Iterator[Case]:
    questions = Questions()
    alone = fullmarks.score("hotpotqa", questions.gold, questions.predictions["answer"])
    hotpotqa = fullmarks.score("hotpotqa", questions.gold, {k: questions.predictions[k] for k in ("answer", "sp")})
    twowiki = fullmarks.score("twowiki", questions.gold, questions.predictions, aliases=questions.alias_rows)
    musique = fullmarks.score("musique", questions.gold, questions.rows)
    plain_twowiki = lambda: {  # noqa: E731 - one line a rule
        key: value / 100
        for key, value in plain_multihop_rules.twowiki(questions.gold, questions.predictions, questions.aliases).items()
    }
    rules: list[tuple[str, Metric, Any, Any, int | None]] = [
        ("HotpotQA's answers", alone.tally.metrics[0], alone, lambda: answers_of_hotpotqa(questions), 30),
        (
            "HotpotQA's answers and facts",
            HotpotqaScores(),
            hotpotqa,
            lambda: plain_multihop_rules.hotpotqa(questions.gold, questions.predictions),
            20,
        ),
        (
            "2WikiMultihopQA's answers, facts and evidence",
            TwowikiScores(with_aliases=True),
            twowiki,
            plain_twowiki,
            None,
        ),
        (
            "MuSiQue's answers and paragraphs",
            MusiqueScores(),
            musique,
            lambda: plain_multihop_rules.musique(questions.gold, questions.rows),
            30,
        ),
    ]
    for subject, metric, result, plain, wanted in rules:
        promised = wanted is not None and kernel.IMPLEMENTATION == "c"
        yield Case(
            subject,
            "made",
            SIZE,
            lambda metric=metric, examples=result.tally.examples: sums(metric, examples),
            {PLAIN: plain},
            same=same if "2Wiki" not in subject else nearly_same,
            wanted={PLAIN: float(wanted)} if promised and wanted else {},
            rounds=2 if settings.quick else 3,
            turns=3,
        )


def nearly_same(ours: dict[str, float], theirs: dict[str, float]) -> bool:
    """The same up to the multiplication by 100 that the plain rule has and that is taken back."""
    return all(abs(a - b) <= 1e-15 for a, b in zip(ours.values(), theirs.values(), strict=True))
