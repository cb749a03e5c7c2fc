"""The options of metrics and protocols: fields of frozen dataclasses, all checked in one way when one is made.

The annotation of a field says of which kind an option is, its metadata which choices and limits it has.
"""

from __future__ import annotations

import os
from collections.abc import Collection
from typing import TYPE_CHECKING, Any

from fullmarks.checks import check_instance, check_kind, wrong_value
from fullmarks.errors import UsageError
from fullmarks.frozen import declared, declared_fields

if TYPE_CHECKING:
    from dataclasses import Field

    from fullmarks.frozen import Declared

_SINGLE: dict[str, type] = {"str": str, "bool": bool, "int": int, "float": float}
_SEVERAL: dict[str, tuple[Any, str]] = {
    "dict[str, str]": (dict, "a dictionary of names"),
    "tuple[str, ...]": ((list, tuple), "a list of texts"),
}
"""The annotations that are checked, with or without `| None`; of others only the choices are."""


def limited(
    default: Any,
    *,
    choices: Collection[str] = (),
    least: float | None = None,
    most: float | None = None,
    or_function: bool = False,
    only_finishes: bool = False,
    **facts: Any,
) -> Any:
    """A field for an option that has these choices or lies between these limits.

    Where a function may stand for a choice, who takes it checks it. An option that only finishes changes how a score is
    made of the sums, never a row.
    """
    known = {
        "choices": tuple(choices),
        "least": least,
        "most": most,
        "or_function": or_function,
        "only_finishes": only_finishes,
    }
    return declared(default=default, metadata={**known, **facts})


def option_values(owner: Any) -> dict[str, Any]:
    """The options of a metric or protocol by name, in their order of declaration."""
    return {name: getattr(owner, name) for name in declared_fields(owner)}


def finishing_options(owner: Any) -> set[str]:
    """The names of the options that change only how a score is finished."""
    return {name for name, option in declared_fields(owner).items() if option.metadata.get("only_finishes")}


def check_options(owner: Any) -> None:
    """An error unless every option is what its field says; a path is kept as a text."""
    for option in declared_fields(owner).values():
        if not option.init or (value := getattr(owner, option.name)) is option.default:
            continue
        kind, or_none = _kind(option)
        if kind == "str" and isinstance(value, os.PathLike):
            value = os.fspath(value)
            object.__setattr__(owner, option.name, value)
        if not (or_none and value is None):
            _check(option, value, kind, or_none=or_none)


def _kind(option: Declared | Field[Any]) -> tuple[str, bool]:
    """The annotation, and whether None may stand in its place; empty where there are more ways."""
    annotation = option.type.__name__ if isinstance(option.type, type) else str(option.type)
    kind, _, other = annotation.partition(" | ")
    return ("", False) if other not in ("", "None") else (kind, bool(other))


def _check(option: Declared | Field[Any], value: object, kind: str, *, or_none: bool) -> None:
    facts = option.metadata
    choices = facts.get("choices")
    if choices and not facts.get("or_function"):
        if value not in choices:
            raise wrong_value(option.name, f"one of {', '.join(map(repr, choices))}", value)
    elif kind in _SINGLE:
        check_kind(option.name, value, _SINGLE[kind], least=facts.get("least"), most=facts.get("most"), or_none=or_none)
    elif kind in _SEVERAL:
        check_instance(option.name, value, *_SEVERAL[kind])
        if isinstance(value, dict) and not all(isinstance(text, str) for pair in value.items() for text in pair):
            raise UsageError(f"{option.name} must map names to names, found {value!r}")
