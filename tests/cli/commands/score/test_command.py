"""`score`: the official result of the samples, by each option and in each format."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest

import fullmarks as library
from fullmarks.protocols import PROTOCOLS
from fullmarks.protocols.protocol import Protocol
from tests.cli.run_cli import PROBABILITIES, QA, SQUAD1, SQUAD2, VQA, fullmarks

# What the samples must give, worked out by hand from the rules of each benchmark.
SQUAD2_RESULT = {
    "exact": 50.0,
    "f1": 68.75,
    "total": 8,
    "HasAns_exact": 40.0,
    "HasAns_f1": 70.0,
    "HasAns_total": 5,
    "NoAns_exact": 66.66666666666667,
    "NoAns_f1": 66.66666666666667,
    "NoAns_total": 3,
}


def test_json_is_the_official_result_keys_order_and_floats(run):
    ended = run("score", "squad2", *SQUAD2)
    assert (ended.code, ended.err) == (0, "")
    assert ended.out == json.dumps(SQUAD2_RESULT, indent=2) + "\n"


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("squad1", *SQUAD1), {"exact_match": 40.0, "f1": 100.0 * (1.0 + 1.0 + 2 / 3) / 5}),
        (
            ("vqa", *VQA),
            {
                "overall": 70.0,
                "perQuestionType": {"is the": 80.0, "how many": 100.0, "what color": 0.0, "what is the": 80.0},
                "perAnswerType": {"yes/no": 80.0, "number": 100.0, "other": 53.33},
            },
        ),
    ],
)
def test_each_sample_gives_its_result(run, words, expected):
    assert json.loads(run("score", *words).out) == expected


def test_qa_result_is_that_of_the_library(run):
    ended = run("score", "qa", *QA)
    assert json.loads(ended.out) == library.score("qa", *QA).official
    assert list(json.loads(ended.out))[:2] == ["ExactMatch", "F1"]


def test_real_predictions(run, real_data):
    folder = real_data / "squad"
    for name in ("bert", "bidaf"):
        ended = run("score", "squad2", folder / "dev-v2.0.json", folder / f"{name}.json", "-f", "json")
        expected = json.loads((folder / f"{name}.expected.json").read_text())
        assert json.loads(ended.out) == expected, name
        assert list(json.loads(ended.out)) == list(expected), name


def test_options_may_stand_before_the_protocol(run):
    first = run("score", "-f", "full", "--by", "title", "squad2", *SQUAD2)
    last = run("score", "squad2", *SQUAD2, "-f", "full", "--by", "title")
    assert first.code == 0
    assert first.out == last.out


def test_official_short_options(run):
    ended = run("score", "squad2", *SQUAD2, "-n", PROBABILITIES, "-t", "0.5")
    result = json.loads(ended.out)
    assert result["NoAns_exact"] == 100.0  # 'yellow' has 0.55: above the threshold it counts as no answer
    assert result["best_exact_thresh"] == 0.02


def test_precision_recall(run):
    ended = run("score", "squad2", *SQUAD2, "-n", PROBABILITIES, "--precision-recall")
    assert list(json.loads(ended.out))[-3:] == ["pr_exact_ap", "pr_f1_ap", "pr_oracle_ap"]
    without = run("score", "squad2", *SQUAD2, "--precision-recall")
    assert without.code == 2
    assert "--na-prob-file" in without.err


def test_full_has_signature_counts_audit_and_slices(run):
    ended = run("score", "squad2", *SQUAD2, "-f", "full", "--by", "title")
    document = json.loads(ended.out)
    assert document["official"] == SQUAD2_RESULT
    assert document["signature"].startswith("squad2|")
    assert document["n"] == 8
    assert document["audit"]["scored"] == 8
    assert document["slices"]["title"]["Honey_bee"]["n"] == 4


def test_several_columns_by_repetition_or_comma(run):
    repeated = run("score", "vqa", *VQA, "-f", "csv", "--by", "question_type", "--by", "answer_type")
    joined = run("score", "vqa", *VQA, "-f", "csv", "--by", "question_type, answer_type")
    assert repeated.out == joined.out
    rows = list(csv.DictReader(io.StringIO(repeated.out)))
    assert {row["column"] for row in rows} == {"", "question_type", "answer_type"}
    assert {"column": "answer_type", "value": "number", "score": "accuracy", "result": "100.0"} in rows


def test_markdown(run):
    ended = run("score", "squad2", *SQUAD2, "-f", "markdown", "--by", "has_answer")
    assert "| f1 | 68.7500 |" in ended.out
    assert "| True | 40.0000 | 70.0000 | 5 |" in ended.out
    assert "- note: empty predictions" in ended.out


def test_text(run):
    ended = run("score", "vqa", *VQA, "-f", "text", "--by", "answer_type")
    assert "overall  70.0000" in ended.out
    assert "perQuestionType" in ended.out
    assert "\x1b" not in ended.out
    assert all(len(line) <= 80 for line in ended.out.splitlines())


@pytest.mark.parametrize("kind", ["text", "markdown", "csv"])
def test_out_file_holds_what_would_have_been_shown(run, tmp_path, kind):
    path = tmp_path / "result"
    words = ("score", "squad2", *SQUAD2, "-f", kind)
    shown = run(*words).out
    ended = run(*words, "-o", path)
    assert (ended.code, ended.out) == (0, "")
    assert path.read_text() == shown
    assert [entry.name for entry in tmp_path.iterdir()] == ["result"]


# What evaluate-v2.0.py writes (json.dump without indent) and prints (indent=2), and evaluate-v1.1.py prints (one line).
@pytest.mark.parametrize(
    ("key", "words"),
    [
        ("plain", ()),
        ("thresholded_0.5", ("-n", "{folder}/na_prob.json", "-t", "0.5")),
        ("with_pr", ("-n", "{folder}/na_prob.json", "--precision-recall", "-v")),
    ],
)
def test_the_file_of_squad2_is_the_scripts_byte_by_byte(run, golden_files, tmp_path, key, words):
    folder = golden_files / "squad2"
    expected = json.loads((folder / "expected.json").read_text())[key]
    given = ("score", "squad2", folder / "gold.json", folder / "predictions.json")
    given += tuple(word.format(folder=folder) for word in words)
    path = tmp_path / "eval.json"
    assert run(*given, "--out-file", path).code == 0
    assert path.read_bytes() == json.dumps(expected).encode()
    assert run(*given).out == json.dumps(expected, indent=2) + "\n"


@pytest.mark.parametrize("words", [(), ("-f", "json"), ("--format=json",)], ids=["piped", "direct", "the long way"])
def test_the_output_of_squad1_is_the_scripts_byte_by_byte(run, golden_files, words):
    folder = golden_files / "squad1"
    expected = json.loads((folder / "expected.json").read_text())["missing_counts_zero"]
    assert run("score", "squad1", folder / "gold.json", folder / "predictions.json", *words).out == (
        json.dumps(expected) + "\n"
    )


@pytest.mark.parametrize("flag", ["-v", "--verbose"])
def test_the_scripts_verbose_is_taken_and_changes_nothing(run, flag):
    assert run("score", "squad2", *SQUAD2, flag) == run("score", "squad2", *SQUAD2)
    assert run("score", "squad1", *SQUAD1, flag).code == 2


def test_out_file_is_left_alone_after_an_error(run, tmp_path):
    path = tmp_path / "result.json"
    path.write_text("before")
    ended = run("score", "squad2", SQUAD2[0], SQUAD1[1], "-o", path)
    assert ended.code == 2
    assert path.read_text() == "before"


def test_unknown_predictions_are_warned_about_unless_quiet(run, tmp_path):
    path = tmp_path / "more.json"
    path.write_text(json.dumps({**json.loads(Path(SQUAD2[1]).read_text()), "x-1": "a", "x-2": "b"}))
    ended = run("score", "squad2", SQUAD2[0], path)
    assert ended.err.startswith("fullmarks: warning: predictions for unknown questions")
    assert "x-1" in ended.err
    assert ended.err.count("\n") == 1
    assert json.loads(ended.out) == SQUAD2_RESULT
    quiet = run("score", "squad2", SQUAD2[0], path, "--quiet")
    assert (quiet.err, quiet.out) == ("", ended.out)
    strict = run("score", "squad2", SQUAD2[0], path, "--strict")
    assert (strict.code, strict.out) == (2, "")
    assert "x-1" in strict.err


def test_missing_predictions(run, tmp_path):
    path = tmp_path / "fewer.json"
    path.write_text(json.dumps({"light-1": "Ada Brandt", "light-2": "1934"}))
    refused = run("score", "squad2", SQUAD2[0], path)
    assert refused.code == 2
    assert "questions without a prediction: 6" in refused.err
    assert "--on-missing zero" in refused.err
    zero = json.loads(run("score", "squad2", SQUAD2[0], path, "--on-missing", "zero", "-q").out)
    skip = json.loads(run("score", "squad2", SQUAD2[0], path, "--on-missing", "skip", "-q").out)
    assert (zero["exact"], zero["total"]) == (25.0, 8)
    assert (skip["exact"], skip["total"]) == (100.0, 2)


def test_limit_columns_variant_duplicates(run, tmp_path):
    table = tmp_path / "table.csv"
    table.write_text("key,said,golds\n1,a cat,cat\n1,dog,dog\n2,x,y\n")
    words = ("score", "qa", table, "--columns", "id=key,prediction=said,references=golds")
    assert run(*words).code == 2
    first = json.loads(run(*words, "--on-duplicate", "first", "-q").out)
    assert first["ExactMatch"] == 0.5
    limited = json.loads(run(*words, "--on-duplicate", "first", "-q", "--limit", "1").out)
    assert limited["ExactMatch"] == 1.0
    always = json.loads(run("score", "vqa", *VQA, "--variant", "always-normalise").out)
    assert always["perQuestionType"]["what color"] == 100.0
    assert json.loads(run("score", "vqa", *VQA, "--precision", "0").out)["perAnswerType"]["other"] == 53.0
    mean = json.loads(run("score", "qa", *QA, "--aggregate", "mean").out)
    assert mean["F1"] < json.loads(run("score", "qa", *QA).out)["F1"]


def test_one_table_on_standard_input():
    ended = fullmarks("score", "qa", "-", stdin=Path(QA[0]).read_bytes())
    assert json.loads(ended.stdout) == library.score("qa", *QA).official


def test_other_formats_on_standard_input(run):
    ended = run("score", "qa", "-", stdin=b"id,prediction,references\n1,a,a\n")
    assert ended.code == 2
    assert "Standard input takes JSON or JSON lines; save another format as a file" in ended.err


def test_gold_as_json_lines_on_standard_input(run, tmp_path):
    rows = [{"id": "q1", "references": ["x"]}, {"id": "q2", "references": ["y"]}]
    (tmp_path / "answers.json").write_text('{"q1": "x", "q2": "z"}')
    lines = "\n".join(map(json.dumps, rows)).encode()
    ended = run("score", "squad1", "-", tmp_path / "answers.json", stdin=lines)
    assert (ended.code, json.loads(ended.out)["exact_match"]) == (0, 50.0)


def test_standard_input_only_once(run):
    ended = run("score", "squad2", "-", "-")
    assert ended.code == 2
    assert "only one of gold and predictions" in ended.err


def test_plots(run, tmp_path):
    pytest.importorskip("matplotlib", reason="needs the extra 'plots'")
    folder = tmp_path / "images"
    ended = run("score", "squad2", *SQUAD2, "-n", PROBABILITIES, "-p", folder)
    assert ended.code == 0
    assert "pr_oracle_ap" in json.loads(ended.out)
    names = {"pr_exact.png", "pr_f1.png", "pr_oracle.png", "na_prob_hist_hasAns.png", "na_prob_hist_noAns.png"}
    assert {path.name for path in folder.iterdir()} == names
    assert all(path.read_bytes().startswith(b"\x89PNG") for path in folder.iterdir())
    without = run("score", "squad2", *SQUAD2, "-p", folder)
    assert (without.code, without.out) == (2, "")
    assert "--na-prob-file" in without.err


def test_plots_are_offered_only_where_there_are_curves(run):
    assert "--out-image-dir" in run("score", "squad2", "--help").out
    assert "--out-image-dir" not in run("score", "vqa", "--help").out
    for name in PROTOCOLS.names():
        protocol = PROTOCOLS.get(name)
        assert protocol.has_curves == (protocol.curves is not Protocol.curves)
