"""The report as one HTML file: style, program and compressed data inside of it, nothing fetched from anywhere.

Data stands in the page as base64 of gzip, so no text of an example can end a tag; the program shows texts as texts
only. The page's policy lets run only the program written here, and forbids every connection.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

from fullmarks.analysis.compact_json import compact_json
from fullmarks.report.page_images import ImageFile

ASSETS = Path(__file__).parent / "page"
PROGRAM = (
    "elements",
    "values",
    "axes",
    "scores",
    "comparison",
    "distributions",
    "slices",
    "filters",
    "list",
    "address",
    "overlay",
    "context",
    "detail",
    "navigation",
    "keys",
    "start",
)
"""The parts of the page's program, in the order in which they stand in it."""


@dataclass(frozen=True)
class PageContent:
    """What a page holds: one document, the explanations in blocks of examples, pictures and paragraphs."""

    title: str
    document: dict[str, Any]
    explanations: Iterable[list[Any]]
    images: Sequence[ImageFile] = ()
    contexts: Iterable[list[Any]] = ()
    headline: Sequence[str] = ()
    """What the numbers mean, sentence by sentence; it stands in the page as text and needs no program."""


def html_page(content: PageContent) -> Iterator[bytes]:
    """The page in pieces, to be written one after the other."""
    style, template = _asset("page.css"), _asset("page.html")
    program = _program()
    policy = (
        f"default-src 'none'; script-src 'sha256-{_digest(program)}'; style-src 'sha256-{_digest(style)}'; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )
    before, after = template.split("<!-- data -->")
    told = "\n".join(f"<p>{escape(sentence)}</p>" for sentence in content.headline)
    filled = {
        "<!-- policy -->": escape(policy),
        "/* style */": style,
        "<!-- headline -->": told,
        "<!-- title -->": escape(content.title),
    }
    for mark, text in filled.items():
        before = before.replace(mark, text)
    yield before.encode("utf-8", "backslashreplace")
    yield _data_block("data", packed(content.document))
    for number, block in enumerate(content.explanations):
        yield _data_block(f"explanations-{number}", packed(block))
    for number, block in enumerate(content.contexts):
        yield _data_block(f"contexts-{number}", packed(block))
    for number, image in enumerate(content.images):
        yield _data_block(f"image-{number}", image.data, image.kind)
    yield after.replace("/* program */", program).encode()


def packed(document: Any) -> bytes:
    """Plain data as compressed JSON, the same bytes every time; what JSON has no word for becomes null."""
    return gzip.compress(compact_json(document), 6, mtime=0)


def _data_block(name: str, data: bytes, kind: str = "application/gzip") -> bytes:
    return b'<script type="%s" id="%s">%s</script>\n' % (kind.encode(), name.encode(), base64.b64encode(data))


def _asset(name: str) -> str:
    return (ASSETS / name).read_text(encoding="utf-8")


def _program() -> str:
    """The parts as one program with names of its own, without indentation and comments."""
    lines = (line.strip() for name in PROGRAM for line in _asset(f"{name}.js").splitlines())
    return "\n".join(['(() => {\n"use strict";', *(line for line in lines if line and line[:2] != "//"), "})();"])


def _digest(text: str) -> str:
    return base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
