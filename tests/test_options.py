"""The options of metrics and protocols, declared alike and checked by the same code."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import pytest

import fullmarks
from fullmarks.metrics import METRICS
from fullmarks.options import check_options, finishing_options, limited, option_values
from fullmarks.protocols import PROTOCOLS


@dataclass(frozen=True)
class Options:
    """One of every kind."""

    text: str = "a"
    path: str | None = None
    flag: bool = False
    size: int = limited(2, least=1, most=9)
    share: float | None = limited(None, least=0)
    names: dict[str, str] | None = None
    several: tuple[str, ...] = ()
    way: str = limited("first", choices=("first", "last"), only_finishes=True)
    language: Literal["en", "de"] | None = limited(None, choices=("en", "de"))
    combined: Any = limited("max", choices={"max": max, "min": min}, or_function=True)
    anything: object = None

    def __post_init__(self) -> None:
        check_options(self)


def test_what_fits_is_taken_and_a_path_is_kept_as_a_text() -> None:
    made = Options("b", Path("some") / "file", True, 9, 0, {"a": "b"}, ["x"], "last", "de", max, 7)  # type: ignore[arg-type]
    assert list(option_values(made).values()) == [
        "b", str(Path("some/file")), True, 9, 0, {"a": "b"}, ["x"], "last", "de", max, 7
    ]  # fmt: skip
    assert option_values(Options())["share"] is None
    assert finishing_options(made) == {"way"}


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("text", 1, "text must be a text, found 1"),
        ("text", None, "text must be a text, found None"),
        ("path", 1, "path must be a text or None, found 1"),
        ("flag", 1, "flag must be True or False, found 1"),
        ("size", 10, "size must be a whole number from 1 to 9, found 10"),
        ("size", 2.5, "size must be a whole number from 1 to 9, found 2.5"),
        ("share", -1, "share must be a number of 0 or more, or None, found -1"),
        ("several", "x", "several must be a list of texts, found 'x'"),
        ("names", ["a"], "names must be a dictionary of names, found ['a']"),
        ("names", {"a": 1}, "names must map names to names, found {'a': 1}"),
        ("way", "x", "way must be one of 'first', 'last', found 'x'"),
        ("way", None, "way must be one of 'first', 'last', found None"),
        ("language", ["en"], "language must be one of 'en', 'de', found ['en']"),
    ],
)
def test_what_does_not_fit_is_told(name: str, value: object, message: str) -> None:
    with pytest.raises(fullmarks.UsageError) as told:
        Options(**{name: value})  # type: ignore[arg-type]
    assert str(told.value) == message


@pytest.mark.parametrize(
    ("option", "value", "message"),
    [
        ("rounding", "up", "rounding must be one of 'half-even', 'half-away', found 'up'"),
        ("rounding", None, "rounding must be one of 'half-even', 'half-away', found None"),
        ("precision", True, "precision must be a whole number"),
    ],
)
def test_metrics_and_protocols_say_the_same(option: str, value: object, message: str) -> None:
    for registry, name in ((METRICS, "vqa_accuracy"), (PROTOCOLS, "vqa")):
        with pytest.raises(fullmarks.UsageError) as told:
            registry.make(name, {option: value})
        assert str(told.value).startswith(message)


@pytest.mark.parametrize(
    ("protocol", "option"),
    [("nq_open", "answer_field"), ("scienceqa", "split"), ("fusionbrain", "clip"), ("squad2", "variant")],
)
def test_texts_of_protocols_are_texts(protocol: str, option: str) -> None:
    with pytest.raises(fullmarks.UsageError, match=f"^{option} must be a text, found 5$"):
        PROTOCOLS.make(protocol, {option: 5})
