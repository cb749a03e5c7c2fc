"""A join in parts gives what a join in memory gives: digits, slices, audit with first ids, examples, errors."""

from __future__ import annotations

import csv
import json
import os
import re
import subprocess
import sys
from contextlib import nullcontext
from datetime import date
from pathlib import Path
from typing import Any, NamedTuple
from unittest.mock import patch

import numpy
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fullmarks import Sampling, confidence, score
from fullmarks.engines.cores import Cores
from fullmarks.engines.here import Here
from fullmarks.errors import InputError, UsageError
from fullmarks.evaluate import make_protocol
from fullmarks.jobs.job import Asked
from fullmarks.joins.join import MOST_PARTS, PART_BYTES, check_can_join, joined_parts, parts_for
from fullmarks.joins.packing import form_of, packed, unpacked
from fullmarks.joins.scattering import parts_of
from fullmarks.metrics.tally import Rows
from fullmarks.protocols import PROTOCOLS
from fullmarks.protocols.protocol import Protocol
from fullmarks.protocols.sample import read_sample, sample_folder
from fullmarks.readers.source import Source
from fullmarks.types import Examples
from tests.joins.in_parts import Elsewhere, in_memory, outcome, score_in_parts, write_lines

IN_PARTS = ("gsm8k", "mlqa", "nq_open", "okvqa", "popqa", "qa", "squad1", "squad2", "triviaqa", "vqa", "xquad")
PARTS = (1, 3, 16)
LONG = settings(
    deadline=None, max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture, HealthCheck.too_slow]
)
QUICK = settings(LONG, max_examples=12, derandomize=True)
WORDS = st.sampled_from(["", "a cat", "The cat", "a dog, a cat", "7", "no", "cat \ud83d\ude00", "yes yes"])
NUMBERS = st.integers(0, 30)
TEXT_IDS = NUMBERS.map(lambda number: f"q{number}")
MIXED_IDS = st.one_of(NUMBERS, NUMBERS.map(str), TEXT_IDS)


def test_which_protocols_can_be_joined_in_parts() -> None:
    assert tuple(name for name in sorted(PROTOCOLS.built_in) if PROTOCOLS.get(name).notes is not None) == IN_PARTS
    page = (Path(__file__).parents[2] / "docs" / "architecture.md").read_text(encoding="utf-8")
    listed = page.split("These protocols can be joined in parts:", 1)[1].split(".", 1)[0]
    assert tuple(re.findall(r"`(\w+)`", listed)) == IN_PARTS


@pytest.mark.parametrize("parts", PARTS)
def test_samples_have_the_same_result(parts: int) -> None:
    different = []
    for name in (name for name in IN_PARTS if read_sample(name).predictions is not None):
        sample = read_sample(name)
        gold, predictions = sample.arguments(sample_folder(name))
        assert predictions is not None
        options = sample.keywords(sample_folder(name))
        options.pop("na_prob_file", None)
        whole = in_memory(name, Path(gold), Path(predictions), by=sample.by, **options)
        found = outcome(
            score_in_parts, name, Path(gold), Path(predictions), parts=parts, by=tuple(sample.by), **options
        )
        if "official" not in whole or found != whole:
            different.append(name)
    assert different == []


@st.composite
def tables(draw: st.DrawFn) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """Rows of gold and rows of predictions, with all that may be odd about them."""
    kinds = draw(st.sampled_from([(TEXT_IDS, TEXT_IDS), (NUMBERS, NUMBERS), (NUMBERS, NUMBERS.map(str))]))
    asked, given_ids = draw(st.sampled_from([*[kinds] * 3, (MIXED_IDS, MIXED_IDS), (NUMBERS.map(str), NUMBERS)]))
    unique = {"unique": True} if draw(st.integers(0, 3)) else {}
    golds = draw(st.lists(asked, min_size=1, max_size=40, **unique))
    answers = draw(st.lists(given_ids, min_size=1, max_size=40, **({"unique": True} if draw(st.booleans()) else {})))
    odd_text = st.one_of(*[WORDS] * 8, st.sampled_from([None, 3])) if draw(st.integers(0, 4)) == 0 else WORDS
    references = st.lists(WORDS, min_size=draw(st.integers(0, 1)), max_size=3)
    titles = draw(st.sampled_from([st.sampled_from(["x", "y"]), st.one_of(NUMBERS, st.none(), st.just(["x", "y"]))]))
    gold = [{"id": each, "references": draw(references), "title": draw(titles)} for each in golds]
    return gold, [{"id": each, "prediction": draw(odd_text)} for each in answers]


RULES = st.fixed_dictionaries(
    {},
    optional={
        "on_missing": st.sampled_from(["error", "zero", "skip"]),
        "on_duplicate": st.sampled_from(["error", "first", "last"]),
        "strict": st.booleans(),
        "limit": st.integers(1, 25),
        "extract": st.sampled_from(["number", "last-line", "choice"]),
    },
)


class Drawn(NamedTuple):
    """Two tables, and how they are joined."""

    rows: tuple[list[dict[str, Any]], list[dict[str, Any]]]
    options: dict[str, Any]
    parts: int
    shards: int
    by: tuple[str, ...]
    keep: bool


DRAWN = st.builds(
    Drawn,
    tables(),
    RULES,
    st.sampled_from(PARTS),
    st.sampled_from([1, 2, 5]),
    st.sampled_from([(), ("title",)]),
    st.booleans(),
)
JOINED = pytest.mark.parametrize(
    "protocol", ["squad1", "squad2", "qa", "xquad", "triviaqa", "vqa", "nq_open", "popqa", "gsm8k"]
)


@JOINED
@QUICK
@given(DRAWN)
def test_tables_have_the_same_result(tmp_path: Path, protocol: str, drawn: Drawn) -> None:
    check_tables(tmp_path, protocol, drawn)


@pytest.mark.deep
@JOINED
@LONG
@given(DRAWN)
def test_many_tables_have_the_same_result(tmp_path: Path, protocol: str, drawn: Drawn) -> None:
    check_tables(tmp_path, protocol, drawn)


def check_tables(tmp_path: Path, protocol: str, drawn: Drawn) -> None:
    gold, predictions = (write_lines(tmp_path / f"{at}.jsonl", each) for at, each in enumerate(drawn.rows))
    keywords: dict[str, Any] = {"by": drawn.by, "keep": drawn.keep, **drawn.options}
    cut = {"parts": drawn.parts, "shards": drawn.shards}
    for raises in (True, False):
        with nullcontext() if raises else patch("fullmarks.evaluate.raise_errors"):
            whole = in_memory(protocol, gold, predictions, **keywords)
            found = outcome(score_in_parts, protocol, gold, predictions, **cut, **keywords)
        if "leave limit or spilling out" not in found.get("message", ""):
            assert found == whole


@pytest.mark.parametrize("parts", PARTS)
def test_findings_have_one_order_wherever_shards_end(tmp_path: Path, parts: int) -> None:
    """The second prediction repeats an id and the third is no text: in one shard or in two."""
    gold = write_lines(tmp_path / "g.jsonl", [{"id": 0, "references": []}])
    predictions = write_lines(tmp_path / "p.jsonl", [{"id": 0, "prediction": text} for text in ("", "", None)])
    whole = in_memory("squad1", gold, predictions)
    assert re.findall("predictions that are not strings|predictions with a repeated id", whole["message"]) == [
        "predictions that are not strings",
        "predictions with a repeated id",
    ]
    with patch("fullmarks.evaluate.raise_errors"):
        audit = in_memory("squad1", gold, predictions)["audit"]
    assert [(finding["level"], finding["code"]) for finding in audit["findings"]] == [
        ("error", "missing-references"),
        ("error", "not-strings"),
        ("error", "repeated-predictions"),
        ("note", "empty-predictions"),
    ]
    for shards in (1, 2, 3):
        assert outcome(score_in_parts, "squad1", gold, predictions, parts=parts, shards=shards) == whole
        with patch("fullmarks.evaluate.raise_errors"):
            found = outcome(score_in_parts, "squad1", gold, predictions, parts=parts, shards=shards)
        assert found["audit"] == audit


class Ranked(NamedTuple):
    """Probabilities with texts, in an order, and how they are joined."""

    drawn: list[tuple[float, str, str]]
    shuffling: Any
    parts: int
    shards: int
    options: dict[str, Any]


RANKED = st.builds(
    Ranked,
    st.lists(st.tuples(st.sampled_from([0.0, 0.25, 0.5, 1.0]), WORDS, WORDS), min_size=1, max_size=30),
    st.randoms(),
    st.sampled_from(PARTS),
    st.sampled_from([1, 2, 5]),
    st.sampled_from([{}, {"na_prob_thresh": 0.3, "precision_recall": True}]),
)


@QUICK
@given(RANKED)
def test_probabilities_are_ranked_as_in_memory(tmp_path: Path, ranked: Ranked) -> None:
    check_ranking(tmp_path, ranked)


@pytest.mark.deep
@LONG
@given(RANKED)
def test_many_probabilities_are_ranked_as_in_memory(tmp_path: Path, ranked: Ranked) -> None:
    check_ranking(tmp_path, ranked)


def check_ranking(tmp_path: Path, ranked: Ranked) -> None:
    asked = [{"id": f"q{at}", "references": [gold] if gold else []} for at, (_, gold, _) in enumerate(ranked.drawn)]
    given_rows = [
        {"id": f"q{at}", "prediction": text, "no_answer_probability": number}
        for at, (number, _, text) in enumerate(ranked.drawn)
    ]
    given_rows += [{"id": "other", "prediction": "a", "no_answer_probability": 0.5}]
    ranked.shuffling.shuffle(given_rows)
    gold, predictions = write_lines(tmp_path / "g.jsonl", asked), write_lines(tmp_path / "p.jsonl", given_rows)
    whole = in_memory("squad2", gold, predictions, **ranked.options)
    assert "best_f1" in whole["official"]
    assert "unknown-probabilities" in json.dumps(whole["audit"])
    apart = outcome(
        score_in_parts, "squad2", gold, predictions, parts=ranked.parts, shards=ranked.shards, **ranked.options
    )
    assert apart == whole


def test_a_question_without_a_probability_is_an_error(tmp_path: Path) -> None:
    gold = write_lines(tmp_path / "g.jsonl", [{"id": f"q{at}", "references": ["a"]} for at in range(20)])
    rows = [{"id": f"q{at}", "prediction": "a", "no_answer_probability": 0.5} for at in range(19)]
    found = outcome(
        score_in_parts, "squad2", gold, write_lines(tmp_path / "p.jsonl", rows), parts=16, on_missing="zero"
    )
    assert "have no no-answer probability (first: 'q19')" in found["message"]


ODD_IDS = [10**30, -(10**30), "\ud800", "é", "", "1", 7, "q (2)", "q"]


@pytest.mark.parametrize("parts", PARTS)
@pytest.mark.parametrize("kind", ["jsonl", "csv", "parquet"])
def test_ids_and_labels_of_all_kinds_come_back(tmp_path: Path, kind: str, parts: int) -> None:
    ids = ODD_IDS if kind == "jsonl" else list(map(str, range(40)))
    labels = ["x", 3, 2.5, True, None, ["a", "b"], [], 10**25, "é"] if kind == "jsonl" else ["x", "y"] * 20
    gold = [{"id": each, "references": ["a cat"], "topic": label} for each, label in zip(ids, labels, strict=True)]
    answers = [{"id": each, "prediction": f"cat {each!r}"} for each in reversed(ids)]
    paths = [_write(tmp_path / f"{name}.{kind}", rows) for name, rows in (("gold", gold), ("pred", answers))]
    whole = in_memory("squad1", *paths, by=("topic",))
    assert "official" in whole
    for shards in (1, 3):
        assert outcome(score_in_parts, "squad1", *paths, parts=parts, shards=shards, by=("topic",)) == whole


def _write(path: Path, rows: list[dict[str, Any]]) -> Path:
    if path.suffix == ".jsonl":
        return write_lines(path, rows)
    if path.suffix == ".csv":
        with path.open("w", newline="", encoding="utf-8") as stream:
            writer = csv.DictWriter(stream, list(rows[0]))
            writer.writeheader()
            cells = [
                {name: json.dumps(each) if isinstance(each, list) else each for name, each in row.items()}
                for row in rows
            ]
            writer.writerows(cells)
        return path
    arrow, parquet = pytest.importorskip("pyarrow"), pytest.importorskip("pyarrow.parquet")
    parquet.write_table(arrow.Table.from_pylist(rows), path, row_group_size=7)
    return path


def test_days_of_a_parquet_table_are_labels(tmp_path: Path) -> None:
    gold = _write(
        tmp_path / "gold.parquet", [{"id": each, "references": ["a"], "day": date(2026, 1, 2)} for each in "ab"]
    )
    predictions = write_lines(tmp_path / "p.jsonl", [{"id": each, "prediction": "a"} for each in "ba"])
    whole = in_memory("squad1", gold, predictions, by=("day",))
    assert outcome(score_in_parts, "squad1", gold, predictions, parts=3, by=("day",)) == whole


@pytest.mark.parametrize(
    "values",
    [
        ["é", "\ud800", None, 2.5, True],
        [b"x", "a"],
        [10**30, "a"],
        [("a", 1), (), "b"],
        [["a"], {"b": [1, None]}, 10**30],
        [("a", 10**30), None],
    ],
)
def test_what_is_put_aside_comes_back_as_it_was(values: list[Any]) -> None:
    back = unpacked(packed(values, form_of(values, "x")))
    assert repr(back) == repr(values)


@pytest.mark.parametrize("values", [[date(2026, 1, 2)], [("a",), ["a"]], [{1, 2}], [object()], [["a", ("b",)]]])
def test_what_would_not_come_back_is_refused(values: list[Any]) -> None:
    with pytest.raises(UsageError, match=r"'topic' holds values .* leave the spilling out"):
        form_of(values, "topic")


@pytest.mark.parametrize("parts", PARTS)
@pytest.mark.parametrize(
    ("gold", "predictions"),
    [
        ([["a"], ["b", "c"], ["d"]], ["a", "", "x"]),
        ([["a"], ["b", "c"], ["d"]], ["a", "b"]),
        ({"1": ["a"], "2": ["b"]}, [{"id": 2, "prediction": "b"}, {"id": 1, "prediction": "b"}]),
        ({"1": ["a"], "2": ["b"]}, {}),
        ({"a": ["x"], "b": ["y"]}, {"b": "y", "c": "z", "d": 5}),
    ],
)
def test_documents_have_the_same_result(tmp_path: Path, gold: Any, predictions: Any, parts: int) -> None:
    paths = [tmp_path / "gold.json", tmp_path / "pred.json"]
    for path, document in zip(paths, (gold, predictions), strict=True):
        path.write_text(json.dumps(document), encoding="utf-8")
    whole = in_memory("qa", *paths, on_missing="zero")
    assert outcome(score_in_parts, "qa", *paths, parts=parts, on_missing="zero") == whole


def test_repeated_keys_of_a_document_are_settled_as_in_memory(tmp_path: Path) -> None:
    gold, predictions = tmp_path / "gold.json", tmp_path / "pred.json"
    gold.write_text(json.dumps({f"q{at}": ["a"] for at in range(9)}), encoding="utf-8")
    predictions.write_text('{"q3": "a", "q1": "b", "q3": "c", "q1": "a", "q8": "a"}', encoding="utf-8")
    for rule in ("error", "first", "last"):
        options = {"on_duplicate": rule, "on_missing": "zero"}
        whole = in_memory("qa", gold, predictions, **options)
        assert outcome(score_in_parts, "qa", gold, predictions, parts=3, **options) == whole


@pytest.mark.parametrize("count", [4, 400])
def test_a_late_number_is_an_error_wherever_it_begins(tmp_path: Path, count: int) -> None:
    gold = write_lines(tmp_path / "g.jsonl", [{"id": f"q{at}", "references": ["a"]} for at in range(count)])
    rows: list[dict[str, Any]] = [{"id": f"q{at}", "prediction": "a"} for at in range(count)]
    rows[-1]["no_answer_probability"] = 0.5
    predictions = write_lines(tmp_path / "p.jsonl", rows)
    whole = in_memory("squad2", gold, predictions)
    found = outcome(score_in_parts, "squad2", gold, predictions, parts=3, shards=4)
    assert whole["error"] == found["error"] == "InputError"
    assert "no_answer_probability" in found["message"]
    assert found == whole or count > 100  # the records looked at for the columns of all


def test_a_limit_of_questions_that_come_twice_is_left_to_a_join_in_memory(tmp_path: Path) -> None:
    gold = write_lines(tmp_path / "g.jsonl", [{"id": each, "references": ["a"]} for each in "abca"])
    predictions = write_lines(tmp_path / "p.jsonl", [{"id": "a", "prediction": "a"}])
    found = outcome(score_in_parts, "triviaqa", gold, predictions, parts=3, limit=2)
    assert "leave limit or spilling out" in found["message"]


def check(rules: Protocol, gold: Any = "gold.json", predictions: Any = "pred.json") -> None:
    check_can_join(rules, Source(gold, "gold"), Source(predictions, "predictions"))


def test_other_protocols_are_refused() -> None:
    others = [name for name in sorted(PROTOCOLS.built_in) if name not in IN_PARTS]
    assert len(others) > 20
    for name in others:
        with pytest.raises(UsageError, match=f"^{name} needs all .* Join them in memory"):
            check(make_protocol(name, {}))


def test_what_cannot_be_read_by_many_is_refused() -> None:
    check(make_protocol("squad2", {}))
    with pytest.raises(UsageError, match=r"^squad2 needs the file of probabilities at once"):
        check(make_protocol("squad2", {"na_prob_file": "p.json"}))
    with pytest.raises(UsageError, match=r"^predictions is no file that can be read by many"):
        check(make_protocol("squad2", {}), predictions={"a": "b"})


def test_only_tables_are_in_several_files(tmp_path: Path) -> None:
    for name in ("a.json", "b.json"):
        (tmp_path / name).write_text('{"a": ["x"]}\n', encoding="utf-8")
    sources = Source(str(tmp_path), "gold"), Source(str(tmp_path), "predictions")
    with Elsewhere() as engine, pytest.raises(InputError, match="only tables can be in several files"):
        joined_parts(make_protocol("qa", {}), *sources, engine, Asked((), (), keep=True))


def two_tables(folder: Path, count: int) -> tuple[Path, Path]:
    """Gold and predictions for so many questions, these in another order."""
    words = ["a cat", "the dog", "seven cats", "no"]
    asked = [{"id": f"q{at}", "references": words[at % 3 :], "title": at % 4} for at in range(count)]
    answered = [{"id": f"q{at}", "prediction": words[at % 4]} for at in reversed(range(count))]
    return write_lines(folder / "g.jsonl", asked), write_lines(folder / "p.jsonl", answered)


def test_a_checkpoint_is_refused(tmp_path: Path) -> None:
    gold, predictions = two_tables(tmp_path, 3)
    sources = Source(str(gold), "gold"), Source(str(predictions), "predictions")
    asked = Asked((), (), keep=True, checkpoint=str(tmp_path))
    with Elsewhere() as engine, pytest.raises(UsageError, match="leave the checkpoint out"):
        joined_parts(make_protocol("qa", {}), *sources, engine, asked)


def test_nothing_is_left_of_what_was_put_aside(tmp_path: Path) -> None:
    gold, predictions = two_tables(tmp_path, 30)
    spill = tmp_path / "spill"
    score_in_parts("squad1", gold, predictions, parts=3, engine=Here(str(spill)))
    assert list(spill.iterdir()) == []


@pytest.mark.parametrize("name", ["squad1", "squad2", "qa"])
def test_processes_give_the_same(tmp_path: Path, name: str) -> None:
    gold, predictions = two_tables(tmp_path, 200)
    whole = in_memory(name, gold, predictions, by=("title",))
    cores = Cores(2, str(tmp_path / "spill"))
    assert outcome(score_in_parts, name, gold, predictions, parts=5, shards=3, by=("title",), engine=cores) == whole


def test_folders_of_tables_are_joined_as_one_table_each(tmp_path: Path) -> None:
    gold, predictions = two_tables(tmp_path, 60)
    whole = in_memory("squad1", gold, predictions, by=("title",))
    folders = []
    for path in (gold, predictions):
        folder = tmp_path / path.stem
        folder.mkdir()
        lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
        for start in range(0, 60, 25):
            (folder / f"part-{start:02}.jsonl").write_text("".join(lines[start : start + 25]), encoding="utf-8")
        folders.append(Source(str(folder), path.stem))
    with Elsewhere() as engine:
        asked = Asked(("title",), (), keep=False)
        rules = make_protocol("squad1", {})
        tally, audit = joined_parts(rules, folders[0], folders[1], engine, asked, parts=3)
    assert repr(rules.official(tally, audit)) == whole["official"]
    assert {"title": repr(tally.by("title"))} == whole["slices"]


@pytest.mark.parametrize("where", [{}, {"engine": "here"}, {"workers": 2}])
def test_score_joins_in_parts_where_a_folder_is_named(tmp_path: Path, where: dict[str, Any]) -> None:
    gold, predictions = two_tables(tmp_path, 60)
    spill = tmp_path / "spill"
    for keywords in ({"by": ("title",)}, {"keep": False, "intervals": True, "cluster": "title"}):
        whole = outcome(score, "squad1", str(gold), str(predictions), **keywords)
        assert "official" in whole
        with patch("fullmarks.joins.join.joined_parts", wraps=joined_parts) as called:
            found = outcome(score, "squad1", str(gold), str(predictions), spill=str(spill), **where, **keywords)
        assert found == whole
        assert called.called
        assert list(spill.iterdir()) == []


def test_intervals_of_rows_that_are_not_kept_are_the_same(tmp_path: Path) -> None:
    gold, predictions = two_tables(tmp_path, 60)
    keywords: dict[str, Any] = {"keep": False, "intervals": True, "cluster": "title"}
    results = [
        score("squad1", str(gold), str(predictions), **keywords, **where)
        for where in ({}, {"spill": str(tmp_path / "s")})
    ]
    whole, apart = (confidence(result, Sampling(cluster="title")) for result in results)
    assert repr(apart) == repr(whole)


def test_a_protocol_that_cannot_is_refused_by_score(tmp_path: Path) -> None:
    gold, predictions = two_tables(tmp_path, 3)
    with pytest.raises(UsageError, match="hotpotqa needs all of its questions at once"):
        score("hotpotqa", str(gold), str(predictions), spill=str(tmp_path / "spill"))


def test_a_single_table_needs_no_joining(tmp_path: Path) -> None:
    table = write_lines(tmp_path / "t.jsonl", [{"id": "a", "prediction": "x", "references": ["x"]}])
    assert score("squad1", str(table), spill=str(tmp_path / "spill")).official == {"exact_match": 100.0, "f1": 100.0}


def test_watchers_see_every_shard_in_order(tmp_path: Path) -> None:
    gold, predictions = two_tables(tmp_path, 50)
    seen: list[Any] = []
    told: list[tuple[int, ...]] = []

    def watch(examples: Examples, rows: Rows) -> None:
        seen.append((examples.ids, rows))

    asked = Asked((), (), keep=False, watch=watch, advance=lambda *numbers: told.append(numbers))
    sources = Source(str(gold), "gold"), Source(str(predictions), "predictions")
    with Here() as engine:
        tally, _ = joined_parts(make_protocol("squad1", {}), *sources, engine, asked, parts=4, size=1000)
    assert [each for ids, _ in seen for each in ids] == [f"q{at}" for at in range(50)]
    assert sum(len(rows[0]) for _, rows in seen) == 100
    assert [settled for _, settled, _ in told] == list(range(1, len(told) + 1))
    assert told[-1][0] == tally.n == 50


def test_parts_are_of_a_size_that_fits() -> None:
    assert parts_for(0) == parts_for(PART_BYTES) == 1
    assert parts_for(PART_BYTES + 1) == 2
    assert parts_for(10**15) == MOST_PARTS


def test_every_part_has_its_share() -> None:
    for ids in (range(20_000), [f"{number:024x}" for number in range(20_000)], list(map(str, range(20_000)))):
        counts = numpy.bincount(parts_of(list(ids), 16), minlength=16)
        assert 1000 < counts.min() <= counts.max() < 1500
    assert parts_of([1, 7, 10**30], 16).tolist() == parts_of(["1", "7", str(10**30)], 16).tolist()


PYTHON_KERNEL = """
import sys
sys.path.insert(0, sys.argv[1])
from pathlib import Path
from tests.joins.in_parts import in_memory, outcome, score_in_parts
from fullmarks.text import kernel
assert type(kernel.fold).__name__ == "function"
gold, predictions = Path(sys.argv[2]), Path(sys.argv[3])
for name in ("squad1", "qa"):
    found = outcome(score_in_parts, name, gold, predictions, parts=3, shards=4, by=("title",))
    assert found == in_memory(name, gold, predictions, by=("title",)), found
    print(found["official"])
"""


def test_the_kernel_in_python_gives_the_same(tmp_path: Path) -> None:
    gold, predictions = two_tables(tmp_path, 50)
    words = [sys.executable, "-c", PYTHON_KERNEL, str(Path(__file__).parents[2]), str(gold), str(predictions)]
    environment = {**os.environ, "FULLMARKS_KERNEL": "python"}
    told = subprocess.run(words, env=environment, capture_output=True, text=True, check=False)
    assert not told.returncode, told.stderr
    results = [in_memory(name, gold, predictions, by=("title",))["official"] for name in ("squad1", "qa")]
    assert told.stdout.splitlines() == results
