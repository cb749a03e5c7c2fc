"""A saved run is the run: every number comes back to the last digit, and no damaged or foreign file does."""

from __future__ import annotations

import gzip
import json
import math
from pathlib import Path
from typing import Any

import pytest
import zstandard
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import fullmarks
from fullmarks.analysis.intervals import Sampling
from fullmarks.analysis.saved import load_run, save_run
from fullmarks.errors import InputError, UsageError
from fullmarks.readers.saved_run import FORMAT

GOLD = [
    {"id": "a", "references": ["the cat", "cat"], "topic": "pets", "level": 1},
    {"id": "b", "references": ["a red house"], "topic": "homes", "level": 2},
    {"id": "c", "references": ["nine"], "topic": "pets", "level": 1},
]
ANSWERS = [{"id": "a", "prediction": "cat"}, {"id": "b", "prediction": "red houses"}, {"id": "c", "prediction": ""}]


@pytest.fixture
def run():
    return fullmarks.score("squad2", GOLD, ANSWERS, by=("topic",), also=("level",))


@pytest.mark.parametrize("name", ["run.json", "run.json.gz", "run.json.zst"])
def test_everything_comes_back(run, tmp_path, name):
    path = tmp_path / name
    save_run(run, path)
    back = load_run(path)
    assert back == run
    assert back.to_dict() == run.to_dict()
    assert list(back.per_example) == list(run.per_example)
    assert back.by("level") == run.by("level")
    assert back.tally.totals() == run.tally.totals()
    assert back.tally.rows == run.tally.rows
    assert [type(value) for value in back.tally.examples.columns["has_answer"]] == [bool] * 3


def test_compression_is_real(run, tmp_path):
    save_run(run, tmp_path / "run.json")
    plain = (tmp_path / "run.json").read_bytes()
    save_run(run, tmp_path / "run.json.gz")
    assert gzip.decompress((tmp_path / "run.json.gz").read_bytes()) == plain
    save_run(run, tmp_path / "run.json.zst")
    assert zstandard.ZstdDecompressor().decompress((tmp_path / "run.json.zst").read_bytes()) == plain


def test_the_documented_format(run, tmp_path):
    save_run(run, tmp_path / "run.json", extra={"intervals": {"level": 0.9}})
    saved = json.loads((tmp_path / "run.json").read_text())
    assert (saved["format"], saved["version"], saved["fullmarks"]) == (FORMAT, 1, fullmarks.__version__)
    assert saved["official"] == run.official
    assert saved["scores"] == run.scores
    assert saved["slices"]["topic"]["pets"] == {"exact": 0.5, "f1": 0.5, "n": 2}
    assert saved["slice_columns"] == ["has_answer", "topic"]
    assert saved["metrics"][0]["columns"] == {"exact": [1, 0, 0], "f1": [1, 0.5, 0]}
    assert saved["examples"]["ids"] == ["a", "b", "c"]
    assert saved["examples"]["columns"]["level"] == [1, 2, 1]
    assert saved["intervals"] == {"level": 0.9}
    assert load_run(tmp_path / "run.json") == run


@pytest.mark.parametrize(
    ("protocol", "gold", "answers", "options"),
    [
        ("qa", [["a b", "c"], ["d"]], ["a c", "x"], {"aggregate": "mean"}),
        ("squad1", GOLD, ANSWERS[:2], {}),
        ("squad2", GOLD, ANSWERS[:2], {"on_missing": "skip"}),
        ("squad2", GOLD, ANSWERS, {"limit": 2, "na_prob_thresh": 0.5}),
        ("vqa", [{"question_id": 7, "references": ["yes"] * 9 + ["no"]}], [{"question_id": 7, "answer": "Yes."}], {}),
    ],
)
def test_every_protocol_and_its_options(protocol, gold, answers, options, tmp_path):
    result = fullmarks.score(protocol, gold, answers, **options)
    save_run(result, tmp_path / "run.json")
    back = load_run(tmp_path / "run.json")
    assert back == result
    assert back.options == options
    assert back.tally.metrics == result.tally.metrics
    assert back.audit.to_dict() == result.audit.to_dict()


def test_explanations_are_computed_again(run, tmp_path):
    save_run(run, tmp_path / "run.json")
    back = load_run(tmp_path / "run.json")
    explanation = back.rules.explain(back.tally.examples[1])
    assert explanation == run.rules.explain(run.tally.examples[1])
    assert explanation.scores == {"exact": 0.0, "f1": 0.5}


def test_unanswered_questions_stay_unanswered(tmp_path):
    result = fullmarks.score("squad2", [*GOLD, {"id": "d", "references": []}], ANSWERS, on_missing="zero")
    save_run(result, tmp_path / "run.json")
    back = load_run(tmp_path / "run.json")
    assert back.tally.examples.unanswered == (3,)
    assert back.official == result.official


def test_input_files_are_kept_by_name_only(tmp_path):
    probabilities = tmp_path / "na.json"
    probabilities.write_text('{"a": 0.1, "b": 0.2, "c": 0.9}')
    result = fullmarks.score("squad2", GOLD, ANSWERS, na_prob_file=probabilities, na_prob_thresh=0.5)
    save_run(result, tmp_path / "run.json")
    probabilities.unlink()
    back = load_run(tmp_path / "run.json")
    assert back.options == {"na_prob_file": str(probabilities), "na_prob_thresh": 0.5}
    assert back.rules.official(back.tally, back.audit) == result.official
    inside = fullmarks.score("squad2", GOLD, ANSWERS, na_prob_file={"a": 0.1, "b": 0.2, "c": 0.9})
    save_run(inside, tmp_path / "run.json")
    assert load_run(tmp_path / "run.json").options == {}


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=50, deadline=None)
@given(texts=st.lists(st.text(st.characters(), max_size=8), min_size=1, max_size=5))
def test_any_text_survives_lone_surrogates_included(texts, tmp_path):
    result = fullmarks.score("qa", [[text] for text in texts], texts)
    save_run(result, tmp_path / "run.json")
    assert list(load_run(tmp_path / "run.json").per_example) == list(result.per_example)


def test_a_function_as_option_cannot_be_saved(tmp_path):
    result = fullmarks.score("qa", [["a"]], ["a"], aggregate=min)
    with pytest.raises(UsageError, match="'aggregate' is a function"):
        save_run(result, tmp_path / "run.json")
    assert not (tmp_path / "run.json").exists()


def test_a_run_without_rows_cannot_be_saved(tmp_path):
    result = fullmarks.score("qa", [["a"]], ["a"], keep=False)
    with pytest.raises(UsageError, match="keep=True"):
        save_run(result, tmp_path / "run.json")


def changed(saved, *path, value):
    inner = saved
    for step in path[:-1]:
        inner = inner[step]
    inner[path[-1]] = value
    return saved


@pytest.mark.parametrize(
    ("path", "value", "message"),
    [
        (("version",), 0, r"run\.json: the saved run is damaged: there is no version 0 of the format"),
        (("version",), -1, "damaged: there is no version -1 of the format"),
        (("version",), 2, "version 2 of the format .* reads up to version 1.*Update fullmarks"),
        (("format",), "other", "this is not a saved run but 'other'"),
        (("protocol",), "squad9", r"run\.json: the saved run is damaged: unknown protocol 'squad9'"),
        (("protocol",), "squad1", "damaged: "),
        (("scores", "f1"), 0.75, "damaged: the score 'f1' is 0.75, but its rows give 0.5"),
        (("scores", "f1"), None, "damaged: the score 'f1' is None"),
        (("metrics", 0, "columns", "f1"), [1.0, 0.5], "damaged: column 'f1' of squad: 2 values for 3 examples"),
        (("metrics", 0, "columns", "f1", 1), "x", "expected a number or null, found a string"),
        (("metrics", 0, "name"), "bleu", "the rows are those of bleu in fullmarks"),
        (("metrics",), [], "the rows are those of"),
        (("examples", "ids"), ["a", "b"], "damaged: predictions: 3 values for 2 examples"),
        (("examples", "ids", 2), "a", "damaged: an id appears twice"),
        (("examples", "columns", "topic"), ["pets"], "damaged: column 'topic': 1 values for 3 examples"),
        (("examples", "unanswered"), [3], "damaged: a position without a prediction"),
        (("slice_columns",), ["colour"], "damaged: the column 'colour' is missing"),
        (("slice_columns",), ["list"], "damaged: the column 'list' holds lists or objects"),
        (
            ("examples", "columns", "has_answer"),
            [{"a": 1}] * 3,
            "damaged: the column 'has_answer' holds lists or objects",
        ),
        (("options",), {"colour": 1}, r"run\.json: the saved run is damaged: squad2 has no option 'colour'"),
        (("options",), {"limit": "x"}, "damaged: limit must be a whole number of 1 or more, or None, found 'x'"),
        (("options",), {"variant": ["script"]}, r"damaged: variant must be a text, found \['script'\]"),
        (("options",), {"precision_recall": True}, "damaged: precision and recall need no-answer probabilities"),
        (("examples", "predictions", 1), 7, "damaged: a prediction of the example 'b' is a number, not a text"),
        (("examples", "predictions", 1), None, "damaged: a prediction of the example 'b' is null"),
        (("examples", "references", 0), ["cat", ["x"]], "damaged: a reference of the example 'a' is a list"),
        (("examples", "unanswered"), [1, 1], "damaged: a position without a prediction appears twice"),
        (("n",), 4, "damaged: n is 4, but there are 3 examples"),
        (("scale",), 1.0, "damaged: the scale is 1.0, but that of squad2 is 100.0"),
        (("official", "f1"), 0.0, "damaged: the official 'f1' is 0.0, but the rows give 50.0"),
        (("official", "NoAns_f1"), 1.0, "damaged: the official 'NoAns_f1' is 1.0, but the rows give None"),
        (("official", "f1"), "50", "damaged: the official 'f1' is None, but the rows give 50.0"),
        (("official", "extra"), "text", "damaged: the official result is not the one that the rows give"),
        (("official",), {}, "damaged: the official 'exact' is None"),
    ],
)
def test_damaged_and_newer_files_are_refused(run, tmp_path, path, value, message):
    save_run(run, tmp_path / "run.json")
    saved = json.loads((tmp_path / "run.json").read_text())
    saved["examples"]["columns"]["list"] = [[["x"]]] * 3
    del saved["digest"]  # as in files of older versions
    (tmp_path / "run.json").write_text(json.dumps(saved))
    assert load_run(tmp_path / "run.json") == run
    (tmp_path / "run.json").write_text(json.dumps(changed(saved, *path, value=value)))
    with pytest.raises(InputError, match=message):
        load_run(tmp_path / "run.json")


def test_columns_that_cannot_be_sliced_by_are_named(run, tmp_path):
    save_run(run, tmp_path / "run.json")
    saved = json.loads((tmp_path / "run.json").read_text())
    saved["examples"]["columns"]["list"] = [[["x"]]] * 3
    del saved["digest"]  # as in files of older versions
    back = load_run(saved)
    for use in (
        lambda: back.by("list"),
        lambda: fullmarks.confidence(back, Sampling(cluster="list")),
        lambda: fullmarks.compare({"a": back, "b": run}, by=("list",)),
        lambda: fullmarks.compare({"a": back, "b": run}, sampling=Sampling(cluster="list")),
    ):
        with pytest.raises(UsageError, match="the column 'list' holds lists or objects"):
            use()


def test_the_official_result_of_another_version_may_have_other_keys(run, tmp_path):
    save_run(run, tmp_path / "run.json")
    saved = json.loads((tmp_path / "run.json").read_text())
    saved["fullmarks"] = "0.9.0"
    del saved["official"]["total"]
    saved["official"]["older"] = 3.0
    assert load_run(saved).official["older"] == 3.0
    saved["official"]["f1"] = 0.0
    with pytest.raises(InputError, match="the official 'f1' is 0"):
        load_run(saved)


VALUES = st.one_of(
    st.sampled_from([None, True, 0, 1, -1, 2.5, 1e308, 10**400, math.nan, math.inf, "", "x", [], {}, ["a"], {"a": 1}]),
    st.lists(st.sampled_from([None, 1, 0.5, "a", [], {}]), min_size=3, max_size=3),
)


def assert_a_run_or_an_error_that_names_the_file(data, run, tmp_path):
    """Whatever is changed in it."""
    save_run(run, tmp_path / "run.json")
    saved = inner = json.loads((tmp_path / "run.json").read_text())
    while True:
        steps = list(inner) if isinstance(inner, dict) else list(range(len(inner)))
        step = data.draw(st.sampled_from(steps))
        if not isinstance(inner[step], (dict, list)) or not inner[step] or data.draw(st.booleans()):
            break
        inner = inner[step]
    inner[step] = data.draw(VALUES)
    (tmp_path / "changed.json").write_text(json.dumps(saved))
    try:
        back = load_run(tmp_path / "changed.json")
    except InputError as error:
        where = error.where
    else:
        where = "changed.json"
        assert list(back.per_example)
        assert (back.scores, back.official) == (run.scores, run.official)
    assert where.endswith("changed.json")


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=40, deadline=None)
@given(data=st.data())
def test_a_changed_file_gives_a_run_or_an_error_that_names_it(data, run, tmp_path):
    assert_a_run_or_an_error_that_names_the_file(data, run, tmp_path)


@pytest.mark.deep
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=150, deadline=None)
@given(data=st.data())
def test_many_changed_files_give_a_run_or_an_error_that_names_them(data, run, tmp_path):
    assert_a_run_or_an_error_that_names_the_file(data, run, tmp_path)


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "the file is empty"),
        (b" \n", "the file is empty"),
        ('{"format": "fullmarks-run"}'.encode("utf-16"), "this is UTF-16 text, expected UTF-8"),
        (b'{"format": "fullmarks-run", "version": 1', "not valid JSON.*cut off"),
        (b"\xff", "is not UTF-8"),
        (gzip.compress(b"{}", mtime=0), r"this is gzip data.*Name it run\.json\.gz"),
    ],
)
def test_files_that_cannot_be_read_at_all_say_why(content, message, tmp_path):
    (tmp_path / "run.json").write_bytes(content)
    with pytest.raises(InputError, match=message):
        load_run(tmp_path / "run.json")


@pytest.mark.parametrize("entry", ["examples", "metrics", "audit", "scale", "signature", "options", "slice_columns"])
def test_a_missing_entry_is_named(run, tmp_path, entry):
    save_run(run, tmp_path / "run.json")
    saved = json.loads((tmp_path / "run.json").read_text())
    del saved[entry]
    (tmp_path / "run.json").write_text(json.dumps(saved))
    with pytest.raises(InputError, match=f"the field '{entry}' is missing"):
        load_run(tmp_path / "run.json")


@pytest.mark.parametrize("content", ['{"exact": 50.0}', "[]", "3", '{"format": 1, "version": 1}'])
def test_foreign_json_is_refused(tmp_path, content):
    (tmp_path / "other.json").write_text(content)
    with pytest.raises(InputError, match=r"this is not a saved run\. Expected a run written by"):
        load_run(tmp_path / "other.json")


def test_cut_off_and_absent_files_are_refused(run, tmp_path):
    save_run(run, tmp_path / "run.json")
    data = (tmp_path / "run.json").read_bytes()
    (tmp_path / "cut.json").write_bytes(data[: len(data) // 2])
    with pytest.raises(InputError, match=r"not valid JSON.*cut off"):
        load_run(tmp_path / "cut.json")
    save_run(run, tmp_path / "run.json.gz")
    data = (tmp_path / "run.json.gz").read_bytes()
    (tmp_path / "cut.json.gz").write_bytes(data[: len(data) // 2])
    with pytest.raises(InputError, match="compressed data"):
        load_run(tmp_path / "cut.json.gz")
    with pytest.raises(InputError, match="no such file"):
        load_run(tmp_path / "absent.json")


def test_undefined_rows_are_null(run, tmp_path):
    run.tally.rows[0][1] = math.nan
    save_run(run, tmp_path / "run.json")
    saved = json.loads((tmp_path / "run.json").read_text())
    assert saved["metrics"][0]["columns"]["f1"][0] is None


def test_squad_dev_set(real_data, tmp_path):
    folder = real_data / "squad"
    result = fullmarks.score("squad2", folder / "dev-v2.0.json", folder / "bert.json")
    save_run(result, tmp_path / "bert.json.zst")
    assert load_run(tmp_path / "bert.json.zst") == result
    assert (tmp_path / "bert.json.zst").stat().st_size < 1_000_000


@pytest.mark.parametrize("name", ["qa", "squad2", "vqa"])
def test_runs_that_version_1_0_saved_still_load(name):
    path = Path(__file__).parent / "runs_of_1_0" / f"{name}.json"
    run = load_run(path)
    assert run.official == json.loads(path.read_text(encoding="utf-8"))["official"]
    assert run.signature.endswith("|v:1.0.0")


def test_inner_columns_of_former_versions_become_parts_and_facts(tmp_path):
    run = load_run(Path(__file__).parent / "runs_of_1_0" / "squad2.json")
    assert [name for name in run.tally.examples.columns if name.startswith("_")] == []
    assert sorted(run.tally.examples.parts["no_answer_order"]) == list(range(run.n))
    save_run(run, tmp_path / "again.json")
    assert load_run(tmp_path / "again.json") == run


def test_a_former_run_of_webqa_has_its_retrieval(tmp_path):
    question = {"Qcate": "color", "A": ["red"], "Keywords_A": "red"}
    questions = {"a": {**question, "sources": ["1", "2"]}, "b": {**question, "sources": ["3"]}, "c": question}
    answers = {name: {"answer": "red", "sources": [number]} for name, number in (("a", 1), ("b", 2), ("c", 3))}
    result = fullmarks.score("webqa", questions, answers, spacy_model="simple")
    save_run(result, tmp_path / "run.json")
    assert load_run(tmp_path / "run.json") == result
    former = json.loads((tmp_path / "run.json").read_text())
    examples = former["examples"]
    examples["columns"].update(
        _sources=examples.pop("parts")["sources"], _gold_sources=examples.pop("facts")["sources"]
    )
    assert examples["columns"]["_gold_sources"] == [["1", "2"], ["3"], None]
    del former["digest"], former["metrics"][1:]
    former["scores"] = {name: value for name, value in former["scores"].items() if "retrieval" not in name}
    back = load_run(former)
    assert (back.official, back.scores) == (result.official, result.scores)
    assert back.official["retrieval_RE"] == 0.25
    assert back.tally.examples == result.tally.examples
    former["official"]["retrieval_RE"] = 0.5
    with pytest.raises(InputError, match=r"the official 'retrieval_RE' is 0\.5, but the rows give 0\.25"):
        load_run(former)


def test_own_columns_may_have_any_name(tmp_path):
    gold = [{**row, "_kind": row["id"] in "ab", "_no_answer_order": "x"} for row in GOLD]
    result = fullmarks.score("qa", gold, ANSWERS, by=("_kind",), also=("_no_answer_order",))
    assert {value: part["n"] for value, part in result.by("_kind").items()} == {True: 2, False: 1}
    assert result.per_example[0]["_kind"] is True
    assert list(result.to_dict()["slices"]) == ["_kind"]
    save_run(result, tmp_path / "run.json")
    back = load_run(tmp_path / "run.json")
    assert back == result
    assert back.by("_no_answer_order") == result.by("_no_answer_order")
    assert {part.column for part in fullmarks.compare({"one": result, "two": back}).slices} == {"_kind"}
    with pytest.raises(UsageError, match="it offers '_kind', '_no_answer_order'"):
        fullmarks.confidence(result, Sampling(cluster="_other"))


def test_findings_saved_without_codes_get_them_by_their_texts(tmp_path):
    run = load_run(Path(__file__).parent / "runs_of_1_0" / "squad2.json")
    (finding,) = run.audit.findings.values()
    assert run.audit.findings["empty-predictions"] is finding
    assert (finding.code, finding.kind, finding.count) == ("empty-predictions", "empty predictions", 3)
    save_run(run, tmp_path / "again.json")
    assert load_run(tmp_path / "again.json").audit == run.audit


def test_findings_keep_their_codes_and_advice(tmp_path):
    run = fullmarks.score("qa", {"a": ["x"], "b": ["y"]}, {"a": "x", "c": "z"}, on_missing="zero")
    for text in ("rows of another tool", "rows of another tool?"):
        run.audit.add(fullmarks.FindingKind(text, text), "note", ["a"])
    save_run(run, tmp_path / "run.json")
    assert load_run(tmp_path / "run.json").audit == run.audit
    saved = json.loads((tmp_path / "run.json").read_text(encoding="utf-8"))
    assert saved["audit"] == run.audit.to_dict()
    for finding in saved["audit"]["findings"]:
        del finding["code"], finding["advice"]
    (tmp_path / "former.json").write_text(json.dumps(saved), encoding="utf-8")
    former = load_run(tmp_path / "former.json").audit.findings
    assert {code: found.kind for code, found in former.items()} == {
        "unknown-predictions": "predictions for unknown questions",
        "missing-predictions": "questions without a prediction",
        "rows-of-another-tool": "rows of another tool",
        "rows of another tool?": "rows of another tool?",
    }


@pytest.mark.parametrize(
    ("path", "value"),
    [
        (("examples", "predictions", 0), "another answer"),
        (("examples", "references", 0, 0), "another reference"),
        (("examples", "ids", 0), "another id"),
        (("examples", "columns", "level", 0), "another level"),
        (("digest",), "sha256:0"),
    ],
)
def test_edited_examples_are_refused(run, tmp_path, path, value):
    save_run(run, tmp_path / "run.json")
    saved = json.loads((tmp_path / "run.json").read_text())
    assert load_run(saved) == run
    (tmp_path / "run.json").write_text(json.dumps(saved, indent=4, ensure_ascii=False))
    assert load_run(tmp_path / "run.json") == run
    (tmp_path / "run.json").write_text(json.dumps(changed(saved, *path, value=value)))
    with pytest.raises(InputError, match="examples are not those that were scored"):
        load_run(tmp_path / "run.json")
    del saved["digest"]
    assert load_run(saved).official == run.official


@pytest.mark.parametrize(
    "values",
    [
        [1, 2.0, -0.0],
        [math.nan, math.inf, 1e-7],
        [None, True, 10**15],
        ["\ud800", "\u2028", "\x00"],
        [1e300, 0.1 + 0.2, 5e-324],
        ["\ud800", 1.0, math.nan],
    ],
)
def test_columns_of_every_kind_keep_their_digest(tmp_path, values):
    rows = [
        {"id": str(number), "prediction": "a", "references": ["a"], "kind": value}
        for number, value in enumerate(values)
    ]
    run = fullmarks.score("qa", rows, also=("kind",))
    save_run(run, tmp_path / "run.json")
    assert load_run(tmp_path / "run.json").official == run.official


def ten_questions() -> fullmarks.Result:
    gold = [{"id": f"q{at}", "references": ["yes"], "kind": "even" if at % 2 == 0 else "odd"} for at in range(10)]
    answers = [{"id": f"q{at}", "prediction": "no" if at < 5 else "yes"} for at in range(10)]
    return fullmarks.score("squad2", gold, answers, by=("kind",))


def test_whole_numbers_are_saved_without_a_fraction(tmp_path: Path) -> None:
    table = [
        {"id": at, "prediction": text, "references": ["red house"]} for at, text in enumerate(("x", "red", "red house"))
    ]
    save_run(fullmarks.score("squad1", table), tmp_path / "run.json")
    text = (tmp_path / "run.json").read_text()
    (columns,) = (metric["columns"] for metric in json.loads(text)["metrics"])
    assert [(value, type(value)) for value in columns["exact"]] == [(0, int), (0, int), (1, int)]
    assert [(value, type(value)) for value in columns["f1"]] == [(0, int), (2 / 3, float), (1, int)]
    assert load_run(tmp_path / "run.json").scores == fullmarks.score("squad1", table).scores


def damaged(path: Path, **entries: Any) -> str:
    saved = json.loads(path.read_text())
    saved["examples"].update(entries)
    if "ids" in entries:
        saved["n"] = len(entries["ids"])
    path.write_text(json.dumps(saved))
    with pytest.raises(fullmarks.InputError) as caught:
        load_run(path)
    return str(caught.value)


@pytest.fixture
def saved_file(tmp_path: Path) -> Path:
    save_run(ten_questions(), tmp_path / "run.json")
    return tmp_path / "run.json"


def test_a_run_without_examples_is_damaged(saved_file: Path) -> None:
    empty = {"has_answer": [], "kind": []}
    told = damaged(saved_file, ids=[], predictions=[], references=[], columns=empty, unanswered=[])
    assert "it holds no example" in told


def test_a_repeated_id_in_a_run_is_damage(saved_file: Path) -> None:
    assert "an id appears twice" in damaged(saved_file, ids=["q0", *(f"q{at}" for at in range(9))])


@pytest.mark.parametrize(("positions", "told"), [([10], "is outside"), ([-1], "is outside"), ([3, 3], "appears twice")])
def test_positions_without_a_prediction_are_checked(saved_file: Path, positions: list[int], told: str) -> None:
    assert f"a position without a prediction {told}" in damaged(saved_file, unanswered=positions)


@pytest.mark.parametrize("what", ["predictions", "references"])
def test_lists_of_other_lengths_are_damage(saved_file: Path, what: str) -> None:
    assert f"{what}: 1 values for 10 examples" in damaged(
        saved_file, **{what: ["yes"] if what == "predictions" else [["yes"]]}
    )
