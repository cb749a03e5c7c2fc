"""The calls that the documentation shows, on what a caller has in hand: lists of texts, objects, two texts."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import fullmarks
import official_squad2
from case import Case, Settings
from data import Examples, read_squad, squad_files

Rule = Callable[[str, list[str]], Any]


def plain(examples: Examples, rule: Rule) -> list[Any]:
    return [rule(prediction, golds) for prediction, golds in zip(*examples, strict=True)]


def best_f1(prediction: str, golds: list[str]) -> float:
    return max((official_squad2.token_f1(prediction, gold, 1.0) for gold in golds), default=0.0)


def best_exact(prediction: str, golds: list[str]) -> float:
    return max((official_squad2.exact_match(prediction, gold) for gold in golds), default=0.0)


def squad1_scores(prediction: str, golds: list[str]) -> tuple[float, float]:
    scores = [
        (official_squad2.exact_match(prediction, gold), official_squad2.token_f1(prediction, gold, 0.0))
        for gold in golds
    ]
    return max(exact for exact, _ in scores), max(f1 for _, f1 in scores)


def by_name(scores: list[tuple[float, float]]) -> dict[str, list[float]]:
    return {"exact": [exact for exact, _ in scores], "f1": [f1 for _, f1 in scores]}


def means(scores: list[tuple[float, float]]) -> dict[str, float]:
    return {name: official_squad2.left_fold(values) / len(values) for name, values in by_name(scores).items()}


def batches(examples: Examples, size: int) -> dict[str, Any]:
    scorer = fullmarks.load("squad")
    for start in range(0, len(examples[0]), size):
        predictions, references = (values[start : start + size] for values in examples)
        scorer.add_batch(predictions=predictions, references=references)
    return scorer.compute()


def lists(name: str, examples: Examples) -> Iterator[Case]:
    """Metrics that were loaded by name, over lists."""
    given = dict(zip(("predictions", "references"), examples, strict=True))

    def case(subject: str, ours: Callable[[], Any], theirs: Callable[[], Any], wanted: float) -> Case:
        peers = {"plain rules": theirs}
        return Case(subject, name, len(examples[0]), ours, peers, wanted={"plain rules": wanted}, turns=9)

    def both() -> list[Any]:
        return plain(examples, official_squad2.squad2_scores)

    squad, exact, f1 = fullmarks.load("squad"), fullmarks.load("exact_match"), fullmarks.load("token_f1")
    yield case("load('squad').each_score", lambda: squad.each_score(**given), lambda: by_name(both()), 250)
    yield case("load('squad').compute", lambda: squad.compute(**given), lambda: means(both()), 250)
    yield case("load('squad').add_batch, by 1,000", lambda: batches(examples, 1_000), lambda: means(both()), 250)
    yield case(
        "load('token_f1').each, then load('exact_match').each",
        lambda: (f1.each(**given), exact.each(**given)),
        lambda: (plain(examples, best_f1), plain(examples, best_exact)),
        120,
    )


def objects(name: str, gold: Any, predictions: dict[str, str], examples: Examples) -> Iterator[Case]:
    """Benchmarks over objects that are in memory."""
    yield Case(
        "score('squad2', object, dict)",
        name,
        len(examples[0]),
        lambda: fullmarks.score("squad2", gold, predictions).official,
        {"plain program": lambda: official_squad2.evaluate(gold["data"], predictions)},
        wanted={"plain program": 60},
        turns=9,
    )
    answered = [pair for pair in zip(*examples, strict=True) if pair[1]]
    rows = [{"id": f"q{at}", "prediction": text, "references": golds} for at, (text, golds) in enumerate(answered)]

    def plain_rows() -> dict[str, float]:
        scores = means([squad1_scores(row["prediction"], row["references"]) for row in rows])
        return {"exact": scores["exact"], "f1": scores["f1"]}

    yield Case(
        "score('squad1', rows)",
        f"{name}, answered",
        len(rows),
        lambda: fullmarks.score("squad1", rows).scores,
        {"plain rules": plain_rows},
        wanted={"plain rules": 80},
        turns=9,
    )


def single_calls(name: str, examples: Examples) -> Iterator[Case]:
    """One answer against one reference."""
    pairs = [(text, golds[0]) for text, golds in zip(*examples, strict=True) if golds]
    for subject, ours, theirs, wanted in (
        ("token_f1(a, b)", fullmarks.token_f1, lambda text, gold: official_squad2.token_f1(text, gold, 1.0), 12),
        ("exact_match(a, b)", fullmarks.exact_match, official_squad2.exact_match, 10),
    ):
        yield Case(
            f"fullmarks.{subject}",
            f"{name}, answered",
            len(pairs),
            lambda ours=ours: [ours(text, gold) for text, gold in pairs],
            {"plain rules": lambda theirs=theirs: [theirs(text, gold) for text, gold in pairs]},
            wanted={"plain rules": wanted},
            turns=5,
        )


def cases(settings: Settings) -> Iterator[Case]:
    name, gold_file, prediction_file = squad_files(settings.folder)
    examples = read_squad(gold_file, prediction_file)
    gold = json.loads(gold_file.read_text(encoding="utf-8"))
    predictions = json.loads(prediction_file.read_text(encoding="utf-8"))
    yield from lists(name, examples)
    yield from objects(name, gold, predictions, examples)
    yield from single_calls(name, examples)
