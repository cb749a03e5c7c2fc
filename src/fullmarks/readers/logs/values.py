"""Values out of decoded JSON whose shape is another tool's: what is not as expected is as if it were not there."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from fullmarks.readers.documents import Pairs, is_finite_number
from fullmarks.types import Identifier

MOST_OF_A_REASON = 100
"""How many characters of a tool's own message are shown."""


def object_of(value: Any) -> dict[str, Any]:
    """An object as a dictionary, what is inside of it as it is; anything else as one without entries."""
    if type(value) is dict:
        return value
    if isinstance(value, Pairs):
        return dict(value)
    return value if isinstance(value, dict) else {}


def is_list(value: Any) -> bool:
    """Whether this is a list."""
    return isinstance(value, (list, tuple)) and not isinstance(value, Pairs)


def list_of(value: Any) -> list[Any]:
    """A list as it is; anything else as one without items."""
    return list(value) if is_list(value) else []


def first_object(value: Any) -> dict[str, Any]:
    """The first of a list, if that is an object; otherwise one without entries."""
    return object_of(value[0]) if is_list(value) and value else {}


def first_id(*candidates: Any) -> Identifier:
    """The first that can be an id; the last one, a position, always can."""
    found: Identifier = next(
        candidate for candidate in candidates if isinstance(candidate, (str, int)) and not isinstance(candidate, bool)
    )
    return found


def first_text(value: Any) -> str | None:
    """The text itself, or the first one of nested lists."""
    while is_list(value) and value:
        value = value[0]
    return value if isinstance(value, str) else None


def text_or_none(value: Any) -> str | None:
    """A text that is not empty."""
    return value if isinstance(value, str) and value else None


def texts_of(value: Any) -> list[str] | None:
    """Right answers as texts: a text or number alone, or those of a list; None where there is none to read."""
    if type(value) is str:
        return [value]
    found = value if is_list(value) else [value]
    if not found or not all(isinstance(item, (str, int, float)) for item in found):
        return None
    return [item if isinstance(item, str) else str(item) for item in found]


def answers_of(target: Any) -> tuple[list[str] | None, str | None]:
    """The right answers of a target, and how it is written that there are none; None where it does not say.

    >>> answers_of("four"), answers_of(""), answers_of("[]"), answers_of(None)
    ((['four'], None), ([], ''), ([], '[]'), (None, None))
    """
    if is_list(target) and not any(item != "" for item in target):
        return [], "[]"
    if target in ("", "[]"):
        return [], target
    return texts_of(target), None


def is_number(value: Any) -> bool:
    """Whether this is a number, or a text that reads as one."""
    if isinstance(value, bool) or not isinstance(value, (str, int, float)):
        return False
    try:
        float(value)
    except ValueError:
        return False
    except OverflowError:  # a whole number that is too large for a double is a number all the same
        return True
    return True


def number_of(value: Any) -> Any:
    """The number that a text reads as; anything else as it is."""
    try:
        return float(value) if isinstance(value, str) else value
    except ValueError:
        return value


def reason_of(value: Any) -> str:
    """The first line of a tool's message, shortened."""
    line = next(iter(str(value).splitlines()), "") or "no reason given"
    return line if len(line) <= MOST_OF_A_REASON else f"{line[: MOST_OF_A_REASON - 4]} ..."


def scores_of(found: Any, names: Any = None) -> dict[str, Any]:
    """A tool's own scores as columns `score_NAME`: finite numbers and texts; true and false are 1 and 0."""
    every = object_of(found)
    wanted: Iterable[tuple[str, Any]] = every.items() if names is None else ((name, every.get(name)) for name in names)
    return {
        f"score_{name}": value if isinstance(value, str) else float(value) for name, value in wanted if _is_score(value)
    }


def _is_score(value: Any) -> bool:
    return isinstance(value, (str, bool)) or is_finite_number(value)


def filled(**columns: Any) -> dict[str, Any]:
    """Those of the columns that hold something."""
    return {name: value for name, value in columns.items() if value is not None and value not in ("", [])}
