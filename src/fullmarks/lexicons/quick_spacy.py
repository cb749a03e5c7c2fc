"""The same lemmas from a spaCy pipeline in less time.

Invariant: the rules and the model's weights stay as they are. Only the library that multiplies matrices is another,
so the tagger's sums may be rounded in another order; the tests hold the lemmas to those of the untouched pipeline.
"""

from __future__ import annotations

from typing import Any

from fullmarks.optional import require

_DECISIVE = ("ORTH", "POS", "MORPH", "LEMMA")
"""The attributes of a token that its lemma by rule depends on."""


class RuleLemmas:
    """The answers of a pipeline's rule lemmatiser, remembered by all that they depend on."""

    def __init__(self, lemmatiser: Any) -> None:
        self._lemmatiser = lemmatiser
        self._known: dict[tuple[int, ...], str] = {}

    def lemmas(self, document: Any) -> list[str]:
        """The lemma of every token of a document that is tagged but not yet lemmatised."""
        known = self._known
        lemmas = []
        for position, key in enumerate(map(tuple, document.to_array(_DECISIVE).tolist())):
            lemma = known.get(key)
            if lemma is None:
                lemma = known[key] = self._lemma(document[position])
            lemmas.append(lemma)
        return lemmas

    def _lemma(self, token: Any) -> str:
        """The lemma that an earlier component has set, unless it may be overwritten, or that of the rules."""
        keep = token.lemma and not self._lemmatiser.overwrite
        lemma: str = token.lemma_ if keep else self._lemmatiser.lemmatize(token)[0]
        return lemma


def quicken(pipeline: Any) -> RuleLemmas | None:
    """Quicken the pipeline itself; if its last part is a rule lemmatiser, return what to ask instead of it."""
    _multiply_by_numpy(pipeline)
    name, last = pipeline.pipeline[-1]
    if name != "lemmatizer" or getattr(last, "mode", None) != "rule":
        return None
    _look_up_by_hash(last)
    return RuleLemmas(last)


def _look_up_by_hash(lemmatiser: Any) -> None:
    """Let it find a word at once: its index of known words is a list, searched from the start each time."""
    if lemmatiser.lookups.has_table("lemma_index"):
        index = lemmatiser.lookups.get_table("lemma_index")
        for part_of_speech, words in list(index.items()):
            index[part_of_speech] = dict.fromkeys(words)


def _multiply_by_numpy(pipeline: Any) -> None:
    """Let NumPy multiply the matrices of a batch: its library does so in half the time of the one that spaCy brings."""
    numpy_ops = require("thinc.api", needed_by="the spaCy lemmatiser", extra="webqa").NumpyOps
    for _, component in pipeline.pipeline:
        model = getattr(component, "model", None)
        for layer in () if model is None else model.walk():
            if type(layer.ops) is numpy_ops:  # not where a GPU or a maker's own library computes
                layer.ops = numpy_ops(use_blis=False)
