"""The text kernels against the plain rules, interleaved in one run: equality first, then ratios of the best times.

The plain rules are those of the tests: the published definitions, written out one step after another.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import time
from array import array
from collections.abc import Callable
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(REPOSITORY / "tests"))

import plain_rules  # noqa: E402
from fullmarks.text import bleu, kernel, squad  # noqa: E402

Examples = tuple[list[str], list[list[str]]]
Scorer = Callable[[list[str], list[list[str]]], array]

LATIN = "abcdefghijklmnopqrstuvwxyz"
CYRILLIC = "абвгдежзийклмнопрстуфхцчшщыэюя"


def read_squad(folder: Path, system: str) -> Examples:
    gold = json.loads((folder / "dev-v2.0.json").read_text(encoding="utf-8"))
    predicted = json.loads((folder / f"{system}.json").read_text(encoding="utf-8"))
    questions = [
        question for article in gold["data"] for paragraph in article["paragraphs"] for question in paragraph["qas"]
    ]
    return (
        [predicted[question["id"]] for question in questions],
        [[answer["text"] for answer in question["answers"]] for question in questions],
    )


def make_examples(alphabet: str, count: int, seed: int) -> Examples:
    """Answers of one to six words, half of them right: three references, two of them alike, as annotators give."""
    source = random.Random(seed)
    words = ["".join(source.choices(alphabet, k=source.randint(2, 10))).capitalize() for _ in range(5_000)]
    words += ["the", "a", "of", "in", "U.S.", "1,066", "—"] * 60
    predictions, references = [], []
    for _ in range(count):
        gold = " ".join(source.choices(words, k=source.choice((1, 1, 2, 2, 3, 4, 6))))
        longer = f"{gold} {source.choice(words)}"
        references.append([gold, gold, longer])
        predictions.append(source.choice((gold, longer.lower(), " ".join(source.choices(words, k=3)), gold)))
    return predictions, references


def shuffled(examples: Examples) -> Examples:
    predictions = list(examples[0])
    random.Random(7).shuffle(predictions)
    return predictions, examples[1]


def plain_squad(predictions: list[str], references: list[list[str]]) -> array:
    rows = array("d")
    for prediction, golds in zip(predictions, references, strict=True):
        rows.extend(plain_rules.squad2_scores(prediction, golds))
    return rows


def plain_bleu(predictions: list[str], references: list[list[str]]) -> array:
    return array(
        "d",
        [
            plain_rules.bleu(plain_rules.bleu_statistics(prediction, golds, 4), 4)
            for prediction, golds in zip(predictions, references, strict=True)
        ],
    )


def squad_with(rows: Callable[..., array]) -> Scorer:
    return lambda predictions, references: rows(predictions, references, both_empty=1.0, drop_empty_references=True)


def bleu_with(rows: Callable[..., array]) -> Scorer:
    def score(predictions: list[str], references: list[list[str]]) -> array:
        statistics = rows(predictions, references, max_order=4)
        return array(
            "d",
            [
                bleu.bleu_from_statistics(statistics[start : start + 10], 4)["bleu"]
                for start in range(0, len(statistics), 10)
            ],
        )

    return score


def seconds(scorer: Scorer, examples: Examples) -> float:
    start = time.process_time()
    scorer(*examples)
    return time.process_time() - start


def compare(name: str, examples: Examples, plain: Scorer, ours: dict[str, Scorer], rounds: int) -> None:
    wanted = plain(*examples)
    for kind, scorer in ours.items():
        if scorer(*examples).tobytes() != wanted.tobytes():
            sys.exit(f"{name}: the {kind} kernel does not give the digits of the plain rules")
    times: dict[str, list[float]] = {kind: [] for kind in ("plain", *ours)}
    for _ in range(rounds):
        times["plain"].append(seconds(plain, examples))
        for kind, scorer in ours.items():
            times[kind] += [seconds(scorer, examples) for _ in range(5)]
    best = {kind: min(found) for kind, found in times.items()}
    ratios = "  ".join(f"{kind} {best['plain'] / best[kind]:6.1f}x" for kind in ours)
    print(f"{name:28} {len(examples[0]):7,} rows  plain {best['plain']:.3f} s  {ratios}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--rows", type=int, default=10_000, help="rows of the generated sets")
    options = parser.parse_args()
    sets = {
        "generated latin": make_examples(LATIN, options.rows, 1),
        "generated cyrillic": make_examples(CYRILLIC, options.rows, 2),
    }
    data = REPOSITORY.parent / "shared" / "data" / "squad"
    if data.is_dir():
        sets |= {f"SQuAD dev {system}": read_squad(data, system) for system in ("bert", "bidaf")}
    sets |= {f"{name} shuffled": shuffled(examples) for name, examples in sets.items()}
    squad_kernels = {"python": squad_with(squad.squad_rows)}
    bleu_kernels = {"python": bleu_with(bleu.bleu_rows)}
    if kernel.IMPLEMENTATION == "c":
        squad_kernels["c"] = squad_with(kernel.squad_rows)
        bleu_kernels["c"] = bleu_with(kernel.bleu_rows)
    print("exact match and F1")
    for name, examples in sets.items():
        compare(name, examples, plain_squad, squad_kernels, options.rounds)
    print("sentence BLEU-4")
    for name, examples in sets.items():
        compare(name, examples, plain_bleu, bleu_kernels, options.rounds)


if __name__ == "__main__":
    main()
