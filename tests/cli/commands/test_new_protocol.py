"""`new-protocol`: what it writes and refuses, and the page about it followed word by word."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import sysconfig
import textwrap
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from fullmarks.cli.commands.new_protocol import FILES, write_package
from fullmarks.errors import UsageError
from tests.repository import ROOT

PAGE = ROOT / "docs" / "adding.md"
BLOCK = re.compile(r"(?:^(?: {4}.*|)\n)*(?:^ {4}.*\n)", re.MULTILINE)
NAMED = re.compile(r"`(src/[^`]+)`:$")
"""How the line before a block names the file that the block is the content of."""
ENTRY_POINT = re.compile(r'^\[project\.entry-points\."(.+)"\]\n(\w+) = "(.+)"$', re.MULTILINE)
MOST_SECONDS = 600

Do = Callable[[str, Path], None]
"""Does a line of the page in a folder, and fails if the line does."""


def test_every_file_is_written_and_filled(tmp_path):
    folder = write_package("my_qa", tmp_path)
    written = sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())
    assert written == sorted(place.replace("@name@", "my_qa") for place in FILES)
    text = "".join(path.read_text() for path in folder.rglob("*") if path.is_file())
    assert re.findall(r"@\w+@", text) == []


@pytest.mark.parametrize("name", ["My", "my-qa", "1a", "class", "мой", "", "a b"])
def test_names_that_are_none_are_refused(tmp_path, name):
    with pytest.raises(UsageError, match="made of a-z"):
        write_package(name, tmp_path)


def test_nothing_is_overwritten(tmp_path):
    write_package("my_qa", tmp_path)
    with pytest.raises(UsageError, match="is there already"):
        write_package("my_qa", tmp_path)
    with pytest.raises(UsageError, match="there is a protocol 'squad2' already"):
        write_package("squad2", tmp_path)


def blocks() -> Iterator[tuple[str, str]]:
    """Every block of the page, and the line before it."""
    page = PAGE.read_text(encoding="utf-8")
    for found in BLOCK.finditer(page):
        yield page[: found.start()].rstrip().rpartition("\n")[2], textwrap.dedent(found[0]).strip("\n") + "\n"


def follow_the_page(folder: Path, do: Do) -> None:
    """Do what the page says, and nothing else: run its commands and write its files."""
    package = folder / "fullmarks-river-qa"
    commands = files = 0
    for before, block in blocks():
        if block.startswith("$ "):
            for line in re.findall(r"^\$ (.+)$", block, re.MULTILINE):
                if line.startswith("cd "):
                    folder = folder / line[3:]
                else:
                    do(line, folder)
                commands += 1
        else:
            named = NAMED.search(before)
            assert named, f"no file is named before the block: {before}"
            (folder / named[1]).write_text(block, encoding="utf-8")
            files += 1
    assert (commands, files) == (12, 3)
    assert package.joinpath("page.html").stat().st_size > 10_000
    assert json.loads((package / "run.json").read_text())["official"] == {"exact_match": 100.0, "f1": 100.0, "total": 2}


def ended_well(line: str | list[str], folder: Path, variables: dict[str, str]) -> None:
    ended = subprocess.run(
        line, shell=isinstance(line, str), cwd=folder, env=variables, capture_output=True, timeout=MOST_SECONDS,
        check=False,
    )  # fmt: skip
    if str(line).startswith("pip ") and b"No matching distribution" in ended.stderr:
        pytest.skip("no package index is reached, and pip wants setuptools from it")
    assert ended.returncode == 0, f"{line}\n{ended.stdout.decode()}\n{ended.stderr.decode()}"


def test_the_page_can_be_followed(run, installed, tmp_path, monkeypatch):
    """In this process; only pytest has one of its own, and what pip would write is written here."""

    def install(package: Path) -> None:
        (found,) = ENTRY_POINT.findall((package / "pyproject.toml").read_text())
        described = package / "src" / "fullmarks_river_qa.egg-info"
        described.mkdir()
        (described / "PKG-INFO").write_text("Metadata-Version: 2.1\nName: fullmarks-river-qa\nVersion: 0.1.0\n")
        (described / "entry_points.txt").write_text("[{}]\n{} = {}\n".format(*found))

    def do(line: str, folder: Path) -> None:
        source = folder / "src"
        if line == "pip install -e '.[test]'":
            install(folder)
        elif line == "python -m pytest":
            places = os.pathsep.join([str(source), *filter(None, sys.path)])
            variables = {**os.environ, "PYTHONPATH": places, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
            ended_well([sys.executable, "-m", "pytest"], folder, variables)
        else:
            monkeypatch.chdir(folder)
            for name in [name for name in sys.modules if name.startswith("fullmarks_river_qa")]:
                del sys.modules[name]  # the files may have changed
            if source.is_dir():
                installed(source)
            words = line.split()
            assert words[0] == "fullmarks"
            ended = run(*words[1:])
            assert ended.code == 0, f"{line}\n{ended.err}"

    follow_the_page(tmp_path, do)


@pytest.fixture
def environment(tmp_path_factory) -> dict[str, str]:
    """A new virtual environment that sees the packages of this one, so that only what the page says is installed."""
    import venv

    home = tmp_path_factory.mktemp("environment")
    venv.create(home, with_pip=True)
    site = next(home.glob("lib*/python*/site-packages"))
    seen = [sysconfig.get_paths()["purelib"], str(ROOT / "src")]
    (site / "beside.pth").write_text("".join(f"{path}\n" for path in seen))
    command = home / "bin" / "fullmarks"
    command.write_text(f"#!{home}/bin/python\nfrom fullmarks.cli.main import command\ncommand()\n")
    command.chmod(0o755)
    return {**os.environ, "PATH": f"{home / 'bin'}{os.pathsep}{os.environ['PATH']}", "PYTHONPATH": ""}


@pytest.mark.deep
@pytest.mark.skipif(sys.platform == "win32", reason="the page shows the commands of a Unix shell")
def test_the_page_can_be_followed_in_a_shell(environment, tmp_path):
    follow_the_page(tmp_path, lambda line, folder: ended_well(line, folder, environment))
