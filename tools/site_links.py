"""Looks through a built site: every link to a page of it, a part of a page, a picture or a style must lead somewhere.

    python tools/site_links.py build/site

Prints what leads nowhere and ends with 1 if anything does. Addresses of other sites are not looked at.
"""

from __future__ import annotations

import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

LINKS = {"a": "href", "link": "href", "img": "src", "script": "src", "source": "src", "iframe": "src"}


class Page(HTMLParser):
    """The links of a page and the names of its parts."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.path = path
        self.links: set[str] = set()
        self.parts: set[str] = set()
        self.feed(path.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = dict(attrs)
        self.parts |= {name for name in (found.get("id"), found.get("name")) if name}
        link = found.get(LINKS.get(tag, ""))
        if link:
            self.links.add(link)


def dead_links(site: Path) -> list[str]:
    """A line for each link that leads nowhere, in the order of the pages."""
    pages = {path.resolve(): Page(path) for path in sorted(site.rglob("*.html"))}
    return [
        f"{page.path.relative_to(site)}: {link}"
        for page in pages.values()
        for link in sorted(page.links)
        if not _leads_somewhere(link, page, pages, site.resolve())
    ]


def _leads_somewhere(link: str, page: Page, pages: dict[Path, Page], site: Path) -> bool:
    parts = urlsplit(link)
    if parts.scheme or parts.netloc:
        return True
    target = page.path.resolve()
    if parts.path:
        target = (target.parent / unquote(parts.path)).resolve()
    if target.is_dir():
        target /= "index.html"
    if not target.is_file() or not target.is_relative_to(site):
        return False
    part = unquote(parts.fragment)
    return not part or target not in pages or part in pages[target].parts


def main(words: list[str]) -> int:
    if len(words) != 1 or not (Path(words[0]) / "index.html").is_file():
        print(
            "expected the folder of a built site, with its index.html: python tools/site_links.py build/site",
            file=sys.stderr,
        )
        return 2
    found = dead_links(Path(words[0]))
    for line in found:
        print(f"leads nowhere: {line}", file=sys.stderr)
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
