"""`fullmarks new-protocol`, and the page about it followed word by word in a new environment."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import sysconfig
import textwrap
import venv
from pathlib import Path

import pytest

from fullmarks.cli.commands.new_protocol import FILES, write_package
from fullmarks.errors import UsageError

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs" / "adding.md"
BLOCK = re.compile(r"(?:^(?: {4}.*|)\n)*(?:^ {4}.*\n)", re.MULTILINE)
SECONDS = 300


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


def blocks() -> list[str]:
    found = BLOCK.findall(PAGE.read_text(encoding="utf-8"))
    return [textwrap.dedent(block).strip("\n") + "\n" for block in found]


@pytest.fixture(scope="module")
def environment(tmp_path_factory) -> dict[str, str]:
    """A new virtual environment that sees the packages of this one, so that only what the page says is installed."""
    home = tmp_path_factory.mktemp("environment")
    venv.create(home, with_pip=True)
    site = next(home.glob("lib*/python*/site-packages"))
    seen = [sysconfig.get_paths()["purelib"], str(ROOT / "src")]
    (site / "beside.pth").write_text("".join(f"{path}\n" for path in seen))
    command = home / "bin" / "fullmarks"
    command.write_text(f"#!{home}/bin/python\nfrom fullmarks.cli.main import command\ncommand()\n")
    command.chmod(0o755)
    return {**os.environ, "PATH": f"{home / 'bin'}{os.pathsep}{os.environ['PATH']}", "PYTHONPATH": ""}


@pytest.mark.skipif(sys.platform == "win32", reason="the page shows the commands of a Unix shell")
def test_the_page_can_be_followed(environment, tmp_path):
    folder, package = tmp_path, tmp_path / "fullmarks-river-qa"
    source = package / "src" / "fullmarks_river_qa"
    for block in blocks():
        if block.startswith("from __future__"):
            (source / "rules.py").write_text(block)
        elif block.startswith("{"):
            (source / "sample" / "expected.json").write_text(block)
            protocol = (source / "protocol.py").read_text()
            (source / "protocol.py").write_text(protocol[: protocol.index("    def other_rules")])
            test = next(package.glob("tests/*.py"))
            test.write_text(test.read_text().replace('["squad"]', "[]").replace('["exact"] == 0.0', '["exact"] == 1.0'))
        for line in re.findall(r"^\$ (.+)$", block, re.MULTILINE):
            if line.startswith("cd "):
                folder = folder / line[3:]
                continue
            ended = subprocess.run(
                line, shell=True, cwd=folder, env=environment, capture_output=True, timeout=SECONDS, check=False
            )
            if line.startswith("pip ") and b"No matching distribution" in ended.stderr:
                pytest.skip("no package index is reached, and pip wants setuptools from it")
            assert ended.returncode == 0, f"{line}\n{ended.stdout.decode()}\n{ended.stderr.decode()}"
    assert package.joinpath("page.html").stat().st_size > 10_000
    assert json.loads((package / "run.json").read_text())["official"] == {"exact_match": 100.0, "f1": 100.0, "total": 2}
