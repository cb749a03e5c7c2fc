"""Files that are built wrongly: each is scored or refused with its place. Few of them here, more in the deep tests."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

pytest.importorskip("pyarrow", reason="needs pyarrow: make install")
pytest.importorskip("resource", reason="needs POSIX, where memory is measured by `resource`")

import fullmarks
from fullmarks.protocols import PROTOCOLS
from tools.fuzz import structure
from tools.fuzz.case import Case
from tools.fuzz.json_text import Pairs, read_json, write_json
from tools.fuzz.small_files import SmallInput, find_inputs
from tools.fuzz.structure import as_case, change_structure, fuzz, make_input, outcome

FEW = 12
MANY = 1_000
"""6,000 of all benchmarks take half an hour: `make fuzz-structure`."""
SLOW = {"webqa": 2}
"""Benchmarks that load a model first."""


@pytest.mark.parametrize("benchmark", PROTOCOLS.built_in)
def test_a_few_are_scored_or_refused_with_their_place(benchmark: str) -> None:
    ended, kinds = fuzz(benchmark, SLOW.get(benchmark, FEW), seed=7)
    assert ended.total() == SLOW.get(benchmark, FEW)
    assert not kinds


@pytest.mark.deep
@pytest.mark.parametrize("benchmark", PROTOCOLS.built_in)
def test_many_are_scored_or_refused_with_their_place(benchmark: str) -> None:
    ended, kinds = fuzz(benchmark, MANY, seed=1)
    assert min(ended["scored"], ended["refused"]) > MANY / 20
    assert not kinds


def sample(benchmark: str = "squad2") -> SmallInput:
    return find_inputs(benchmark)[0]


def test_a_case_is_a_function_of_seed_and_number(tmp_path: Path) -> None:
    inputs = find_inputs("drop")
    made = [make_input(inputs, 3, number) for number in range(20)]
    assert made == [make_input(inputs, 3, number) for number in range(20)]
    assert made != [make_input(inputs, 4, number) for number in range(20)]
    case = as_case(made[0])
    case.save(tmp_path / "case", ["why"])
    assert Case.load(tmp_path / "case") == case


def test_changes_are_of_every_kind() -> None:
    text = '{"data": [{"id": 1, "answers": ["a", "b"]}, {"id": 2, "answers": []}]}'
    changed = {write_json(change_structure(read_json(text), Random(seed))) for seed in range(400)}
    assert len(changed) > 150
    parts = ("null", "NaN", "true", "1.0", "\\ud800", "[[", '"answers": "[', str(10**30))
    assert [part for part in parts if not any(part in each for each in changed)] == []


def test_a_folder_is_an_input_too(tmp_path: Path) -> None:
    given = sample("mme")
    assert given.score(tmp_path).n
    assert all(file.name.startswith("results/") for file in given.files)
    as_case(given).save(tmp_path / "case", ["why"])


def test_what_is_wrong_is_noticed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def ended_by(error: Exception) -> str:
        def fail(*_: object) -> None:
            raise error

        monkeypatch.setattr(SmallInput, "score", fail)
        return outcome(sample_input, tmp_path)[1]

    sample_input = sample()
    assert outcome(sample_input, tmp_path) == ("scored", "")
    result = sample_input.score(tmp_path)
    assert "TypeError: x" in ended_by(TypeError("x"))
    assert "without a place" in ended_by(fullmarks.UsageError("no"))
    assert ended_by(fullmarks.InputError("gold.json: record 1", "no")) == ""
    result.audit.gold += 100
    assert "questions" in structure._wrong_with(result)


def test_a_text_can_stand_for_a_list_of_lines() -> None:
    given = sample("gsm8k")
    given.files[0].content = Pairs([("a", 1)])
    assert given.files[0].bytes() == b'{"a": 1}'
