"""Keeps the table of docs/findings.md: every kind of finding that the package declares, with its code and its advice.

`make pages` writes it; a test holds it to the code.
"""

from __future__ import annotations

import ast
import importlib
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from fullmarks.types import FindingKind

ROOT = Path(__file__).resolve().parents[1]
SOURCE = ROOT / "src"
PAGE = ROOT / "docs" / "findings.md"
HEADER = "| code | shown as | what to do | found in |\n|---|---|---|---|\n"


class Declared(NamedTuple):
    """A kind, and the module in which it stands under a name of its own."""

    kind: FindingKind
    module: str

    @property
    def home(self) -> str:
        """The benchmark that alone has it, or how widely it is shared."""
        _, room, *inner = self.module.split(".")
        if room != "protocols":
            return "any"
        return f"`{inner[0]}`" if len(inner) > 1 else "several"

    @property
    def row(self) -> str:
        """The kind's line of the table."""
        return f"| `{self.kind.code}` | {self.kind.text} | {self.kind.advice} | {self.home} |\n"


def declared() -> list[Declared]:
    """Every `NAME = FindingKind(...)` of the package, in the order of its files."""
    return [
        Declared(getattr(importlib.import_module(module), name), module)
        for path in sorted((SOURCE / "fullmarks").rglob("*.py"))
        for module in [".".join(path.relative_to(SOURCE).with_suffix("").parts)]
        for name in _names(ast.parse(path.read_text(encoding="utf-8")))
    ]


def _names(tree: ast.Module) -> Iterator[str]:
    for statement in tree.body:
        match statement:
            case ast.Assign(targets=[ast.Name(id=name)], value=ast.Call(func=ast.Name(id="FindingKind"))):
                yield name


def page(text: str) -> str:
    """The page with the table as it has to be, in place of the one at its end."""
    head, _, _ = text.partition(HEADER)
    return head + HEADER + "".join(each.row for each in sorted(declared(), key=lambda each: each.kind.code))


if __name__ == "__main__":
    PAGE.write_text(page(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
