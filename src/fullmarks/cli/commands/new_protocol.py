"""`fullmarks new-protocol`: a package with a benchmark of one's own that scores, explains and tests itself at once."""

from __future__ import annotations

import keyword
from pathlib import Path

import click

from fullmarks.cli.command_table import ENTRIES
from fullmarks.cli.options.local_path import LOCAL_PATH
from fullmarks.cli.output.streams import emit
from fullmarks.errors import UsageError

TEMPLATES = Path(__file__).parents[2] / "data" / "new_protocol"
FILES = {
    "pyproject.toml": "pyproject.toml",
    "README.md": "README.md",
    "src/fullmarks_@name@/__init__.py": "__init__.py",
    "src/fullmarks_@name@/protocol.py": "protocol.py",
    "src/fullmarks_@name@/rules.py": "rules.py",
    "src/fullmarks_@name@/card.md": "card.md",
    "src/fullmarks_@name@/sample/sample.json": "sample.json",
    "src/fullmarks_@name@/sample/gold.jsonl": "gold.jsonl",
    "src/fullmarks_@name@/sample/predictions.jsonl": "predictions.jsonl",
    "src/fullmarks_@name@/sample/expected.json": "expected.json",
    "tests/test_@name@.py": "test.py",
}
"""Every file of the package, and the template it is made from."""


def write_package(name: str, into: Path) -> Path:
    """The folder of a new package with a benchmark of that name; an error if it is there already."""
    from fullmarks.protocols import PROTOCOLS
    from fullmarks.registry import class_name
    from fullmarks.version import __version__

    if not name.isidentifier() or not name.isascii() or keyword.iskeyword(name) or name != name.lower():
        raise UsageError(f"a protocol's name is made of a-z, 0-9 and _ (as in my_qa), found '{name}'")
    if name in PROTOCOLS.names():
        raise UsageError(f"there is a protocol '{name}' already. Choose another name; all of them: fullmarks list")
    dashed = name.replace("_", "-")
    folder = into / f"fullmarks-{dashed}"
    if folder.exists():
        raise UsageError(f"{folder}: this is there already. Remove it, or choose another place with --into")
    words = {"@name@": name, "@dashed@": dashed, "@class@": class_name(name), "@version@": __version__}
    try:
        for place, template in FILES.items():
            path = folder / _filled(place, words)
            path.parent.mkdir(parents=True, exist_ok=True)
            text = (TEMPLATES / f"{template}.txt").read_text(encoding="utf-8")
            path.write_text(_filled(text, words), encoding="utf-8")
    except OSError as error:
        raise UsageError(f"{folder}: cannot be written ({error.strerror}). Choose another place with --into") from error
    return folder


def _filled(text: str, words: dict[str, str]) -> str:
    for word, value in words.items():
        text = text.replace(word, value)
    return text


def _run(name: str, into: Path) -> None:
    folder = write_package(name, into)
    emit(
        f"{folder}: a package with the protocol '{name}'. What to do next:\n\n"
        f"  $ cd {folder}\n"
        "  $ pip install -e '.[test]'\n"
        f"  $ fullmarks demo {name}\n"
        "  $ python -m pytest\n\n"
        f"The rule is in src/fullmarks_{name}/rules.py, files and keys are declared in protocol.py."
    )


command = click.Command(
    "new-protocol",
    callback=_run,
    params=[
        click.Argument(["name"]),
        click.Option(
            ["--into"],
            type=LOCAL_PATH,
            default=Path(),
            metavar="DIR",
            help="Where to make the package's folder; by default here.",
        ),
    ],
    help=ENTRIES["new-protocol"].summary,
)
