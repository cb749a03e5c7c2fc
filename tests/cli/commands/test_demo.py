"""`demo`: the samples, the lines to type for them, and copies to play with."""

from __future__ import annotations

import json
import shlex
import shutil

from fullmarks.protocols import PROTOCOLS
from fullmarks.protocols.sample import HOME, sample_folder, sample_names, shown_unasked


def test_demo_covers_every_protocol_and_its_lines_can_be_typed(run, monkeypatch):
    assert sample_names() == list(PROTOCOLS.built_in)
    shown = run("demo", *sample_names())
    assert shown.code == 0
    assert "68.7500" in shown.out
    typed = [shlex.split(line.strip()[2:]) for line in shown.out.splitlines() if line.strip().startswith("$ ")]
    not_installed = shown.out.count("which is not installed: pip install 'fullmarks[")
    there = [words for words in typed if words[0] != "fullmarks"]
    assert [words[0] for words in there] == ["cd", *([] if shutil.which("fullmarks") else ["export"])]
    monkeypatch.chdir(there[0][1])
    typed = typed[len(there) :]
    assert len(typed) == 2 * (len(sample_names()) - not_installed)
    for words in typed:
        assert words[0] == "fullmarks"
        assert (
            run(*words[1:], "-q" if words[1] == "score" else "-f", *([] if words[1] == "score" else ["json"])).code == 0
        )


def test_demo_copies_its_samples(run, tmp_path):
    ended = run("demo", "--copy", tmp_path / "samples")
    assert ended.code == 0
    assert f"$ cd {tmp_path / 'samples'}\n" in ended.out
    for name in shown_unasked():
        for path in sample_folder(name).iterdir():
            assert (tmp_path / "samples" / name / path.name).read_bytes() == path.read_bytes()


def test_demo_does_not_write_over_what_was_changed(run, tmp_path):
    assert run("demo", "squad2", "--copy", tmp_path).code == 0
    assert run("demo", "squad2", "--copy", tmp_path).code == 0
    changed = tmp_path / "squad2" / "predictions.json"
    changed.write_text("{}")
    ended = run("demo", "squad2", "--copy", tmp_path)
    assert ended.code == 2
    assert "predictions.json: this is not the sample and would be overwritten. Name another folder" in ended.err
    assert changed.read_text() == "{}"


def test_samples_are_named_from_the_folder_that_holds_them(run):
    shown = run("demo", "squad2").out
    assert "$ fullmarks score squad2 squad2/sample/gold.json squad2/sample/predictions.json" in shown


def test_samples_are_valid_gold():
    paths = list(HOME.glob("squad*/sample/gold.json"))
    assert len(paths) == 2
    for path in paths:
        for article in json.loads(path.read_text())["data"]:
            for paragraph in article["paragraphs"]:
                for question in paragraph["qas"]:
                    for answer in question["answers"]:
                        start = answer["answer_start"]
                        assert paragraph["context"][start : start + len(answer["text"])] == answer["text"]
