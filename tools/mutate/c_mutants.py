"""Mutants of a C file: one operator or number made other at a time, by pattern."""

from __future__ import annotations

import re
from collections.abc import Iterator

from tools.mutate.python_mutants import Mutant

SWAPS = {
    " <= ": (" < ",),
    " >= ": (" > ",),
    " < ": (" <= ",),
    " > ": (" >= ",),
    " == ": (" != ",),
    " != ": (" == ",),
    " && ": (" || ",),
    " || ": (" && ",),
    " + ": (" - ",),
    " - ": (" + ",),
    " * ": (" / ",),
    " / ": (" * ",),
    " & ": (" | ",),
    " | ": (" & ",),
    " >> ": (" << ",),
    " << ": (" >> ",),
    " += ": (" -= ",),
    "++": ("--",),
    "continue;": ("break;",),
    "break;": ("continue;",),
}
PATTERN = re.compile(
    "|".join(map(re.escape, sorted(SWAPS, key=len, reverse=True))) + r"|\b\d+(?:\.\d+)?\b|(?<=[(&|=] )!|(?<=\()!"
)


def c_mutants(text: str) -> list[Mutant]:
    """All mutants of the file; comments, directives and texts are left alone."""
    found = []
    for start, line in _code_lines(text):
        number = text.count("\n", 0, start) + 1
        for match in PATTERN.finditer(line):
            for after in _others(match[0]):
                at = start + match.start()
                changed = text[:at] + after + text[at + len(match[0]) :]
                found.append(
                    Mutant(number, line.strip(), f"{match[0].strip()} -> {after.strip() or 'nothing'}", changed)
                )
    return found


def _others(token: str) -> tuple[str, ...]:
    if token == "!":
        return ("",)
    if token[0].isdigit():
        return (str(float(token) + 1) if "." in token else str(int(token) + 1),)
    return SWAPS[token]


def _code_lines(text: str) -> Iterator[tuple[int, str]]:
    """Lines of code with their offsets; what stands in quotes or comments is blanked."""
    blanked = re.sub(r'/\*.*?\*/|"(?:\\.|[^"\\])*"|^#.*?$', lambda found: " " * len(found[0]), text, flags=re.S | re.M)
    offset = 0
    for line in blanked.splitlines(keepends=True):
        is_check = "PY_VERSION" in line or "PyErr_" in line or "static PyMethodDef" in line
        if line.strip() and not is_check:
            yield offset, line
        offset += len(line)
