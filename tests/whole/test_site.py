"""The documentation site is strict: what leads nowhere, and a notebook that fails, fail the build."""

from __future__ import annotations

import json
import re
import runpy
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).resolve().parents[2]
SITE = ROOT / "docs" / "site"


@pytest.fixture(scope="module")
def pages() -> dict[str, Any]:
    pytest.importorskip("sphinx", reason="needs the extra 'docs'")
    return runpy.run_path(str(SITE / "pages.py"))


@pytest.fixture(scope="module")
def dead_links() -> Any:
    return runpy.run_path(str(ROOT / "tools" / "site_links.py"))["dead_links"]


LINKS = {
    "../CONTRIBUTING.md": "/contributing.md",
    "../CHANGELOG.md#110-unreleased": "/changelog.md#110-unreleased",
    "../src/fullmarks/version.py": "https://home/blob/main/src/fullmarks/version.py",
    "../bench": "https://home/tree/main/bench",
    "../nothing.md": "../nothing.md",
    "metrics.md": "metrics.md",
    "protocols/../tables.md": "protocols/../tables.md",
}


def test_links_out_of_the_pages(pages: dict[str, Any]) -> None:
    page = ROOT / "docs" / "adding.md"
    turned = {link: pages["inward"](f"See [this]({link}).", page, "https://home") for link in LINKS}
    assert turned == {link: f"See [this]({other})." for link, other in LINKS.items()}


LANGUAGES = {
    ">>> 1\n1": "pycon",
    "$ fullmarks demo": "console",
    "fullmarks demo": "bash",
    "FULLMARKS_MAX_SIZE=none fullmarks compare a b": "bash",
    "import fullmarks": "python",
    '{"id": 1}': "json",
    '[project.entry-points."fullmarks.metrics"]\na = "b:C"': "toml",
    "  exact  78.7": "text",
}


def test_languages_of_blocks(pages: dict[str, Any]) -> None:
    assert {code: pages["language_of"](code) for code in LANGUAGES} == LANGUAGES


def test_dead_links_of_a_site(dead_links: Any, tmp_path: Path) -> None:
    (tmp_path / "part").mkdir()
    fine = ("#top", "part/", "part/index.html#there", "https://example.org/y")
    dead = ("#gone", "../up.html", "gone.html", "part/index.html#gone")
    links = "".join(f'<a href="{link}"></a>' for link in (*fine, *dead))
    (tmp_path / "index.html").write_text(f'<h1 id="top"></h1>{links}<img src="gone.png">')
    (tmp_path / "part" / "index.html").write_text('<p id="there"></p><a href="../index.html"></a>')
    (tmp_path.parent / "up.html").write_text("")
    assert dead_links(tmp_path) == [f"index.html: {link}" for link in sorted((*dead, "gone.png"))]


def built(source: Path, to: Path) -> subprocess.CompletedProcess[str]:
    """A site of other pages, built as `make docs` builds this one."""
    rule = re.search(r"-m sphinx (.+) -c docs/site", (ROOT / "Makefile").read_text(encoding="utf-8"))
    assert rule is not None
    words = [
        sys.executable,
        "-m",
        "sphinx",
        *rule[1].split(),
        "-c",
        str(SITE),
        "-d",
        str(to / "trees"),
        str(source),
        str(to / "site"),
    ]
    return subprocess.run(words, capture_output=True, text=True, check=False, cwd=ROOT)


def notebook(code: str) -> str:
    cell = {"cell_type": "code", "id": "one", "metadata": {}, "source": code, "outputs": [], "execution_count": None}
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    title = {"cell_type": "markdown", "id": "title", "metadata": {}, "source": "# Notebook"}
    return json.dumps({"cells": [title, cell], "metadata": kernel, "nbformat": 4, "nbformat_minor": 5})


@pytest.mark.parametrize(
    ("page", "code", "told"),
    [
        ("fine", "1 + 1", ""),
        ("[gone](gone.md)", "1", "gone.md"),
        ("[gone](#gone)", "1", "gone"),
        ("```{eval-rst}\n.. autofunction:: fullmarks.scores\n```", "1", "scores"),
        ("```{eval-rst}\n:py:func:`fullmarks.score`\n```", "1", "fullmarks.score"),
        ("fine", "raise KeyError('boo')", "boo"),
    ],
)
def test_what_is_broken_fails_the_build(tmp_path: Path, page: str, code: str, told: str) -> None:
    for module in ("sphinx", "myst_nb", "furo", "sphinx_design", "sphinx_copybutton"):
        pytest.importorskip(module, reason="needs the extra 'docs'")
    source = tmp_path / "docs"
    source.mkdir()
    (source / "index.md").write_text(f"# Title\n\n{page}\n\n```{{toctree}}\nnote\n```\n")
    (source / "note.ipynb").write_text(notebook(code))
    done = built(source, tmp_path)
    assert (done.returncode != 0) == bool(told), done.stderr
    assert told in done.stderr
