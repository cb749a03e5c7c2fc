"""`fullmarks power`: plans from saved runs, in the official scale, as text, JSON and a picture."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import fullmarks
from tests.cli.run_cli import SQUAD2


@pytest.fixture
def saved(run, tmp_path):
    """Two saved runs of squad2's sample, the second with some predictions made wrong."""
    known = json.loads(Path(SQUAD2[1]).read_text(encoding="utf-8"))
    other = tmp_path / "other.json"
    other.write_text(json.dumps({key: text if at % 3 else "wrong" for at, (key, text) in enumerate(known.items())}))
    paths = [tmp_path / "one.run.json", tmp_path / "two.run.json"]
    for path, predictions in zip(paths, (SQUAD2[1], other), strict=True):
        assert run("score", "squad2", SQUAD2[0], predictions, "-f", "full", "-o", path).code == 0
    return paths


def test_json_is_what_python_gives(run, saved):
    plain = json.loads(run("power", *saved, "--difference", "20", "--score", "f1", "--cluster", "paragraph").out)
    first, second = (fullmarks.load_run(path) for path in saved)
    found = fullmarks.power(first, second, difference=0.2, score="f1", cluster="paragraph")
    assert plain == json.loads(json.dumps(found.to_dict()))
    assert (plain["scale"], plain["difference"], plain["score"]) == (100, 20, "f1")


def test_text_fits_the_terminal(run, saved):
    ended = run("power", saved[0], "--difference", "10", "--simulate", "10", "-f", "text")
    assert (ended.code, ended.err) == (0, "")
    assert all(len(line) <= 80 for line in ended.out.splitlines())
    assert "for 10.00" in ended.out
    assert [line.split()[0] for line in ended.out.splitlines()[2:5]] == ["0.00", "0.50", "0.80"]
    assert "that of the two runs, which differ by -" in run("power", *saved, "-f", "text").out


def test_one_correlation(run, saved):
    plain = json.loads(run("power", saved[0], "--correlation", "0.3").out)
    assert [row["correlation"] for row in plain["plans"]] == [0.3]


@pytest.mark.parametrize(("ending", "beginning"), [("svg", b"<?xml"), ("png", b"\x89PNG")])
def test_the_plot(run, saved, tmp_path, ending, beginning):
    pytest.importorskip("matplotlib")
    path = tmp_path / f"power.{ending}"
    assert run("power", *saved, "--plot", path).code == 0
    first = path.read_bytes()
    assert first.startswith(beginning)
    if ending == "svg":
        assert b"<!-- questions -->" in first
        assert b"<!-- difference -->" in first


def test_what_is_refused(run, saved, tmp_path):
    cases = [
        ((*saved, saved[0]), "from one saved run or from two, found 3"),
        ((saved[0], "--plot", tmp_path / "power.pdf"), "a plot is written as .svg or .png"),
        ((saved[0], "--plot", saved[0]), "which would be overwritten"),
        ((saved[0], "--difference", "200"), "a difference of 200 is the whole scale of squad2, which ends at 100"),
        ((saved[0], "--power", "2"), "power must be between 0 and 1"),
        ((saved[0], saved[0]), "nothing to plan with"),
        ((SQUAD2[1],), "not a saved run"),
        ((), "Missing argument"),
    ]
    for words, said in cases:
        ended = run("power", *words)
        assert ended.code == 2
        assert said in ended.err
