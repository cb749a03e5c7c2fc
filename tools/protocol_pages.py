"""Makes docs/protocols from the cards in the benchmarks' folders: one page each, and a list of all by kind.

`make pages` writes them; a test holds them to the cards.
"""

from __future__ import annotations

from pathlib import Path

from fullmarks.protocols import PROTOCOLS
from fullmarks.protocols.folder import read_card

PAGES = Path(__file__).resolve().parents[1] / "docs" / "protocols"
KINDS = {"text": "Text", "visual": "Images and text", "generic": "Any questions"}
COMMON = """
## Where all of them differ
What differs for one benchmark alone is on its page. Common to all:

| case | published programs | fullmarks |
|---|---|---|
| a key that stands twice in an object of the gold | the last one counts, in silence | an error with its place |
| a byte order mark at the beginning of a file | most end with an error | passed over |
| a character that a newer Unicode version added | judged by the tables of the Python that runs the program | \
the same: for SQuAD "the\U0001e4d0 cat" equals "\U0001e4d0 cat" up to Python 3.11, \
and from 3.12 on, where \U0001e4d0 is a letter, it does not |
"""
MADE = "<!-- Made from the cards in src/fullmarks/protocols by `make pages`; edit those. -->\n"


def pages() -> dict[str, str]:
    """The content of every page by its file name."""
    made = {f"{name}.md": MADE + read_card(name) for name in PROTOCOLS.built_in}
    return {**made, "README.md": MADE + _overview()}


def _overview() -> str:
    parts = ["# All protocols\n\nThe same pages in the terminal: `fullmarks card NAME`.\n"]
    for kind, title in KINDS.items():
        of_kind = [name for name in PROTOCOLS.built_in if PROTOCOLS.get(name).kind == kind]
        lines = [f"| [`{name}`]({name}.md) | {PROTOCOLS.get(name).title} |\n" for name in of_kind]
        parts.append(f"\n## {title}\n\n| name | what it scores |\n|---|---|\n{''.join(lines)}")
    return "".join([*parts, COMMON])


def write() -> None:
    """Write all pages, and remove those of protocols that are gone."""
    made = pages()
    PAGES.mkdir(exist_ok=True)
    for path in PAGES.glob("*.md"):
        if path.name not in made:
            path.unlink()
    for name, text in made.items():
        (PAGES / name).write_text(text, encoding="utf-8")


if __name__ == "__main__":
    write()
