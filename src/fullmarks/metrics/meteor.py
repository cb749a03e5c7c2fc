"""METEOR as a metric: named stemmers, a synonym lexicon from a file, and two ways to cut a text into words.

Invariant: the lexicon is read once per process for each file and content; the metric itself holds only names, so it
can be hashed and sent to other processes.
"""

from __future__ import annotations

from array import array
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import ClassVar, Literal, get_args

from fullmarks.errors import MissingDependencyError, UsageError
from fullmarks.lexicons.recognise import HOW_TO_GET, open_lexicon
from fullmarks.lexicons.stemmers import open_stemmer
from fullmarks.lexicons.synonyms import Lexicon, NoSynonyms
from fullmarks.metrics.meteor_explanation import alignment_facts, alignment_steps
from fullmarks.metrics.metric import Metric
from fullmarks.options import limited
from fullmarks.text.meteor import Alignment, Meteor
from fullmarks.text.russian import caption_words
from fullmarks.types import Example, Examples, Explanation

Tokens = Literal["blank", "caption"]
Nltk = Literal["3.9", "3.10"]
"""The NLTK whose word tokens are meant: 3.9 and before, as in the contest's time, or 3.10 and later."""
WITHOUT = "none"
"""The name of the lexicon without entries."""


@dataclass(frozen=True)
class MeteorMetric(Metric):
    """Words aligned by form, stem and synonym; a weighted mean of precision and recall, less a penalty for gaps.

    `lexicon` is the path of a lexicon or "none". `tokens` is "blank" (words as separated by white space) or "caption"
    (the FusionBrain contest's preparation of Russian captions, ending in the word tokens of NLTK: `nltk` says which).
    The best reference counts; an empty text scores 0.0.
    Source: Lavie and Agarwal 2007, with the digits of NLTK's `meteor_score`.
    """

    name: ClassVar[str] = "meteor"
    summary: ClassVar[str] = "METEOR: words aligned by form, stem and synonym (lexicon: a path or 'none')"
    citation: ClassVar[str] = (
        "Lavie, Agarwal: METEOR: An Automatic Metric for MT Evaluation with High Levels of Correlation "
        "with Human Judgments, WMT 2007"
    )
    fewest_references: ClassVar[int] = 1
    is_expensive: ClassVar[bool] = True

    stemmer: str = "porter"
    lexicon: str | None = None
    alpha: float = 0.9
    beta: float = 3.0
    gamma: float = 0.5
    tokens: Tokens = limited("blank", choices=get_args(Tokens))
    nltk: Nltk = limited("3.9", choices=get_args(Nltk))

    @property
    def columns(self) -> tuple[str, ...]:
        """The score."""
        return (self.name,)

    @property
    def aligner(self) -> Meteor:
        """The stemmer and lexicon at work; opens them."""
        return open_meteor(self.stemmer, self.lexicon, self.alpha, self.beta, self.gamma)

    def rows(self, examples: Examples) -> array[float]:
        """The score against the best reference of every example."""
        meteor = self.aligner
        pairs = zip(examples.predictions, examples.references, strict=True)
        return array("d", [self._best(text, golds, meteor) for text, golds in pairs])

    def explain(self, example: Example) -> Explanation:
        """The tokens, the alignment with the best reference stage by stage, and the score of every reference."""
        meteor = self.aligner
        words = self._words(example.prediction, is_prediction=True)
        alignments = [meteor.align(words, self._words(gold, is_prediction=False)) for gold in example.references]
        values = list(map(meteor.value, alignments))
        best = values.index(max(values))
        facts = {
            "prediction": example.prediction,
            "best reference": example.references[best],
            **alignment_facts(alignments[best], meteor),
            "lexicon": lexicon_name(self.lexicon),
        }
        tables = {"alignment": alignment_steps(alignments[best], meteor)}
        tables["references"] = [_line(*line) for line in zip(example.references, alignments, values, strict=True)]
        return Explanation(example.id, super().explain(example).scores, facts, tables)

    def signature_parts(self) -> dict[str, str]:
        """All options, the lexicon by its kind and content."""
        return {**super().signature_parts(), "lexicon": lexicon_name(self.lexicon)}

    def _best(self, text: str, golds: Sequence[str], meteor: Meteor) -> float:
        if not golds:
            raise UsageError("an example has no reference; meteor needs at least one. Leave the example out")
        words = self._words(text, is_prediction=True)
        return max([meteor.score(words, self._words(gold, is_prediction=False)) for gold in golds])

    def _words(self, text: str, *, is_prediction: bool) -> list[str]:
        if self.tokens != "caption":
            return text.split()
        return caption_words(text, number_words=is_prediction, cuts_dashes=cuts_dashes(self.nltk))


def cuts_dashes(nltk: str) -> bool:
    """Whether that NLTK makes long dashes tokens of their own."""
    return nltk == "3.10"


def _line(reference: str, alignment: Alignment, value: float) -> dict[str, object]:
    return {
        "reference": reference,
        "tokens": list(alignment.reference),
        "matches": len(alignment.pairs),
        "score": value,
    }


def lexicon_name(lexicon: str | None) -> str:
    """The lexicon's kind and the start of a digest of its content; opens it."""
    return _read(*_version(lexicon)).name


def open_meteor(stemmer: str, lexicon: str | None, alpha: float, beta: float, gamma: float) -> Meteor:
    """The aligner with these options; the same one as long as the lexicon's file is, so words are looked up once."""
    return _aligner(stemmer, _version(lexicon), alpha, beta, gamma)


_Version = tuple[str, int, int]
"""A path with the time of its last change and its size."""


def _version(lexicon: str | None) -> _Version:
    if lexicon is None:
        raise MissingDependencyError(
            f"METEOR needs a synonym lexicon: pass its path as lexicon=PATH or --lexicon PATH. {HOW_TO_GET} "
            f"(from Python: lexicon='{WITHOUT}')"
        )
    path = Path(lexicon)
    if lexicon == WITHOUT or not path.exists():
        return lexicon, 0, 0
    found = path.stat()
    return lexicon, found.st_mtime_ns, found.st_size


@lru_cache(maxsize=8)
def _aligner(stemmer: str, version: _Version, alpha: float, beta: float, gamma: float) -> Meteor:
    return Meteor(open_stemmer(stemmer), _read(*version).synonyms, alpha, beta, gamma)


@lru_cache(maxsize=4)
def _read(lexicon: str, changed: int, size: int) -> Lexicon:
    del changed, size
    return NoSynonyms() if lexicon == WITHOUT else open_lexicon(lexicon)
