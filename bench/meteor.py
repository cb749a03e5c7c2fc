"""METEOR against NLTK: with a lexicon held in dictionaries on both sides, and with WordNet where it is installed.

NLTK is given lists of words, ours texts, which it has to cut first.
"""

from __future__ import annotations

import random
import shutil
import warnings
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from case import Case, Settings, SkippedError
from fullmarks.lexicons.recognise import open_lexicon
from fullmarks.lexicons.synonyms import TableLexicon, collect
from fullmarks.text.kernel import IMPLEMENTATION, Tokeniser, meteor_rows, porter_stem
from fullmarks.text.meteor import Meteor

WORDNET = Path("/usr/share/wordnet")
PAIRS = 10_000
WANTED = 80.0
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


def stems(rng: random.Random, count: int) -> list[str]:
    def syllable() -> str:
        return rng.choice("bcdfglmnprst") + rng.choice("aeiou") + rng.choice(["", "n", "r", "st", "l"])

    return ["".join(syllable() for _ in range(rng.randint(1, 3))) for _ in range(count)]


def sentences(rng: random.Random, vocabulary: list[str], count: int) -> list[tuple[list[str], list[str]]]:
    """Pairs of 8 to 25 words with word frequencies that fall as in a natural text; half the words are shared."""
    weights = [1 / rank for rank in range(1, len(vocabulary) + 1)]
    pairs = []
    for _ in range(count):
        reference = rng.choices(vocabulary, weights, k=rng.randint(8, 25))
        fresh = rng.choices(vocabulary, weights, k=len(reference))
        prediction = [rng.choice(words) for words in zip(reference, fresh, strict=True)]
        pairs.append((prediction, reference))
    return pairs


def close(ours: list[float], theirs: list[float]) -> bool:
    """Equal but for the rounding of another order of operations."""
    return max(abs(one - other) for one, other in zip(ours, theirs, strict=True)) <= 1e-12


def race(title: str, vocabulary: list[str], synonyms: Callable[[str], frozenset[str]], reader: Any, count: int) -> Case:
    from nltk.translate.meteor_score import single_meteor_score

    pairs = sentences(random.Random(1), vocabulary, count)
    predictions = [" ".join(prediction) for prediction, _ in pairs]
    references = [[" ".join(reference)] for _, reference in pairs]
    lower = Tokeniser(str.lower)

    def ours() -> list[float]:
        meteor = Meteor(porter_stem, synonyms)  # a new one each round: stems are counted in
        rows = meteor_rows(predictions, references, meteor=meteor, tokeniser=lower, gold_tokeniser=lower)
        return rows.tolist()

    def theirs() -> list[float]:
        return [single_meteor_score(reference, prediction, wordnet=reader) for prediction, reference in pairs]

    wanted = {"NLTK": WANTED} if IMPLEMENTATION == "c" and count == PAIRS else {}
    return Case("METEOR", title, count, ours, {"NLTK": theirs}, same=close, wanted=wanted, rounds=3, turns=9)


def table_vocabulary() -> tuple[list[str], TableLexicon]:
    rng = random.Random(2)
    roots = stems(rng, 4_000)
    known = [porter_stem(root) for root in roots]
    lexicon = TableLexicon("bench", collect((word, other) for word in known for other in rng.sample(known, 8)))
    return [root + rng.choice(ENDINGS) for root in roots], lexicon


def wordnet_reader(folder: Path, copies: Path) -> Any:
    """NLTK's reader on a copy of the files, with the one file it misses."""
    import nltk
    from nltk.corpus.reader.wordnet import WordNetCorpusReader

    class EnglishReader(WordNetCorpusReader):  # type: ignore[misc]
        def map_wn(self, version: str = "wordnet") -> None:
            """English only: no map between versions."""

    copy = shutil.copytree(folder, copies / "corpora" / "wordnet")
    if not (copy / "lexnames").exists():
        (copy / "lexnames").write_text("".join(f"{number:02d}\tname{number}\t1\n" for number in range(45)))
    nltk.data.path.append(str(copies))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return EnglishReader(str(copy), None)


def cases(settings: Settings) -> Iterator[Case]:
    if settings.peer("nltk") is None:
        raise SkippedError(f"nltk is not here ({settings.absent['nltk']})")
    count = PAIRS // 5 if settings.quick else PAIRS
    vocabulary, lexicon = table_vocabulary()
    yield race("lexicon in dictionaries", vocabulary, lexicon.synonyms, TableReader(lexicon), count)
    if not WORDNET.is_dir():
        settings.absent["WordNet"] = f"there is no {WORDNET}"
        return
    reader = wordnet_reader(WORDNET, settings.folder)
    lemmas = sorted(word for word in reader.all_lemma_names() if word.isalpha())
    rng = random.Random(3)
    words = [word + rng.choice(["", "", "s", "ing"]) for word in rng.sample(lemmas, 4_000)]
    yield race("WordNet", words, open_lexicon(WORDNET).synonyms, reader, count)
