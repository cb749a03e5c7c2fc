from __future__ import annotations

import json
import os
import re
import shlex
import shutil
import subprocess
from pathlib import Path

import pytest

from fullmarks.cli.command_group import commands
from fullmarks.cli.command_table import ENTRIES, OPTIONS
from fullmarks.metrics import METRICS
from fullmarks.protocols import PROTOCOLS
from fullmarks.protocols.sample import HOME, sample_folder, sample_names, shown_unasked
from fullmarks.version import __version__
from tests.cli.run_cli import PROBABILITIES, QA, SQUAD1, SQUAD2, VQA, fullmarks


def test_version_and_overview(run):
    assert run("--version").out == f"fullmarks {__version__}\n"
    overview = run("--help")
    assert overview.code == 0
    assert all(name in overview.out for name in ENTRIES)
    assert "Exit codes: 0" in overview.out
    assert run().out == overview.out == run("-h").out


@pytest.mark.parametrize("columns", [20, 60, 80, 200])
def test_the_overview_is_the_same_by_both_ways(run, monkeypatch, columns):
    monkeypatch.setenv("COLUMNS", str(columns))
    direct = run("--help").out
    assert run("--help", "--help").out == direct
    longest = max(map(len, direct.splitlines()))
    assert longest <= max(50, min(columns - 2, 98))
    assert all(entry.summary in " ".join(direct.split()) for entry in ENTRIES.values())


def test_the_overview_lists_the_options_there_are():
    context = commands.make_context("fullmarks", [], resilient_parsing=True)
    assert [", ".join(option.opts) for option in commands.get_params(context)] == list(OPTIONS)


@pytest.mark.parametrize("name", ENTRIES)
def test_the_overview_tells_what_the_command_says_of_itself(name):
    command = commands.get_command(None, name)
    assert command.name == name
    assert (command.short_help or command.help) == ENTRIES[name].summary


@pytest.mark.parametrize("name", ["score", "validate", "explain"])
def test_help_lists_the_protocols(run, name):
    ended = run(name, "--help")
    assert ended.code == 0
    assert all(f"  {protocol} " in ended.out for protocol in PROTOCOLS.names())


@pytest.mark.parametrize("name", ["score", "validate", "explain", "compare", "crosscheck"])
def test_help_says_where_the_options_are(run, name):
    told = run(name, "--help").out
    assert f"For all options: fullmarks {name} PROTOCOL --help\n" in told
    assert ("For saved runs: fullmarks compare RUN.json --help\n" in told) == (name == "compare")
    assert ("one table with all" in " ".join(run(name, "squad2", "--help").out.split())) == (name != "compare")
    assert "one table" not in run(name, "fusionbrain", "--help").out


@pytest.mark.parametrize(
    "words",
    [
        ("doctor",),
        ("list",),
        ("validate", "squad2", *SQUAD2),
        ("explain", "squad2", *SQUAD2, "--id", "bee-1"),
    ],
    ids=lambda words: words[0],
)
def test_what_is_there_to_be_read_stays_text_in_a_pipe(run, words):
    assert run(*words).out == run(*words, "-f", "text").out
    assert json.loads(run(*words, "-f", "json").out)


@pytest.mark.parametrize(
    "words", [("score", "squad2", *SQUAD2), ("crosscheck", "squad2", *SQUAD2)], ids=lambda words: words[0]
)
def test_numbers_are_json_in_a_pipe(run, words):
    assert run(*words).out == run(*words, "-f", "json").out


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


def test_explain(run):
    words = ("explain", "squad2", *SQUAD2, "--id", "bee-1", "-n", PROBABILITIES)
    document = json.loads(run(*words, "-f", "json").out)
    assert document["scores"] == {"exact": 0.0, "f1": 0.75}
    assert document["normalised"] == "fifty to one hundred"
    assert document["references"][1]["reference"] == "fifty and one hundred"
    text = run(*words, "-f", "text").out
    assert re.search(r"best reference +fifty and one hundred", text)
    assert "0.1 (threshold 1.0" in text


def test_explain_shows_every_annotator_and_number_ids(run):
    text = run("explain", "vqa", *VQA, "--id", "20", "-f", "text").out
    assert text.count("dog") >= 7
    assert "terrier" in text


def test_explain_of_an_unknown_id(run):
    ended = run("explain", "squad2", *SQUAD2, "--id", "nobody")
    assert (ended.code, ended.out) == (2, "")
    assert "nobody" in ended.err


def test_explain_shows_markup_and_control_characters_as_they_are(run, tmp_path):
    table = tmp_path / "odd.jsonl"
    record = {"id": "[red]x[/red]", "prediction": "[bold]a[/bold] \x1b[31m\n", "references": ["[link=x]a[/link]"]}
    table.write_text(json.dumps(record))
    text = run("explain", "qa", table, "--id", record["id"], "-f", "text").out
    assert "id [red]x[/red]" in text
    assert "[bold]a[/bold] \\x1b[31m\\n" in text
    assert "\x1b" not in text


def test_list_names_everything(run):
    lists = json.loads(run("list", "-f", "json").out)
    assert list(lists["protocols"]) == PROTOCOLS.names()
    assert list(lists["metrics"]) == METRICS.names()
    assert lists["protocols"]["vqa"]["variants"].keys() == {"script", "leave-one-out", "always-normalise"}
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


PLUGIN = """
from array import array
from dataclasses import dataclass
from typing import ClassVar
from fullmarks import Metric, Protocol
from fullmarks.metrics.answers import TokenF1
from fullmarks.protocols.protocol import option
from fullmarks.protocols.squad1.protocol import Squad1

@dataclass(frozen=True)
class Mine(TokenF1):
    name: ClassVar[str] = "mine_f1"
    summary: ClassVar[str] = "a metric from elsewhere"

@dataclass(frozen=True, kw_only=True)
class Other(Squad1):
    name: ClassVar[str] = "other_squad"
    title: ClassVar[str] = "A protocol from elsewhere"
    bonus: int = option(0, "Points for nothing.", flags=("--bonus", "-b"), kind=int)

    def official(self, tally, audit):
        return {"bonus": self.bonus, **super().official(tally, audit)}

class Bare(Metric):
    columns = ("nothing",)
    def rows(self, examples):
        return array("d", [0.0] * len(examples))

class BareProtocol(Protocol):
    pass
"""


@pytest.fixture
def elsewhere(tmp_path):
    """A folder that holds an installed package with a metric, a protocol and one that cannot be loaded."""
    (tmp_path / "elsewhere.py").write_text(PLUGIN)
    described = tmp_path / "elsewhere-1.0.dist-info"
    described.mkdir()
    (described / "METADATA").write_text("Metadata-Version: 2.1\nName: elsewhere\nVersion: 1.0\n")
    (described / "entry_points.txt").write_text(
        "[fullmarks.metrics]\nmine_f1 = elsewhere:Mine\nbroken = nowhere_at_all:Nothing\nbare = elsewhere:Bare\n"
        "[fullmarks.protocols]\nother_squad = elsewhere:Other\nbare = elsewhere:BareProtocol\n"
    )
    return {"PYTHONPATH": os.pathsep.join([str(tmp_path), os.environ.get("PYTHONPATH", "")])}


def test_protocols_and_metrics_of_other_packages(elsewhere):
    lists = json.loads(fullmarks("list", "-f", "json", variables=elsewhere).stdout)
    assert lists["protocols"]["other_squad"]["title"] == "A protocol from elsewhere"
    assert lists["metrics"]["mine_f1"]["summary"] == "a metric from elsewhere"
    assert "nowhere_at_all" in lists["metrics"]["broken"]["problem"]
    assert b"Points for nothing." in fullmarks("score", "other_squad", "--help", variables=elsewhere).stdout
    assert "lacks name, summary" in lists["metrics"]["bare"]["problem"]
    assert "lacks name, title, gold_format" in lists["protocols"]["bare"]["problem"]
    text = fullmarks("list", "-f", "text", variables=elsewhere).stdout
    assert b"token_f1" in text
    assert b"lacks name, summary" in text
    overview = fullmarks("score", "--help", variables=elsewhere)
    assert overview.returncode == 0
    assert b"A protocol from elsewhere" in overview.stdout
    assert b"cannot be used; for the reason: fullmarks list protocols" in overview.stdout
    ended = fullmarks("score", "other_squad", *SQUAD1, "-b", "7", variables=elsewhere)
    assert json.loads(ended.stdout)["bonus"] == 7


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


def test_doctor_names_the_kernel_in_use():
    asked = {"FULLMARKS_KERNEL": "python"}
    ended = fullmarks("doctor", "-f", "json", variables=asked)
    assert json.loads(ended.stdout)["kernel"] == "python"
    text = fullmarks("doctor", "-f", "text", variables=asked).stdout
    assert b"python (asked for by FULLMARKS_KERNEL)" in text
    assert b"not built" not in text


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


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_script(run, shell):
    ended = run("completion", shell)
    assert ended.code == 0
    assert "_FULLMARKS_COMPLETE" in ended.out
    if shutil.which(shell):
        assert subprocess.run([shell, "-n"], input=ended.out.encode(), check=False).returncode == 0


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("fullmarks sc", ["plain,score"]),
        ("fullmarks score squ", ["plain,squad1", "plain,squad2"]),
        ("fullmarks score squad2 --na", ["plain,--na-prob-file", "plain,--na-prob-thresh"]),
        ("fullmarks score squad2 --on-missing ", ["plain,error", "plain,zero", "plain,skip"]),
        ("fullmarks score nonsense --on", []),
        ("fullmarks score fusionbrain --lexicon wor", ["file,wor"]),
        ("fullmarks compare squ", ["plain,squad1", "plain,squad2"]),
        ("fullmarks compare bert.run", ["file,bert.run"]),
    ],
)
def test_completion(typed, expected):
    variables = {
        "_FULLMARKS_COMPLETE": "bash_complete",
        "COMP_WORDS": typed,
        "COMP_CWORD": str(len(typed.split(" ")) - 1),
    }
    ended = fullmarks(variables=variables)
    assert ended.stderr == b""
    assert ended.stdout.decode().split() == expected


def test_samples_are_valid_gold(run):
    for path in HOME.glob("squad*/sample/gold.json"):
        for article in json.loads(Path(path).read_text())["data"]:
            for paragraph in article["paragraphs"]:
                for question in paragraph["qas"]:
                    for answer in question["answers"]:
                        start = answer["answer_start"]
                        assert paragraph["context"][start : start + len(answer["text"])] == answer["text"]
    assert QA[0].endswith(".jsonl")
