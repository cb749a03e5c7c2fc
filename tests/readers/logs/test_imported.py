"""Files that the real tools wrote give the answers, right answers and columns that stand in them."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import fullmarks
from fullmarks.cli.main import main
from fullmarks.errors import FullmarksError, InputError, MismatchError, UsageError
from fullmarks.readers.logs.findings import CHOSEN
from fullmarks.readers.predictions import FAILED

HERE = Path(__file__).parent
ONE, MANY, CHOICE = (next((HERE / "lm_eval").glob(f"samples_tiny_{name}_*")) for name in ("one", "many", "choice"))
LMMS = next((HERE / "lmms_eval").iterdir())

REFERENCES = {
    MANY: {"q1": ["the Danube", "Danube"], "q2": ["4", "four"], "q3": ["lol"]},
    CHOICE: {0: ["Danube"], 1: ["Zurich"], 2: ["tin"]},
    LMMS: {0: ["the Danube", "Danube"], 1: ["4", "four"], 2: ["lol"]},
    HERE / "inspect/success.eval": {"q1": ["the Danube", "Danube"], "q2": ["four"], "q3": ["mercury"]},
    HERE / "inspect/success.json": {"q1": ["the Danube", "Danube"], "q2": ["four"], "q3": ["mercury"]},
    HERE / "inspect/choice.eval": {"c1": ["A"], "c2": ["B"]},
    HERE / "lighteval/details_tiny.parquet": {"0": ["the Danube", "Danube"], "1": ["4", "four"], "2": ["lol"]},
    HERE / "lighteval/details_tiny_choice.parquet": {"0": ["Danube"], "1": ["Zurich"], "2": ["tin"]},
    HERE / "helm/tiny/display_predictions.json": {
        "id0": ["the Danube", "Danube"],
        "id1": ["four"],
        "id2": ["mercury"],
    },
    HERE / "helm/tiny/scenario_state.json": {"id0": ["the Danube", "Danube"], "id1": ["four"], "id2": ["mercury"]},
    HERE / "helm/tiny_choices/display_predictions.json": {"id0": ["Danube"], "id1": ["Zurich"]},
    HERE / "helm/tiny_choices/scenario_state.json": {"id0": ["Danube"], "id1": ["Zurich"]},
    HERE / "vlmevalkit/model_TINY.xlsx": {"1": ["B"], "2": ["C"]},
    HERE / "vlmevalkit/model_TINY.tsv": {"1": ["B"], "2": ["C"]},
}
TEXTS = {
    MANY: ["lol", "lol", "lol"],
    LMMS: ["A", "A", "A"],
    HERE / "inspect/success.eval": ["The Danube.", "It has four strings.", "mercury"],
    HERE / "inspect/success.json": ["The Danube.", "It has four strings.", "mercury"],
    HERE / "inspect/choice.eval": ["ANSWER: A", "ANSWER: A"],
    HERE / "lighteval/details_tiny.parquet": ["random baseline"] * 3,
    HERE / "helm/tiny/display_predictions.json": ["Answer:"] * 3,
    HERE / "helm/tiny_choices/display_predictions.json": ["Danube", "Rhine"],
    HERE / "helm/tiny_choices/scenario_state.json": ["Danube", "Rhine"],
    HERE / "vlmevalkit/model_TINY.xlsx": ["B. dog", "A"],
    HERE / "vlmevalkit/model_TINY.tsv": ["B. dog", "A"],
}


def name_of(path: object) -> str:
    if not isinstance(path, Path):
        return ""
    return f"{path.parent.name}/{path.name.partition('_2026')[0]}"


def needs(path: Path) -> None:
    if path.suffix == ".xlsx":
        pytest.importorskip("openpyxl", reason="workbooks are read by openpyxl")
    if path.suffix == ".parquet":
        pytest.importorskip("pyarrow", reason="Parquet is read by pyarrow")


@pytest.mark.parametrize("path", REFERENCES, ids=name_of)
def test_right_answers(path):
    needs(path)
    assert {record["id"]: record["references"] for record in fullmarks.import_logs(path)} == REFERENCES[path]


@pytest.mark.parametrize("path", TEXTS, ids=name_of)
def test_answers(path):
    needs(path)
    assert [record["prediction"] for record in fullmarks.import_logs(path)] == TEXTS[path]


@pytest.mark.parametrize("path", REFERENCES, ids=name_of)
def test_scoring_a_log_is_scoring_its_table(path, tmp_path, capsys):
    """Alone, as gold and predictions, and as the table that it is imported as: the same numbers."""
    needs(path)
    table = tmp_path / "table.jsonl"
    assert main(["import", str(path), "-o", str(table), "-q"]) == 0
    wanted = fullmarks.score("qa", table).official
    on_missing = "skip"  # one sample of VLMEvalKit failed
    assert fullmarks.score("qa", path, on_missing=on_missing).official == wanted
    assert fullmarks.score("qa", path, path, on_missing=on_missing).official == wanted
    assert fullmarks.score("qa", table, path).official == wanted
    assert fullmarks.score("qa", fullmarks.import_logs(path)).official == wanted
    assert capsys.readouterr().out == ""


def test_the_tool_and_we_agree_on_exact_matches():
    """The dummy model says "lol": its tool found one of three right, and so does the score of the log alone."""
    records = list(fullmarks.import_logs(MANY))
    assert [record["score_exact_match"] for record in records] == [0.0, 0.0, 1.0]
    each = fullmarks.score("qa", MANY).per_example
    assert [record["exact_match"] for record in each] == [0.0, 0.0, 1.0]


@pytest.mark.parametrize("path", [CHOICE, HERE / "lighteval/details_tiny_choice.parquet"], ids=name_of)
def test_the_likeliest_choice_is_right_where_the_tool_says_so(path):
    needs(path)
    found = fullmarks.import_logs(path)
    for record in found:
        assert (record["prediction"] in record["references"]) == (record["score_acc"] == 1.0)
        assert record["prediction"] in record["choices"]
    assert found.audit.findings[CHOSEN.code].count == 3


RIVER = ["the Danube", "Danube"]
SAME_TEXTS = {
    "lm_eval/samples_tiny_many_2026-11-17T07-34-57.157278.jsonl": [
        ("q1", "lol", RIVER), ("q2", "lol", ["4", "four"]), ("q3", "lol", ["lol"])
    ],
    "lmms_eval/20261117_155743_samples_tiny_lmms.jsonl": [
        (0, "A", RIVER), (1, "A", ["4", "four"]), (2, "A", ["lol"])
    ],
    "inspect/success.eval": [
        ("q1", "The Danube.", RIVER), ("q2", "It has four strings.", ["four"]), ("q3", "mercury", ["mercury"])
    ],
    "lighteval/details_tiny.parquet": [
        ("0", "random baseline", RIVER), ("1", "random baseline", ["4", "four"]), ("2", "random baseline", ["lol"])
    ],
    "helm/tiny_choices/display_predictions.json": [
        ("id0", "Danube", ["Danube"]), ("id1", "Rhine", ["Zurich"])
    ],
    "vlmevalkit/model_TINY.tsv": [(1, "B. dog", ["B"]), (2, "A", ["C"])],
}  # fmt: skip
"""Of every tool a log, with what a person reads in it."""


@pytest.mark.parametrize("name", SAME_TEXTS)
def test_a_log_scores_as_a_table_of_its_texts(name, capsys):
    needs(HERE / name)
    table = [{"id": each, "prediction": text, "references": references} for each, text, references in SAME_TEXTS[name]]
    for benchmark in ("qa", "squad1", "docvqa"):
        assert main(["score", benchmark, str(HERE / name), "-f", "json", "--on-missing", "skip"]) == 0
        assert json.loads(capsys.readouterr().out) == fullmarks.score(benchmark, table).official


def test_only_is_for_logs():
    table = [{"id": 1, "prediction": "a", "references": ["a"]}]
    with pytest.raises(UsageError, match=r"only picks samples of another tool's log, and .* is none"):
        fullmarks.score("qa", table, only={"filter": "none"})


def test_every_filter_has_its_own_answers():
    raw = list(fullmarks.import_logs(ONE))
    assert [(record["id"], record["prediction"]) for record in raw] == [("q1", "lol"), ("q2", "lol"), ("q3", "lol")]
    strict = list(fullmarks.import_logs(ONE, only={"filter": "strict-match"}))
    flexible = list(fullmarks.import_logs(ONE, only={"filter": "flexible-extract"}))
    assert [record["prediction"] for record in strict] == ["l"] * 3
    assert [record["prediction"] for record in flexible] == ["lol"] * 3
    assert [record["score_exact_match"] for record in flexible] == [0.0, 0.0, 1.0]
    assert fullmarks.score("qa", ONE).official == fullmarks.score("qa", flexible).official
    filtered = fullmarks.score("qa", ONE, only={"filter": "strict-match"})
    assert filtered.official == fullmarks.score("qa", strict).official != fullmarks.score("qa", ONE).official
    assert "|only:filter=strict-match|" in filtered.signature
    with pytest.raises(InputError, match=r"none of the 6 samples has filter=x\. .* is strict-match, flexible-extract"):
        fullmarks.score("qa", ONE, only={"filter": "x"})


@pytest.mark.parametrize(
    ("path", "task", "model"),
    [
        (MANY, "tiny_many", None),
        (LMMS, "tiny_lmms", None),
        (HERE / "inspect/success.eval", "tiny", "mockllm/model"),
        (HERE / "lighteval/details_tiny.parquet", "tiny|0", None),
        (HERE / "helm/tiny/scenario_state.json", "tiny:model=simple_model1", "simple/model1"),
    ],
    ids=name_of,
)
def test_task_and_model_are_columns(path, task, model):
    needs(path)
    first = next(iter(fullmarks.import_logs(path)))
    assert (first["task"], first.get("model")) == (task, model)
    assert "Vienna" in first["question"] or "cello" in first["question"]


def test_slices_by_a_column_of_the_log():
    result = fullmarks.score("qa", HERE / "inspect/success.eval", by="topic")
    assert set(result.by("topic")) == {"rivers", "music", "chemistry"}


def test_a_failed_run_is_refused_unless_asked_for():
    path = HERE / "inspect/failed.eval"
    with pytest.raises(InputError, match=r"its status is 'error'.*--allow-failed"):
        list(fullmarks.import_logs(path))
    found = fullmarks.import_logs(path, allow_failed=True)
    assert [record["id"] for record in found] == ["q1", "q2"]
    assert found.audit.findings[FAILED.code].first_ids == ["q3"]


def test_failed_samples_of_a_log_alone_are_questions_without_a_prediction():
    path = HERE / "inspect/errors.eval"
    with pytest.raises(MismatchError, match=r"without a prediction: 1 \(first ids: 'q3'\).*the third question fails"):
        fullmarks.score("qa", path)
    counted = fullmarks.score("qa", path, on_missing="zero")
    assert (counted.audit.gold, counted.audit.predictions, counted.tally.n) == (3, 2, 3)
    assert fullmarks.score("qa", path, on_missing="skip").tally.n == 2
    gold = fullmarks.score("qa", HERE / "inspect/success.eval", path, on_missing="zero")
    assert counted.official == gold.official


@pytest.mark.parametrize(
    ("path", "runs"),
    [(HERE / "inspect/epochs.eval", [1, 2]), (HERE / "helm/tiny_trials/scenario_state.json", [0, 1])],
    ids=name_of,
)
def test_epochs_and_trials_are_runs(path, runs):
    assert sorted({record["run"] for record in fullmarks.import_logs(path)}) == runs
    with pytest.raises(MismatchError, match="predictions of several runs"):
        fullmarks.score("qa", path)
    one = list(fullmarks.import_logs(path, only={"run": runs[0]}))
    assert fullmarks.score("qa", one).tally.n == len(one)


def test_comparing_epochs_with_another_run(capsys):
    success, epochs = str(HERE / "inspect/success.eval"), str(HERE / "inspect/epochs.eval")
    assert main(["compare", "qa", success, success, epochs, "-f", "json", "--resamples", "100"]) == 0
    assert "runs:2" in json.loads(capsys.readouterr().out)["signatures"]["epochs.eval"]


def test_a_log_of_several_tasks_and_tools(tmp_path):
    found = list(fullmarks.import_logs([MANY, HERE / "inspect/choice.eval", CHOICE]))
    assert [record["log"] for record in found] == [MANY.name] * 3 + ["choice.eval"] * 2 + [CHOICE.name] * 3
    with pytest.raises(InputError, match=r"of the tasks 'tiny_many', 'tiny'.*--prefix task"):
        list(fullmarks.import_logs([MANY, HERE / "inspect/success.eval"]))
    kept = list(fullmarks.import_logs([MANY, HERE / "inspect/success.eval"], prefix="task"))
    assert [record["id"] for record in kept][::3] == ["tiny_many/q1", "tiny/q1"]


@pytest.mark.parametrize("ending", [".jsonl", ".jsonl.gz", ".csv", ".tsv.zst", ".parquet"])
def test_every_kind_of_table_scores_the_same(ending, tmp_path):
    if ending == ".parquet":
        pytest.importorskip("pyarrow", reason="Parquet is written by pyarrow")
    table = tmp_path / f"table{ending}"
    logs = [str(HERE / "inspect/success.eval"), str(CHOICE)]
    if ending == ".parquet":
        logs.pop()  # its ids are numbers, and a column of Parquet has one type
    assert main(["import", *logs, "-o", str(table), "-q"]) == 0
    wanted = fullmarks.score("qa", list(fullmarks.import_logs(logs))).official
    assert fullmarks.score("qa", table, by="task").official == wanted


def test_explain_and_validate_take_a_log():
    explained = fullmarks.explain("qa", HERE / "inspect/success.eval", id="q2")
    assert "four" in str(explained.to_dict())
    assert fullmarks.validate("qa", HERE / "helm/tiny/display_predictions.json").scored == 3


def test_parts_of_a_protocol_come_from_a_log_too(tmp_path):
    """HotpotQA has parts beside answers; a log has the answers."""
    gold = [{"_id": "q1", "answer": "Danube", "supporting_facts": [["Vienna", 0]], "type": "bridge", "level": "easy"}]
    path = tmp_path / "gold.json"
    path.write_text(json.dumps(gold))
    for log in ("success.eval", "success.json"):
        result = fullmarks.score("hotpotqa", path, HERE / "inspect" / log, on_missing="zero")
        assert result.official["f1"] == 1.0


def test_helm_without_its_other_files_says_what_is_missing(tmp_path):
    path = tmp_path / "display_predictions.json"
    path.write_bytes((HERE / "helm/tiny/display_predictions.json").read_bytes())
    with pytest.raises(InputError, match=r"does not say which answers are right.*PROTOCOL GOLD LOG"):
        fullmarks.score("qa", path)
    with pytest.raises(InputError, match="does not say which answers are right"):
        fullmarks.score("qa", path, {"id0": "Answer:"})
    found = fullmarks.import_logs(path)
    assert all("references" not in record for record in found)
    assert found.audit.findings["samples-without-target"].count == 3
    gold = {"id0": ["Danube"], "id1": ["four"], "id2": ["x"]}
    rows = [{"id": name, "references": texts} for name, texts in gold.items()]
    assert fullmarks.score("qa", rows, path).tally.n == 3
    (tmp_path / "instances.json").write_text("[{")
    with pytest.raises(InputError, match=r"instances\.json: not valid JSON"):
        fullmarks.score("qa", path)


def test_naming_columns_means_a_table(tmp_path):
    path = HERE / "vlmevalkit/model_TINY.tsv"
    result = fullmarks.score("qa", path, columns={"id": "index", "references": "category"})
    assert result.tally.n == 3


def test_other_engines_read_a_log_in_one_piece():
    wanted = fullmarks.score("qa", MANY).official
    assert fullmarks.score("qa", MANY, engine="cores:2").official == wanted


def test_nothing_that_is_asked_for():
    with pytest.raises(InputError, match=r"none of the 6 samples has filter=none.*strict-match, flexible-extract"):
        list(fullmarks.import_logs(ONE, only={"filter": "none"}))
    with pytest.raises(FullmarksError, match="has no 'subset' to put before its id; its columns are 'id'"):
        list(fullmarks.import_logs(MANY, prefix="subset"))
    with pytest.raises(FullmarksError, match="needs at least one log"):
        fullmarks.import_logs([])
