"""Checks of values that callers pass: silent, or an error that says what was expected and what was found."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Sequence
from typing import Any

from fullmarks.errors import FullmarksError, InputError, UsageError

_WORDS: dict[type, str] = {str: "a text", bool: "True or False", int: "a whole number", float: "a number"}
_LONGEST_SHOWN = 80


def wrong_value(name: str, expected: str, found: object, advice: str = "") -> UsageError:
    """The error about an argument or option that is not what it must be; a long value is shown by its type.

    >>> print(wrong_value("precision", "a whole number", "2"))
    precision must be a whole number, found '2'
    """
    shown = repr(found)
    if len(shown) > _LONGEST_SHOWN:
        shown = f"a value of type {type(found).__name__}"
    return UsageError(f"{name} must be {expected}, found {shown}" + (f". {advice}" if advice else ""))


def is_address(path: object) -> bool:
    """Whether this is the address of a file elsewhere, as in s3://bucket/key; the letter of a drive is no scheme.

    >>> is_address("s3://bucket/key"), is_address("C://key"), is_address("a/b://c")
    (True, False, False)
    """
    scheme, found, _ = path.partition("://") if isinstance(path, str) else ("", "", "")
    return bool(found) and len(scheme) > 1 and scheme.replace("+", "").replace("-", "").replace(".", "").isalnum()


def shown_path(path: str | os.PathLike[str]) -> str:
    """A path as messages name it: an address without what may be secret."""
    text = os.fspath(path)
    if not is_address(text):
        return text
    from fullmarks.remote_file import shown

    return shown(text)


def check_local(name: str, path: str | os.PathLike[str]) -> None:
    """An error if what has to be on this machine is an address."""
    if is_address(path):
        raise UsageError(f"{name} must be on this machine, found the address {shown_path(path)}. Copy it here first")


def check_instance(name: str, value: object, kind: type, expected: str, advice: str = "") -> None:
    """An error unless the value is of that class."""
    if not isinstance(value, kind):
        raise wrong_value(name, expected, value, advice)


def check_kind(
    name: str,
    value: object,
    kind: type,
    *,
    least: float | None = None,
    most: float | None = None,
    or_none: bool = False,
) -> None:
    """An error unless the value is a text, True or False, a whole number or a number, as `kind` says.

    `least` and `most` are the limits of a number; NaN is none, and neither are True and False.
    """
    if (value is None and or_none) or (is_kind(value, kind) and _is_within(value, least, most)):
        return
    words = _WORDS[kind]
    if least is not None:
        words += f" of {least} or more" if most is None else f" from {least} to {most}"
    more = ", or None" if least is not None else " or None"
    raise wrong_value(name, words + more if or_none else words, value)


def listed_names(name: str, given: object, expected: str) -> tuple[str, ...]:
    """The names, of which a single one need not stand in a list; an error unless all are texts."""
    names = (given,) if isinstance(given, str) else tuple(given) if isinstance(given, Iterable) else (None,)
    if not all(isinstance(each, str) for each in names):
        raise wrong_value(name, expected, given)
    return names


def can_be_label(kind: type) -> bool:
    """Whether examples can be grouped by values of this type: single ones that can be keys."""
    return kind.__hash__ is not None and not issubclass(kind, (tuple, frozenset))


def are_labels(values: Sequence[Any], *, may_be_several: bool = True) -> bool:
    """Whether examples can be grouped by these values; several of one example are a tuple."""
    kinds = set(map(type, values))
    if may_be_several and tuple in kinds:
        inner = {type(item) for value in values if isinstance(value, tuple) for item in value}
        kinds = (kinds - {tuple}) | inner
    return all(map(can_be_label, kinds))


def check_columns(wanted: Iterable[str], columns: Iterable[str], where: str = "", advice: str = "") -> None:
    """An error unless every wanted column is one to slice or cluster by; about the file `where`, if one is to blame."""
    offered = list(columns)
    for column in wanted:
        if column not in offered:
            raise no_column(column, offered, where, advice)


def no_column(column: str, offered: Iterable[str] | None = None, where: str = "", advice: str = "") -> FullmarksError:
    """The error about a column that is not there; `offered` are those that are, None where that is not known.

    >>> print(no_column("colour", ["title"], "gold.json"))
    gold.json: there is no column 'colour' to slice or cluster by; it offers 'title'. Check --by and --cluster.
    """
    found = f"there is no column '{column}' to slice or cluster by"
    if offered is not None:
        found += f"; it offers {', '.join(map(repr, offered)) or 'none'}"
    return _about(where, found, advice or "Check --by and --cluster.")


def check_labels(
    column: str, values: Sequence[Any], where: str = "", advice: str = "", *, may_be_several: bool = True
) -> None:
    """An error if the values of a column cannot tell groups of examples apart."""
    if not are_labels(values, may_be_several=may_be_several):
        found = f"the column '{column}' holds lists or objects, which cannot be sliced or clustered by"
        raise _about(where, found, advice or "Choose a column of texts or numbers.")


def _about(where: str, found: str, advice: str) -> FullmarksError:
    return InputError(where, found, advice) if where else UsageError(f"{found}. {advice}")


def has_several(values: Sequence[object]) -> bool:
    """Whether an example may have several values here, which are then written as a tuple."""
    return tuple in set(map(type, values))


def each_label(values: Sequence[Any]) -> tuple[list[int], list[Any]]:
    """Every position once for each of its values, with that value: an example with several belongs to every group.

    >>> each_label(["x", ("x", "y"), ()])
    ([0, 1, 1], ['x', 'x', 'y'])
    """
    if not has_several(values):
        return list(range(len(values))), list(values)
    positions: list[int] = []
    labels: list[Any] = []
    for position, value in enumerate(values):
        own = dict.fromkeys(value) if isinstance(value, tuple) else (value,)
        positions.extend([position] * len(own))
        labels.extend(own)
    return positions, labels


def is_kind(value: object, kind: type) -> bool:
    """Whether the value is what `kind` (str, bool, int or float) stands for; numbers of other packages count."""
    if kind in (str, bool):
        return isinstance(value, kind)
    if isinstance(value, (int, float)):
        return not isinstance(value, bool) and (kind is float or isinstance(value, int)) and not is_nan(value)
    from numbers import Integral, Real

    return isinstance(value, Integral if kind is int else Real) and not is_nan(value)


def is_nan(value: object) -> bool:
    """Whether the value is the number that equals nothing, itself included."""
    if isinstance(value, float):
        return math.isnan(value)
    if isinstance(value, (str, int)):
        return False
    from numbers import Real

    return isinstance(value, Real) and bool(value != value)  # noqa: PLR0124 - true of NaN alone


def _is_within(value: object, least: float | None, most: float | None) -> bool:
    number: float = value  # type: ignore[assignment]
    return (least is None or number >= least) and (most is None or number <= most)
