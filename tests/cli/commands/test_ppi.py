"""`ppi`: text, JSON, warnings beside the result, errors with their place."""

from __future__ import annotations

import json

import pytest


@pytest.fixture
def table(tmp_path):
    path = tmp_path / "answers.csv"
    labelled = "".join(f"{int(at % 3 > 0)},{int(at % 4 > 0)}\n" for at in range(40))
    path.write_text("judge,person\n" + labelled + "1,\n" * 70 + "0,\n" * 30)
    return path


def test_text_and_json_agree(run, table):
    ended = run("ppi", table, "--judge", "judge", "--human", "person", "-f", "text", "--ci", "0.9")
    assert (ended.code, ended.err) == (0, "")
    assert all(len(line) <= 80 or line.startswith(" assumes") for line in ended.out.splitlines())
    plain = json.loads(run("ppi", table, "--judge", "judge", "--human", "person", "--ci", "0.9").out)
    (both,) = [line.split() for line in ended.out.splitlines() if "both together" in line]
    assert [float(number) for number in both[2:5]] == pytest.approx(
        [plain["mean"], plain["low"], plain["high"]], abs=5e-5
    )
    assert (plain["level"], plain["labelled"], plain["judged"]) == (0.9, 40, 100)
    assert "90 % low" in ended.out
    assert "random part of all" in ended.out


def test_warnings_go_to_standard_error(run, tmp_path):
    path = tmp_path / "few.jsonl"
    path.write_text('{"j": 1, "h": 1}\n{"j": 0, "h": 0}\n{"j": true}\n{"j": 0.5}\n')
    ended = run("ppi", path, "--judge", "j", "--human", "h")
    assert ended.code == 0
    assert "warning: only 2 labelled rows" in ended.err
    assert "warning: not all opinions are 0 or 1" in ended.err
    assert len(json.loads(ended.out)["warnings"]) == 3


def test_errors(run, table):
    ended = run("ppi", table, "--judge", "judge", "--human", "nobody")
    assert (ended.code, ended.out) == (2, "")
    assert "no row has a column 'nobody'" in ended.err
    ended = run("ppi", table, "--judge", "person", "--human", "judge")
    assert ended.code == 2
    assert "answers.csv: record 41: 'person' is empty; expected the judge's opinion of every row" in ended.err
    assert run("ppi", table, "--judge", "judge").code == 2
