"""CoQA, MLQA, XQuAD and LongBench by their metrics, against their rules written out plainly, on 10,000 questions."""

from __future__ import annotations

import random
from array import array
from collections.abc import Callable, Iterator

import fullmarks
import fullmarks.types
import plain_answers
from case import Case, Settings
from data import LATIN, Examples, make_examples
from fullmarks.metrics.metric import Metric
from fullmarks.text import kernel
from recipes import ALPHABETS, CHINESE

QUESTIONS = 10_000
LANGUAGES = ("en", "es", "de", "ar", "hi", "vi", "zh")
WANTED = {"ar": 15, "zh": 15}
Turn = Callable[[str, list[str]], tuple[float, ...]]


def plain_rows(turn: Turn, examples: Examples) -> array[float]:
    rows = array("d")
    for prediction, golds in zip(*examples, strict=True):
        rows.extend(turn(prediction, golds))
    return rows


def best(recipe: str) -> Turn:
    """Exact match and F1, each the best over the golds, in one loop for each of them."""

    def turn(prediction: str, golds: list[str]) -> tuple[float, float]:
        rule = plain_answers.RULES[recipe]
        exact = max(float(rule(prediction) == rule(gold)) for gold in golds)
        return exact, max(plain_answers.overlap(recipe, rule(prediction), rule(gold))[0] for gold in golds)

    return turn


def left_out(prediction: str, golds: list[str]) -> tuple[float, float]:
    """Each annotator left out in turn; texts are normalised anew for every pair and number."""
    rule = plain_answers.normalize_answer
    exact = f1 = 0.0
    for at in range(len(golds)):
        others = golds[:at] + golds[at + 1 :]
        exact += max(float(rule(gold) == rule(prediction)) for gold in others)
        f1 += max(plain_answers.overlap("coqa", rule(prediction), rule(gold))[0] for gold in others)
    return exact / len(golds), f1 / len(golds)


def longbench(prediction: str, golds: list[str]) -> tuple[float]:
    score = 0.0
    for gold in golds:
        normal = plain_answers.normalize_answer(prediction), plain_answers.normalize_answer(gold)
        score = max(score, plain_answers.overlap("longbench", *normal)[0])
    return (score,)


def annotated(examples: Examples) -> Examples:
    """A fourth annotator, who says something else, as CoQA has four."""
    source = random.Random(13)
    others = [golds[0] for golds in examples[1]]
    return examples[0], [[*golds, source.choice(others)] for golds in examples[1]]


def case(title: str, metric: Metric, examples: Examples, plain: Turn, wanted: float) -> Case:
    """The rows of a metric, as `score` asks for them, bit for bit those of the plain rule."""
    given = fullmarks.types.Examples(range(len(examples[0])), *examples)
    return Case(
        title,
        "made",
        len(given),
        lambda: metric.rows(given),
        {"plain rules": lambda: plain_rows(plain, examples)},
        wanted={"plain rules": wanted} if kernel.IMPLEMENTATION == "c" else {},
        rounds=3,
        turns=3,
    )


def answers(recipe: str) -> Metric:
    return fullmarks.load("answer_scores", recipe=recipe).metric


def cases(settings: Settings) -> Iterator[Case]:
    if kernel.IMPLEMENTATION != "c":
        settings.absent["the C kernel for recipes"] = "not built: no compiler when fullmarks was installed"
    latin = make_examples(LATIN, QUESTIONS, 1)
    yield case("CoQA", fullmarks.load("coqa").metric, annotated(latin), left_out, 30)
    for language in LANGUAGES:
        recipe = f"mlqa-{language}"
        examples = make_examples(ALPHABETS.get(recipe, LATIN), QUESTIONS, 1)
        yield case(f"MLQA, {language}", answers(recipe), examples, best(recipe), WANTED.get(language, 30))
    yield case("XQuAD", answers("xquad"), latin, best("xquad"), 30)
    chinese = make_examples(CHINESE, QUESTIONS, 1)
    yield case("XQuAD, MLQA's Chinese tokens", answers("xquad-zh"), chinese, best("xquad-zh"), 15)
    yield case("LongBench, English", fullmarks.load("longbench").metric, latin, longbench, 30)
