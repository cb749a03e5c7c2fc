"""`validate`: what it finds, and whether files can be scored."""

from __future__ import annotations

import json

from tests.cli.run_cli import SQUAD1, SQUAD2


def test_validate_says_that_files_can_be_scored(run):
    ended = run("validate", "squad2", *SQUAD2, "-f", "json")
    assert ended.code == 0
    document = json.loads(ended.out)
    assert (document["can_be_scored"], document["problem"]) == (True, None)
    assert (document["gold"], document["predictions"], document["scored"]) == (8, 8, 8)
    text = run("validate", "squad2", *SQUAD2, "-f", "text")
    assert text.code == 0
    assert text.out.endswith(" can be scored\n")


def test_validate_finds_missing_and_unknown(run):
    ended = run("validate", "squad2", SQUAD2[0], SQUAD1[1], "-f", "json")
    assert (ended.code, ended.err) == (2, "")
    document = json.loads(ended.out)
    assert document["can_be_scored"] is False
    missing = next(found for found in document["findings"] if found["kind"] == "questions without a prediction")
    assert (missing["level"], missing["count"], len(missing["first_ids"])) == ("error", 8, 5)
    assert (missing["code"], missing["advice"][:9]) == ("missing-predictions", "Add them,")
    text = run("validate", "squad2", SQUAD2[0], SQUAD1[1], "-f", "text")
    assert " error: questions without a prediction" in text.out
    assert "cannot be scored" in text.out


def test_validate_shows_unreadable_input_the_same_way(run, tmp_path):
    broken = tmp_path / "broken.json"
    broken.write_text('{"light-1": "Ada')
    for kind in ("json", "text"):
        ended = run("validate", "squad2", SQUAD2[0], broken, "-f", kind)
        assert (ended.code, ended.err) == (2, "")
        assert "broken.json" in ended.out
    assert json.loads(run("validate", "squad2", SQUAD2[0], broken, "-f", "json").out)["can_be_scored"] is False


def test_validate_with_nothing_left(run, tmp_path):
    none = tmp_path / "none.json"
    none.write_text("{}")
    words = ("squad2", SQUAD2[0], none, "--on-missing", "skip")
    assert run("validate", *words).code == 2
    assert run("score", *words).code == 2
