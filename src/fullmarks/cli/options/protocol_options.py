"""A protocol's fields as options of a command, and back: the metadata of a field says all that is needed."""

from __future__ import annotations

from dataclasses import MISSING, Field, fields
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.core import ParameterSource

from fullmarks.protocols.protocol import Protocol
from fullmarks.readers.source import Source

if TYPE_CHECKING:
    _NamedTexts = click.ParamType[dict[str, str]]
else:  # older versions of click have it without a type argument
    _NamedTexts = click.ParamType

FILE = click.Path(readable=False, allow_dash=True)
"""A path that is only completed here; the readers say what is wrong with it."""


class NamedValues(_NamedTexts):
    """`name=value,name=value` as a dictionary."""

    name = "NAME=VALUE,..."

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> dict[str, str]:
        """The pairs; a repeated name or a missing part is an error."""
        if isinstance(value, dict):
            return value
        named: dict[str, str] = {}
        for pair in value.split(","):
            name, equals, text = (part.strip() for part in pair.partition("="))
            if not (name and equals and text):
                self.fail(f"'{pair}' is not of the form name=value, as in prediction=answer", param, ctx)
            if name in named:
                self.fail(f"'{name}' is named twice", param, ctx)
            named[name] = text
        return named


def protocol_options(protocol: type[Protocol]) -> list[click.Option]:
    """One option per field that has a description, those of the protocol itself before those that all have."""
    without_use = {
        *(() if protocol.tables else ("columns",)),
        *(() if protocol.reads_logs else ("allow_failed", "only")),
        *(() if protocol.predicts_texts else ("extract",)),
    }
    described = [
        field for field in fields(protocol) if "description" in field.metadata and field.name not in without_use
    ]
    general = {field.name for field in fields(Protocol)}
    described.sort(key=lambda field: field.name in general)
    return [_option(protocol, field) for field in described]


def chosen_options(protocol: type[Protocol], context: click.Context) -> dict[str, Any]:
    """The values that the user gave; what was left out stays the protocol's own default."""
    return {
        field.name: context.params[field.name]
        for field in fields(protocol)
        if field.name in context.params and context.get_parameter_source(field.name) != ParameterSource.DEFAULT
    }


def _option(protocol: type[Protocol], field: Field[Any]) -> click.Option:
    facts = field.metadata
    flags = facts.get("flags") or (f"--{field.name.replace('_', '-')}",)
    default = None if field.default is MISSING else field.default
    kind = facts.get("kind", str)
    if kind is bool:
        names = [f"{flag}/--no-{flag[2:]}" if flag.startswith("--") else flag for flag in flags]
        return click.Option(
            [field.name, *names], default=bool(default), show_default=bool(default), help=facts["description"]
        )
    return click.Option(
        [field.name, *flags],
        type=_type(protocol, field),
        default=default,
        multiple=kind is tuple,
        show_default=default is not None and kind is not tuple,
        help=facts["description"],
    )


def _type(protocol: type[Protocol], field: Field[Any]) -> Any:
    kind = field.metadata.get("kind", str)
    choices = tuple(protocol.variants) if field.name == "variant" else field.metadata.get("choices")
    if choices:
        return click.Choice(choices)
    if kind in (Source, Path):
        return FILE
    if kind is dict:
        return NamedValues()
    return str if kind is tuple else kind
