"""SQuAD's rule for one answer as its evaluation scripts state it: slow, plain, every step kept.

`explain` shows what `judge` finds; both kernels and the character plan are held to it to the last bit. It shares no
code with them, so that an error in one is not an error in both.

Source: the evaluation scripts of SQuAD 1.1 (Rajpurkar et al., EMNLP 2016) and of SQuAD 2.0 (Rajpurkar, Jia and Liang,
ACL 2018). Many benchmarks took the rule over, some with a normaliser of their own: those are a `Rule` too.
"""

from __future__ import annotations

import re
import string
from collections import Counter
from collections.abc import Callable, Sequence
from functools import lru_cache

from msgspec import Struct

_PUNCTUATION = frozenset(string.punctuation)
_ARTICLES = re.compile(r"\b(a|an|the)\b")


@lru_cache(maxsize=4096)  # a reference is met once for every step that looks at it, and again for every system
def normal_form(text: str) -> str:
    """The text in lower case, without punctuation and articles, its words joined by one blank.

    The order matters: punctuation is deleted before articles are looked for, so that "a.b" is the word "ab". Only ASCII
    punctuation is; an em dash stays, and ends a word. An article becomes a blank, so that nothing grows together.

    >>> normal_form("The  Cat's hat."), normal_form("a.b"), normal_form("the—cat")
    ('cats hat', 'ab', '—cat')
    """
    lowered = text.lower()
    bare = "".join(character for character in lowered if character not in _PUNCTUATION)
    without_articles = _ARTICLES.sub(" ", bare)
    return " ".join(without_articles.split())


class Rule(Struct, frozen=True):
    """What benchmarks that judge answers as SQuAD does set for themselves."""

    normal: Callable[[str], str] = normal_form
    """What makes texts comparable; tokens are what stands between white space after it."""
    both_empty: float = 0.0
    """F1, precision and recall of two texts without a token."""
    drop_empty_references: bool = False
    """Whether references of which nothing is left do not count; where no other is left, the empty answer is right."""
    whole_answers: tuple[str, ...] = ()
    """Texts that share nothing with any other: HotpotQA gives "yes" no part of "yes, it is"."""


SQUAD1 = Rule()
"""SQuAD 1.1, where every question has an answer: what is empty shares no token, and that is all."""
SQUAD2 = Rule(both_empty=1.0, drop_empty_references=True)
"""SQuAD 2.0, where a question may have none: two empty sides agree, and "" is the reference of such a question."""


class Overlap(Struct, frozen=True):
    """One answer against one reference."""

    reference: str
    normal: str
    """The reference's normal form."""
    shared: list[str]
    """The tokens that both have, each as often as both have it."""
    exact: float
    f1: float
    precision: float
    recall: float


class Judgement(Struct, frozen=True):
    """What one answer scores, and the steps behind it."""

    exact: float
    f1: float
    precision: float
    recall: float
    normal: str
    """The answer's normal form."""
    tokens: list[str]
    dropped: list[str]
    """The references that do not count."""
    overlaps: list[Overlap]
    """The answer against every reference that counts."""

    @property
    def best(self) -> Overlap | None:
        """The first of the references with the best F1, exact matches before others; None without references."""
        return max(self.overlaps, key=lambda overlap: (overlap.f1, overlap.exact), default=None)


def judge(answer: str, references: Sequence[str], rule: Rule = SQUAD2) -> Judgement:
    """Each score the best over the references that count, whichever of them gives it; 0.0 without any.

    >>> judge("the cat sat", ["A cat.", "dogs"]).f1, judge("", ["the"]).exact, judge("", []).f1
    (0.6666666666666666, 1.0, 1.0)
    """
    counted, dropped = list(references), []
    if rule.drop_empty_references:
        dropped = [reference for reference in references if not rule.normal(reference)]
        counted = [reference for reference in references if rule.normal(reference)] or [""]
    overlaps = [judge_pair(answer, reference, rule) for reference in counted]
    normal = rule.normal(answer)
    return Judgement(
        exact=max((overlap.exact for overlap in overlaps), default=0.0),
        f1=max((overlap.f1 for overlap in overlaps), default=0.0),
        precision=max((overlap.precision for overlap in overlaps), default=0.0),
        recall=max((overlap.recall for overlap in overlaps), default=0.0),
        normal=normal,
        tokens=normal.split(),
        dropped=dropped,
        overlaps=overlaps,
    )


def judge_pair(answer: str, reference: str, rule: Rule = SQUAD2) -> Overlap:
    """Exact match: the normal forms are equal. F1: the harmonic mean of token precision and recall.

    A token counts as often as both texts have it. Two texts without a token give what the rule says, one without 0.0.
    """
    ours, theirs = rule.normal(answer), rule.normal(reference)
    tokens, wanted = ours.split(), theirs.split()
    shared = [] if set(tokens).isdisjoint(wanted) else list((Counter(tokens) & Counter(wanted)).elements())
    is_equal = ours == theirs
    is_whole = ours in rule.whole_answers or theirs in rule.whole_answers
    if not tokens and not wanted:
        precision = recall = f1 = rule.both_empty
    elif not shared or (is_whole and not is_equal):
        precision = recall = f1 = 0.0
    else:
        precision = len(shared) / len(tokens)
        recall = len(shared) / len(wanted)
        f1 = 2 * precision * recall / (precision + recall)
    return Overlap(reference, theirs, shared, float(is_equal), f1, precision, recall)


def judge_silence(references: Sequence[str]) -> float:
    """Exact match and F1 of an answer that counts as "no answer", its no-answer probability exceeding the threshold.

    It is right only where the gold lists no answer at all. SQuAD 2.0 looks at the list as it stands: an answer of which
    nothing is left is one here, though `judge` drops it.
    """
    return 0.0 if references else 1.0
