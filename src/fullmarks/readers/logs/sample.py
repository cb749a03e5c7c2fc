"""What every log comes to: samples, each with an id, a text, right answers where it has them, and columns."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple

import msgspec

from fullmarks.readers.source import Source
from fullmarks.types import Identifier


class Sample(msgspec.Struct):
    """One sample of a log."""

    id: Identifier
    text: Any
    """The answer; anything but a text where the tool got none."""
    references: list[str] | None = None
    """The right answers; None where the log does not say."""
    columns: dict[str, Any] = msgspec.field(default_factory=dict)
    is_perturbed: bool = False
    failure: str | None = None
    """Why the tool itself got no answer; None where it did."""
    is_chosen: bool = False
    """Whether the text is the likeliest of given answers rather than one that was written."""
    filtered: Any = None
    """What the tool's filter, which the column `filter` names, made of the text."""
    no_answer: str | None = None
    """How the log writes that the question has no answer, where it has none: "", "[]" or a word."""
    says_no_answer: bool = False
    """Whether the answer was that word, and so is empty."""
    left_out: int = 0
    """How many further answers to the same request there are."""


class Given(NamedTuple):
    """Where samples come from, as far as one can look before reading them."""

    name: str
    document: Mapping[str, Any] = {}
    """What stands around the samples; empty where a file is nothing but samples."""
    samples: Sequence[Any] = ()
    """All of them where they are held anyway; none of a stream."""
    source: Source | None = None
    """The file, where there may be others beside it."""


class About(msgspec.Struct):
    """What is said once and holds for all samples of a log."""

    columns: dict[str, Any] = msgspec.field(default_factory=dict)
    has_runs: bool = False
    """Whether questions come several times, each time in another run of the system."""
    beside: dict[Any, Any] = msgspec.field(default_factory=dict)
    """What another file says of a sample, by its id."""


def nothing_about(_: Given) -> About:
    """What is said of samples that stand alone: nothing."""
    return About()


class LogFormat(NamedTuple):
    """One tool's format: which fields tell it, where its samples are, and how one is read."""

    tool: str
    keys: frozenset[str]
    """The fields of a sample or, where the samples stand inside a document, of that."""
    read: Callable[[dict[str, Any], int, About], Sample]
    samples: str = ""
    """The field that holds the list of samples; empty where the document is that list."""
    status: str = ""
    """The field of the log that says how the run ended; empty where it does not."""
    about: Callable[[Given], About] = nothing_about
    not_keys: frozenset[str] = frozenset()
    """Fields that this format never has."""
