"""METEOR and edit similarity against NLTK, on the same data in one run, the two sides taking turns.

    python bench/meteor.py                                   # a lexicon held in dictionaries on both sides
    python bench/meteor.py --wordnet /usr/share/wordnet      # WordNet on both sides as well

Needs nltk and rapidfuzz. Every score is compared before its time counts.
"""

from __future__ import annotations

import argparse
import random
import shutil
import statistics
import tempfile
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import nltk
from nltk.corpus.reader.wordnet import WordNetCorpusReader
from nltk.metrics.distance import edit_distance
from nltk.translate.meteor_score import single_meteor_score

from fullmarks.lexicons.porter import porter_stem
from fullmarks.lexicons.recognise import open_lexicon
from fullmarks.lexicons.synonyms import TableLexicon, collect
from fullmarks.text.edit_distance import edit_similarities
from fullmarks.text.meteor import Meteor

PAIRS = 10_000
ROUNDS = 3
ENDINGS = ["", "", "", "s", "ed", "ing", "er", "ly", "ation", "ness"]


class NamedLemma:
    def __init__(self, name: str) -> None:
        self._name = name

    def name(self) -> str:
        return self._name


class NamedSynset:
    def __init__(self, names: frozenset[str]) -> None:
        self._lemmas = [NamedLemma(name) for name in names]

    def lemmas(self) -> list[NamedLemma]:
        return self._lemmas


class TableReader:
    """The same table behind NLTK's interface, its objects made beforehand."""

    def __init__(self, lexicon: TableLexicon) -> None:
        self._synsets = {word.lower(): [NamedSynset(names)] for word, names in lexicon.table.items()}

    def synsets(self, word: str) -> list[NamedSynset]:
        return self._synsets.get(word, [])


class EnglishReader(WordNetCorpusReader):  # type: ignore[misc]
    def map_wn(self, version: str = "wordnet") -> None:
        """English only: no map between versions."""


def stems(rng: random.Random, count: int) -> list[str]:
    def syllable() -> str:
        return rng.choice("bcdfglmnprst") + rng.choice("aeiou") + rng.choice(["", "n", "r", "st", "l"])

    return ["".join(syllable() for _ in range(rng.randint(1, 3))) for _ in range(count)]


def sentences(rng: random.Random, vocabulary: list[str]) -> list[tuple[list[str], list[str]]]:
    """Pairs of 8 to 25 words with word frequencies that fall as in a natural text; half the words are shared."""
    weights = [1 / rank for rank in range(1, len(vocabulary) + 1)]
    pairs = []
    for _ in range(PAIRS):
        reference = rng.choices(vocabulary, weights, k=rng.randint(8, 25))
        fresh = rng.choices(vocabulary, weights, k=len(reference))
        prediction = [rng.choice(words) for words in zip(reference, fresh, strict=True)]
        pairs.append((prediction, reference))
    return pairs


def race(title: str, ours: Callable[[], list[float]], theirs: Callable[[], list[float]]) -> None:
    times: tuple[list[float], list[float]] = ([], [])
    for _ in range(ROUNDS):
        values = []
        for side, run in enumerate((ours, theirs)):
            start = time.perf_counter()
            values.append(run())
            times[side].append(time.perf_counter() - start)
        worst = max(abs(one - other) for one, other in zip(*values, strict=True))
        if worst > 1e-12:
            raise SystemExit(f"{title}: the scores differ by {worst}")
    fast, slow = (statistics.median(side) for side in times)
    print(f"{title:32} fullmarks {fast:8.4f} s   NLTK {slow:8.3f} s   {slow / fast:7.1f} times")


def race_meteor(title: str, vocabulary: list[str], synonyms: Callable[[str], frozenset[str]], reader: Any) -> None:
    pairs = sentences(random.Random(1), vocabulary)

    def ours() -> list[float]:
        meteor = Meteor(porter_stem, synonyms)  # a new one each round: stems are counted in
        return [meteor.score(prediction, reference) for prediction, reference in pairs]

    def theirs() -> list[float]:
        return [single_meteor_score(reference, prediction, wordnet=reader) for prediction, reference in pairs]

    race(title, ours, theirs)


def table_vocabulary() -> tuple[list[str], TableLexicon]:
    rng = random.Random(2)
    roots = stems(rng, 4_000)
    known = [porter_stem(root) for root in roots]
    lexicon = TableLexicon("bench", collect((word, other) for word in known for other in rng.sample(known, 8)))
    return [root + rng.choice(ENDINGS) for root in roots], lexicon


def wordnet_race(folder: Path) -> None:
    lexicon = open_lexicon(folder)
    with tempfile.TemporaryDirectory() as root:
        copy = shutil.copytree(folder, Path(root) / "corpora" / "wordnet")
        if not (copy / "lexnames").exists():
            (copy / "lexnames").write_text("".join(f"{number:02d}\tname{number}\t1\n" for number in range(45)))
        nltk.data.path.append(root)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            reader = EnglishReader(str(copy), None)
        lemmas = sorted(word for word in reader.all_lemma_names() if word.isalpha())
        rng = random.Random(3)
        vocabulary = [word + rng.choice(["", "", "s", "ing"]) for word in rng.sample(lemmas, 4_000)]
        race_meteor("meteor, WordNet", vocabulary, lexicon.synonyms, reader)


def race_edit_distance(length: int, count: int) -> None:
    rng = random.Random(4)
    letters = "абвгдежзиклмнопрстуфхцчшщыэюя      "
    golds = ["".join(rng.choices(letters, k=rng.randint(length // 2, length))) for _ in range(count)]
    read = ["".join(rng.choice(letters) if rng.random() < 0.15 else letter for letter in text) for text in golds]

    def theirs() -> list[float]:
        return [
            1 - edit_distance(one, other) / max(len(one), len(other)) for one, other in zip(read, golds, strict=True)
        ]

    race(f"ned, {count} texts up to {length}", lambda: edit_similarities(read, golds), theirs)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--wordnet", type=Path, help="a WordNet directory, such as /usr/share/wordnet")
    options = parser.parse_args()
    vocabulary, lexicon = table_vocabulary()
    race_meteor("meteor, table lexicon", vocabulary, lexicon.synonyms, TableReader(lexicon))
    if options.wordnet:
        wordnet_race(options.wordnet)
    edit_similarities(["a"], ["b"])  # the import is not part of the race
    race_edit_distance(25, 2_000)
    race_edit_distance(100, 500)
    race_edit_distance(400, 40)


if __name__ == "__main__":
    main()
