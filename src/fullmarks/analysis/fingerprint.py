"""The fingerprint of a benchmark's rules: a short hash that changes when the code or data behind its numbers does.

A version says which release scored a run; a fingerprint also notices a rule that was changed without one, in a working
copy or in a plug-in. It stands in saved runs beside the signature, and is compared when two runs are.

It is made of the sources in the benchmark's folder and of the modules of ours that they import, in the rooms that make
numbers out of texts. Readers are not among them: what they read stands in the run itself. Nor is the compiled kernel,
which tests hold to the Python one. Comments, docstrings and blank lines do not count. A regular expression takes them
out of the text: bytecode, syntax trees and the tokens of f-strings differ from one Python to the next.
"""

from __future__ import annotations

import hashlib
import re
import sys
from collections.abc import Iterator
from functools import cache, lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from fullmarks.protocols import PROTOCOLS
from fullmarks.result import version_part
from fullmarks.version import __version__

if TYPE_CHECKING:
    from fullmarks.protocols.protocol import Protocol
    from fullmarks.result import Result

HOME = Path(__file__).parents[1]
ROOMS = frozenset(("protocols", "metrics", "text", "lexicons", "backends", "data"))
DIGITS = 16
NOT_RULES = frozenset(("sample", "tests", "__pycache__", "card.md"))
"""What a benchmark's folder holds besides its rules and their data."""
_LITERAL_OR_COMMENT = re.compile(
    r'''(?P<docstring>"""[^"\\]*(?:(?:\\.|"(?!""))[^"\\]*)*""")|#[^\n]*'''
    r"""|(?P<text>'''[^'\\]*(?:(?:\\.|'(?!''))[^'\\]*)*'''|"[^"\\\n]*(?:\\.[^"\\\n]*)*"|'[^'\\\n]*(?:\\.[^'\\\n]*)*')""",
    re.DOTALL,
)
_IMPORT = re.compile(r"^ *(?:from (fullmarks[\w.]*) import (\([^)]*\)|[^\n]*)|import (fullmarks[\w.]*))", re.MULTILINE)
_WORD = re.compile(r"\w+")
_TABLE = re.compile(r"""\btable\(["'](\w+)["']\)""")
_GOES_ON = tuple("([{,=+%|&\\")
"""What an expression that is not at its end ends in: a text behind it is no docstring."""


def fingerprint_of(result: Result) -> str:
    """That of the rules that made a result: as it was saved, or of what is installed; "" where it is not known."""
    return rules_fingerprint(type(result.rules)) if result.fingerprint is None else result.fingerprint


def rules_changed(run: Result, earlier: Result, name: str, earlier_name: str) -> str:
    """What to know where two runs were not scored by the same rules, or by an unknown version of them; else empty."""
    if run.fingerprint is None and earlier.fingerprint is None:
        return ""  # both were scored here
    return _changed(_maker(run), _maker(earlier), (name, earlier_name))


def version_changed(run: Result, signature: str | None, name: str, earlier_name: str) -> str:
    """The same for an earlier result of which only the signature is known."""
    earlier = _Maker(version_part(signature or ""), "")
    return _changed(_maker(run), earlier, (name, earlier_name)) if earlier.version else ""


def rules_outdated(run: Result, name: str) -> str:
    """What to know where a run was not scored by the rules that are installed; else empty."""
    if run.fingerprint is None or (maker := _maker(run)).is_here:
        return ""
    here = _Maker(__version__, rules_fingerprint(type(run.rules)))
    return f"{name} ({maker}) was not scored by the rules that are installed ({here}). Score {name} again"


class _Maker(NamedTuple):
    """What scored a run."""

    version: str
    fingerprint: str
    is_here: bool = False
    """Whether that is what is installed."""

    def __str__(self) -> str:
        return f"fullmarks {self.version}" + (f", rules {self.fingerprint}" if self.fingerprint else "")


def _maker(run: Result) -> _Maker:
    version, fingerprint = version_part(run.signature), fingerprint_of(run)
    is_here = fingerprint == rules_fingerprint(type(run.rules)) if fingerprint else version == __version__
    return _Maker(version, fingerprint, is_here)


def _changed(ours: _Maker, theirs: _Maker, names: tuple[str, str]) -> str:
    are_known = bool(ours.fingerprint and theirs.fingerprint)
    if ours.fingerprint == theirs.fingerprint if are_known else ours.version == theirs.version:
        if ours.version == theirs.version:
            return ""
        return f"{names[0]} ({ours}) and {names[1]} ({theirs}) were scored by different versions with the same rules"
    what = "by different rules" if are_known else "by different versions"
    again = " and ".join(name for name, maker in zip(names, (ours, theirs), strict=True) if not maker.is_here)
    return (
        f"{names[0]} ({ours}) and {names[1]} ({theirs}) were scored {what}: the difference between them may come from "
        f"that. Score {again or names[1]} again"
    )


@lru_cache(maxsize=64)
def rules_fingerprint(protocol: type[Protocol]) -> str:
    """That of the installed rules of a benchmark; "" where they have no source, as in a session at the prompt."""
    place = getattr(sys.modules.get(protocol.__module__), "__file__", None)
    if place is None or not Path(place).is_file():
        return ""
    digest = hashlib.sha256()
    digest.update(PROTOCOLS.package_of(protocol.name).encode())
    for name, text in sorted(_sources(Path(place))):
        digest.update(f"{name}\n{len(text)}\n{text}\n".encode("utf-8", "surrogatepass"))
    return digest.hexdigest()[:DIGITS]


def _sources(module: Path) -> Iterator[tuple[str, str]]:
    """The name and the text of every file that counts."""
    folder = module.parent
    is_alone = folder.name == "protocols" or not (folder / "__init__.py").is_file()
    waiting = [module] if is_alone else list(_files(folder))
    seen: set[Path] = set()
    while waiting:
        path = waiting.pop()
        if path not in seen:
            seen.add(path)
            text = _text(path)
            yield path.relative_to(HOME if path.is_relative_to(HOME) else folder).as_posix(), text
            waiting += _imported(text) if path.suffix == ".py" else ()


def _files(folder: Path) -> Iterator[Path]:
    for path in folder.iterdir():
        if path.name in NOT_RULES or path.name.startswith("."):
            continue
        if path.is_dir():
            yield from _files(path)
        elif path.suffix in (".py", ".json", ".txt", ".tsv", ".csv"):
            yield path


def _imported(text: str) -> Iterator[Path]:
    """The modules of ours that a text imports, wherever it does, and the tables of data that it reads."""
    names = [f"data.{name}" for name in _TABLE.findall(text)]
    for module, inside, alone in _IMPORT.findall(text):
        names += [module or alone, *(f"{module}.{name}" for name in _WORD.findall(inside))]
    for name in names:
        path = _place(name.removeprefix("fullmarks."))
        if path is not None:
            yield path


@cache
def _place(name: str) -> Path | None:
    """The file of a module in one of the rooms that count; None for packages and for names inside of modules."""
    room = name.partition(".")[0]
    if room not in ROOMS:
        return None
    path = HOME / (name.replace(".", "/") + (".json" if room == "data" else ".py"))
    return path if path.is_file() else None


def _text(path: Path) -> str:
    """The content with line feeds alone; of Python, what a machine would run."""
    text = path.read_bytes().decode("utf-8", "surrogateescape").replace("\r\n", "\n").replace("\r", "\n")
    return without_words(text) if path.suffix == ".py" else text


def without_words(source: str) -> str:
    """A Python source without comments, docstrings and blank lines.

    >>> without_words('def f():  # why\\n    \"\"\"What.\"\"\"\\n\\n    return "#"\\n')
    'def f():\\n    return "#"'
    """
    kept, at = [], 0
    for found in _LITERAL_OR_COMMENT.finditer(source):
        kept.append(source[at : found.start()])
        at = found.end()
        text = found["docstring"]
        if text is None:
            kept.append(found["text"] or "")
        elif not _begins_statement(kept):
            kept.append(text)
    kept.append(source[at:])
    return "\n".join(line.rstrip() for line in "".join(kept).split("\n") if line.strip())


def _begins_statement(before: list[str]) -> bool:
    """Whether a text comes first on its line, and nothing above waits to be ended."""
    line = before[-1].rpartition("\n")
    if line[2].strip() or (not line[1] and len(before) > 1):
        return False
    last = next((piece for piece in reversed(before) if piece.strip()), "")
    return not last.rstrip().endswith(_GOES_ON)
