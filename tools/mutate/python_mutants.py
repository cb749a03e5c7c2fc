"""Mutants of a Python file: one operator, constant, condition or call made other at a time.

What changes nothing that a program can see is left alone: docstrings, annotations, messages of errors, imports.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from copy import deepcopy
from itertools import accumulate
from typing import Any, NamedTuple

COMPARISONS: dict[type[ast.cmpop], type[ast.cmpop]] = {
    ast.Lt: ast.LtE,
    ast.LtE: ast.Lt,
    ast.Gt: ast.GtE,
    ast.GtE: ast.Gt,
    ast.Eq: ast.NotEq,
    ast.NotEq: ast.Eq,
    ast.In: ast.NotIn,
    ast.NotIn: ast.In,
    ast.Is: ast.IsNot,
    ast.IsNot: ast.Is,
}
OPERATORS: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.Mult,
    ast.Pow: ast.Mult,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
}


class Mutant(NamedTuple):
    """A changed file: where, what stood there, what stands there now, and the whole text."""

    line: int
    before: str
    after: str
    text: str


def python_mutants(text: str) -> list[Mutant]:
    """All mutants of the file, in the order of its lines."""
    data = text.encode()
    starts = [0, *accumulate(map(len, data.splitlines(keepends=True)))]
    found = []
    for node in _seen(ast.parse(text)):
        for other in _others(node):
            start = starts[node.lineno - 1] + node.col_offset  # columns of the syntax tree count bytes
            end = starts[node.end_lineno - 1] + node.end_col_offset
            before = data[start:end].decode()
            if "\n" in before and isinstance(node, ast.Expr):
                continue
            after = ast.unparse(other)
            if isinstance(node, ast.expr):
                after = f"({after})"
            changed = (data[:start] + after.encode() + data[end:]).decode()
            found.append(Mutant(node.lineno, before, after, changed))
    return sorted(found, key=lambda mutant: mutant.line)


def _seen(tree: ast.AST) -> Iterator[Any]:
    """The nodes that are worth a change."""
    waiting: list[Any] = [tree]
    while waiting:
        node = waiting.pop()
        if isinstance(node, (ast.JoinedStr, ast.Raise, ast.Import, ast.ImportFrom, ast.Assert)):
            continue  # positions inside f-strings are not those of the file
        if isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING":
            continue
        yield node
        for name, value in ast.iter_fields(node):
            if name in ("annotation", "returns", "decorator_list", "bases", "type_params"):
                continue
            if isinstance(node, ast.AnnAssign) and name != "value":
                continue
            waiting.extend(
                each for each in (value if isinstance(value, list) else [value]) if isinstance(each, ast.AST)
            )


def _others(node: Any) -> Iterator[ast.AST]:
    other: Any
    if isinstance(node, ast.Compare):
        for place, operator in enumerate(node.ops):
            other = deepcopy(node)
            other.ops[place] = COMPARISONS[type(operator)]()
            yield other
    elif isinstance(node, ast.BoolOp):
        other = deepcopy(node)
        other.op = ast.Or() if isinstance(node.op, ast.And) else ast.And()
        yield other
    elif isinstance(node, ast.BinOp) and type(node.op) in OPERATORS:
        if not _is_text(node.left) and not _is_text(node.right) and not _is_type(node):
            other = deepcopy(node)
            other.op = OPERATORS[type(node.op)]()
            yield other
    elif isinstance(node, ast.UnaryOp) and isinstance(node.op, (ast.Not, ast.USub)):
        yield node.operand
    elif isinstance(node, ast.Constant):
        yield from _constants(node)
    elif isinstance(node, ast.IfExp):
        yield ast.IfExp(ast.UnaryOp(ast.Not(), node.test), node.body, node.orelse)
    elif isinstance(node, ast.Dict):
        for place, key in enumerate(node.keys):
            if isinstance(key, ast.Constant) and isinstance(key.value, str):
                other = deepcopy(node)
                other.keys[place] = ast.Constant(f"{key.value}_")
                yield other
    elif isinstance(node, ast.Expr) and isinstance(node.value, ast.Call):
        yield ast.Pass()
    elif isinstance(node, ast.Continue):
        yield ast.Break()
    elif isinstance(node, ast.Break):
        yield ast.Continue()


def _constants(node: ast.Constant) -> Iterator[ast.AST]:
    if isinstance(node.value, bool):
        yield ast.Constant(not node.value)
    elif isinstance(node.value, (int, float)):
        yield ast.Constant(node.value + 1)


def _is_text(node: ast.AST) -> bool:
    return isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, (str, bytes)))


def _is_type(node: ast.BinOp) -> bool:
    """A union of types outside of an annotation."""
    names = {"str", "int", "float", "None", "bool", "bytes", "Any"}
    return isinstance(node.op, ast.BitOr) and any(word in names for word in ast.unparse(node).split(" | "))
