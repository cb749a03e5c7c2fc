"""`doctor`: versions, kernel and extras, and where fullmarks came from by what installers write down."""

from __future__ import annotations

import json
from importlib.metadata import PackageNotFoundError
from pathlib import Path
from typing import Any

import pytest

from fullmarks.cli.commands import doctor
from fullmarks.cli.main import main
from fullmarks.version import __version__
from tests.cli.run_cli import fullmarks


class Installed:
    """A distribution of which only the record of its origin is asked for."""

    def __init__(self, record: dict[str, Any] | None) -> None:
        self.record = record

    def read_text(self, name: str) -> str | None:
        assert name == "direct_url.json"
        return None if self.record is None else json.dumps(self.record)


@pytest.mark.parametrize(
    ("record", "told"),
    [
        (None, "a package index"),
        ({"url": "file:///home/me/full%20marks", "dir_info": {}}, "the checkout /home/me/full marks"),
        (
            {"url": "file:///home/me/fullmarks", "dir_info": {"editable": True}},
            "the checkout /home/me/fullmarks (editable)",
        ),
        ({"url": "file:///tmp/fullmarks-1.1.0.whl", "archive_info": {}}, "/tmp/fullmarks-1.1.0.whl"),
        (
            {"url": "https://example.org/f.git", "vcs_info": {"vcs": "git", "commit_id": "abc"}},
            "https://example.org/f.git",
        ),
    ],
)
def test_origin(record: dict[str, Any] | None, told: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "distribution", lambda name: Installed(record))
    assert doctor.installed_from() == told


def test_a_folder_that_was_never_installed_says_how(monkeypatch: pytest.MonkeyPatch) -> None:
    def none_such(name: str) -> None:
        raise PackageNotFoundError(name)

    monkeypatch.setattr(doctor, "distribution", none_such)
    line = doctor.installed_from().split(": ", 1)[1]
    assert line.startswith("pip install --editable ")
    assert (Path(line.rsplit(" ", 1)[1]) / "src").parts == Path(doctor.__file__).resolve().parents[3].parts


@pytest.mark.parametrize(("record", "shown"), [(None, False), ({"url": "file:///here", "dir_info": {}}, True)])
def test_the_line_for_a_checkout_stands_where_it_helps(
    record: dict[str, Any] | None, shown: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(doctor, "distribution", lambda name: Installed(record))
    assert main(["doctor", "-f", "text"]) == 0
    assert ("pip install 'PATH[parquet]'" in capsys.readouterr().out) == shown


def test_doctor(run):
    found = json.loads(run("doctor", "-f", "json").out)
    assert found["fullmarks"] == __version__
    assert found["kernel"] in ("c", "python")
    assert found["packages"]["click"]
    assert {"dev", "docs"}.isdisjoint(found["extras"])
    assert found["installed_from"]
    for name, extra in found["extras"].items():
        assert extra["present"] == all(extra["packages"].values())
        assert extra["install"] == (None if extra["present"] else f"pip install 'fullmarks[{name}]'")
    text = run("doctor", "-f", "text").out
    assert all(name in text for name in found["extras"])


def test_doctor_names_the_kernel_in_use(run, monkeypatch):
    variables = {"FULLMARKS_KERNEL": "python"}
    text = fullmarks("doctor", "-f", "text", variables=variables).stdout
    assert b"python (asked for by FULLMARKS_KERNEL)" in text
    assert b"not built" not in text
    monkeypatch.setattr("fullmarks.text.kernel.IMPLEMENTATION", "python")
    assert json.loads(run("doctor", "-f", "json").out)["kernel"] == "python"
    assert "not built" in run("doctor", "-f", "text").out
