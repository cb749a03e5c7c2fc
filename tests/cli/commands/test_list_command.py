"""`list`: every protocol and metric with what it offers."""

from __future__ import annotations

import json

import pytest

from fullmarks.metrics import METRICS
from fullmarks.protocols import PROTOCOLS
from tests.cli.run_cli import SQUAD1, SQUAD2, VQA


def test_list_names_everything(run):
    lists = json.loads(run("list", "-f", "json").out)
    assert list(lists["protocols"]) == PROTOCOLS.names()
    assert list(lists["metrics"]) == METRICS.names()
    assert lists["protocols"]["vqa"]["variants"].keys() == {
        "script",
        "leave-one-out",
        "always-normalise",
        "hugging-face",
    }
    assert lists["protocols"]["squad2"]["slices"] == ["has_answer", "title"]
    assert lists["protocols"]["squad2"]["other_columns"] == ["paragraph", "question"]
    assert "fullmarks[webqa,fluency]" in lists["protocols"]["webqa"]["needs_more"]
    assert "fullmarks[ru,vision]" in lists["protocols"]["fusionbrain"]["needs_more"]
    assert lists["metrics"]["token_f1"]["options"]["aggregate"] == "max"
    assert list(json.loads(run("list", "metrics", "-f", "json").out)) == ["metrics"]
    text = run("list", "-f", "text").out
    assert all(name in text for name in (*PROTOCOLS.names(), *METRICS.names()))
    assert "--by, --cluster" not in text
    in_full = " ".join(run("list", "vqa", "-f", "text").out.split())
    assert "--by, --cluster: question_type, answer_type, image_id" in in_full
    assert "pip install ruclip" in " ".join(run("list", "fusionbrain", "-f", "text").out.split())


def test_list_keeps_what_has_all_the_words(run):
    found = json.loads(run("list", "squad", "exact", "-f", "json").out)
    assert {"squad1", "squad2"} <= set(found["protocols"])
    assert "vqa" not in found["protocols"]
    assert list(json.loads(run("list", "protocols", "SQuAD2", "-f", "json").out)) == ["protocols"]
    assert list(json.loads(run("list", "protocols", "SQuAD2", "-f", "json").out)["protocols"]) == ["squad2"]
    text = run("list", "-f", "text").out
    assert text.index("protocols: text") < text.index("protocols: images and text") < text.index("metrics")
    ended = run("list", "nonsense")
    assert ended.code == 2
    assert "no protocol and no metric has 'nonsense'" in ended.err


@pytest.mark.parametrize(("protocol", "files"), [("squad2", SQUAD2), ("squad1", SQUAD1), ("vqa", VQA)])
def test_every_listed_column_can_be_sliced_by(run, protocol, files):
    known = PROTOCOLS.get(protocol)
    for column in (*known.slices, *known.other_columns):
        assert run("score", protocol, *files, "--by", column, "-q").code == 0
