"""Remakes docs/terminal-80.png and docs/terminal-200.png: real commands on a pseudo-terminal, drawn by Chromium.

    python tools/screenshots/terminal.py [FOLDER]

The files that are scored are made of the sample of squad2, repeated so often that tests can show something.
"""

from __future__ import annotations

import fcntl
import io
import json
import os
import pty
import shlex
import struct
import subprocess
import sys
import tempfile
import termios
from pathlib import Path

from rich.console import Console
from rich.terminal_theme import TerminalTheme
from rich.text import Text

from fullmarks.protocols.sample import sample_folder

ROOT = Path(__file__).resolve().parents[2]
CHROMIUM = os.environ.get("CHROMIUM", "/usr/bin/chromium")
FLAGS = ("--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking")
COPIES = 12
WIDTHS = (80, 200)
SCORE = "fullmarks score squad2 gold.json new.json --ci --by has_answer --fail-under f1=60"
COMPARE = "fullmarks compare squad2 gold.json old.json new.json --examples 2"
THEME = TerminalTheme(
    (24, 24, 27),
    (222, 222, 222),
    [
        *((60, 60, 60), (229, 96, 86), (110, 195, 100), (222, 184, 74)),
        *((96, 156, 235), (194, 130, 214), (86, 190, 200), (205, 205, 205)),
    ],
)
CELL_WIDTH, LINE_HEIGHT = 7.23, 16
PAGE = """<meta charset="utf-8"><body style="margin:0;background:{background};color:{foreground}">
<pre style="margin:8px;font:12px/16px 'DejaVu Sans Mono',monospace">{code}</pre>"""


def main(folder: Path) -> None:
    """Write a picture for every width."""
    for width in WIDTHS:
        with tempfile.TemporaryDirectory() as place:
            make_files(Path(place))
            shown = "\n".join(f"$ {words}\n{on_terminal(words, width, place)}" for words in (SCORE, COMPARE))
            draw(shown.rstrip("\n"), width, Path(place), folder / f"terminal-{width}.png")


def make_files(folder: Path) -> None:
    """The gold of the sample many times over, its predictions, and older ones of which some are worse or better."""
    sample = sample_folder("squad2")
    gold = json.loads((sample / "gold.json").read_text(encoding="utf-8"))
    answers = json.loads((sample / "predictions.json").read_text(encoding="utf-8"))
    new, old = {}, {}
    for article in gold["data"]:
        for paragraph in article["paragraphs"]:
            asked = paragraph["qas"]
            paragraph["qas"] = [{**each, "id": f"{each['id']}.{copy}"} for copy in range(COPIES) for each in asked]
    for copy in range(COPIES):
        for at, (key, answer) in enumerate(answers.items()):
            new[f"{key}.{copy}"] = answer
            changed = (5 * copy + 3 * at) % 7 < 3
            old[f"{key}.{copy}"] = ("" if answer else "a hive of bees") if changed else answer
    for name, content in (("gold", gold), ("new", new), ("old", old)):
        (folder / f"{name}.json").write_text(json.dumps(content), encoding="utf-8")


def on_terminal(words: str, columns: int, folder: str) -> str:
    """What the command shows on a terminal of so many columns."""
    process, stream = pty.fork()
    if process == 0:
        os.chdir(folder)
        kept = {name: value for name, value in os.environ.items() if name not in ("NO_COLOR", "FORCE_COLOR", "COLUMNS")}
        path = f"{Path(sys.executable).parent}:{kept.get('PATH', '')}"
        command = shlex.split(words)
        os.execvpe(command[0], command, {**kept, "TERM": "xterm-256color", "PATH": path})
    fcntl.ioctl(stream, termios.TIOCSWINSZ, struct.pack("HHHH", 50, columns, 0, 0))
    shown = b""
    try:
        while piece := os.read(stream, 1 << 16):
            shown += piece
    except OSError:  # how Linux reports that the other side is closed
        pass
    os.waitpid(process, 0)
    return shown.decode().replace("\r\n", "\n")


def draw(shown: str, columns: int, place: Path, picture: Path) -> None:
    """The text of a terminal as a picture."""
    console = Console(record=True, width=columns, file=io.StringIO(), force_terminal=True, color_system="truecolor")
    for row in shown.split("\n"):
        console.print(Text.from_ansi(row), overflow="fold", highlight=False)
    height = sum(max(1, -(-Text.from_ansi(row).cell_len // columns)) for row in shown.split("\n"))
    page = place / "terminal.html"
    page.write_text(console.export_html(theme=THEME, inline_styles=True, code_format=PAGE), encoding="utf-8")
    size = f"{round(columns * CELL_WIDTH) + 16},{height * LINE_HEIGHT + 16}"
    words = [CHROMIUM, *FLAGS, "--hide-scrollbars", f"--window-size={size}", f"--screenshot={picture}", page.as_uri()]
    subprocess.run(words, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=120)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "docs")
