"""What the pages need to be a site: links that lead out of docs/, and the language of their plain code blocks."""

from __future__ import annotations

import re
from functools import partial
from pathlib import Path
from typing import Any

from docutils import nodes
from sphinx.transforms import SphinxTransform

DOCS = Path(__file__).resolve().parents[1]
ROOT = DOCS.parent

OUTWARD = re.compile(r"(?<=\]\()(?P<path>(?:\.\./)+[\w./-]+)")
ON_THE_SITE = {"CHANGELOG.md": "changelog.md", "CONTRIBUTING.md": "contributing.md", "SECURITY.md": "security.md"}
"""Files beside docs/ that a page of the site shows."""

LISTS = {"protocols/README": "\n```{toctree}\n:hidden:\n:glob:\n\n*\n```\n"}
"""What the site's navigation needs of pages that are made elsewhere, and that a code host should not show."""

SHELL_WORDS = (
    "fullmarks ",
    "pip ",
    "python ",
    "python3 ",
    "make ",
    "git ",
    "cd ",
    "pytest ",
    "zcat ",
    "export ",
    "ray ",
)


def inward(text: str, page: Path, source: str) -> str:
    """The text of a page with links to other files of the repository turned to the site's own page, or to the source.

    A link to nothing stays as it is, and the build fails on it.
    """

    def turned(found: re.Match[str]) -> str:
        path = (page.parent / found["path"]).resolve()
        if path.is_relative_to(DOCS) or not path.is_relative_to(ROOT) or not path.exists():
            return found["path"]
        name = path.relative_to(ROOT).as_posix()
        if name in ON_THE_SITE:
            return "/" + ON_THE_SITE[name]
        return f"{source}/{'tree' if path.is_dir() else 'blob'}/main/{name}"

    return OUTWARD.sub(turned, text)


def language_of(code: str) -> str:
    """The language of a code block that names none.

    >>> [language_of(code) for code in (">>> 1 + 1", "$ fullmarks demo", "fullmarks demo", "  f1  80")]
    ['pycon', 'console', 'bash', 'text']
    """
    start = code.lstrip()
    if start.startswith(">>> "):
        return "pycon"
    if start.startswith("$ "):
        return "console"
    if start.startswith(SHELL_WORDS) or re.match(r"[A-Z_]+=\S+ fullmarks ", start):
        return "bash"
    if re.match(r"(import|from) \w+", start):
        return "python"
    if start.startswith(('{"', '[{"')):
        return "json"
    if re.match(r"\[[\w.\"-]+\]\n", start):
        return "toml"
    return "text"


class NameLanguages(SphinxTransform):
    """Gives every code block without a language the one that it is in."""

    default_priority = 400

    def apply(self, **_: Any) -> None:
        """Change the document in place."""
        for block in self.document.findall(nodes.literal_block):
            if block.get("language", "default") in ("default", "none", ""):
                block["language"] = language_of(block.astext())


def _prepare(source: str, _app: Any, name: str, content: list[str]) -> None:
    content[0] = inward(content[0], DOCS / f"{name}.md", source) + LISTS.get(name, "")


def setup(app: Any, source: str) -> None:
    """Hook both into the build."""
    app.connect("source-read", partial(_prepare, source))
    app.add_transform(NameLanguages)
