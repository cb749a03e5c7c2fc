"""OCRBench: the golden set and the real one as the published loop scores them, its runs, and lmms-eval."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

import pytest

import fullmarks
from fullmarks.errors import FullmarksError
from fullmarks.protocols.ocrbench.metric import OcrbenchMatch
from fullmarks.protocols.ocrbench.protocol import EMPTY_GOLDS
from fullmarks.protocols.ocrbench.rules import judge
from fullmarks.readers.alignment import MISSING, NO_REFERENCES, REPEATED_GOLD
from fullmarks.testing import assert_official
from fullmarks.types import Examples
from tests.hard_texts import hard_text


def read(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


@pytest.fixture
def golden(golden_files: Path) -> Path:
    return golden_files / "ocrbench"


def test_one_file(golden: Path) -> None:
    expected = read(golden / "expected.json")
    result = assert_official("ocrbench", golden / "predictions.json", None, expected["result"])
    found = {str(record["id"]).split()[-1]: record["ocrbench_match"] for record in result.per_example}
    assert found == {name: value or 0 for name, value in expected["per_question"].items()}
    without = [value for value in expected["per_question"].values() if value is None]
    assert result.audit.findings[MISSING.code].count == len(without)
    rows = read(golden / "predictions.json")
    golds = [[row["answers"]] if isinstance(row["answers"], str) else row["answers"] for row in rows]
    empty = sum(any(not gold.strip() for gold in texts) for texts in golds)
    assert result.audit.findings[EMPTY_GOLDS.code].count == empty > 0
    assert result.audit.findings[NO_REFERENCES.code].count == sum(not texts for texts in golds) > 0


def test_two_files_in_any_order(golden: Path) -> None:
    expected = read(golden / "expected.json")["result"]
    rows = read(golden / "predictions.json")
    random.Random(2).shuffle(rows)
    assert_official("ocrbench", golden / "OCRBench.json", rows, expected)
    brief = [{"id": row["id"], "prediction": row["predict"]} for row in rows if "predict" in row]
    assert_official("ocrbench", golden / "OCRBench.json", brief, expected)


def test_the_runs(golden: Path) -> None:
    expected = read(golden / "expected.json")
    rows, runs = read(golden / "predictions.json"), expected["runs"]
    lines = (line.split(": ") for line in runs["missing_rows"]["printed"].splitlines())
    assert_official("ocrbench", rows[:990], None, {name: float(share) for name, share in lines})
    nothing = dict.fromkeys(expected["result"], 0)
    assert_official("ocrbench", golden / "OCRBench.json", None, nothing)
    assert_official("ocrbench", [{**row, "predict": 0} for row in rows], None, nothing)
    with pytest.raises(
        FullmarksError, match=r"there are \d+ rows and not 1000.*divides by 0 where there is none: svt\."
    ):
        fullmarks.score("ocrbench", [row for row in rows if row["dataset_name"] != "svt"])
    with pytest.raises(FullmarksError, match="predictions that are not strings: 1"):
        fullmarks.score("ocrbench", [{**rows[0], "predict": None}, *rows[1:]])
    with pytest.raises(FullmarksError, match="'x' is none of OCRBench's types"):
        fullmarks.score("ocrbench", [{**rows[0], "type": "x"}, *rows[1:]])
    with pytest.raises(FullmarksError, match="there is no record in it"):
        fullmarks.score("ocrbench", [])


def test_a_repeated_row_counts_twice(golden: Path) -> None:
    rows = read(golden / "predictions.json")
    right = next(row for row in rows if row.get("predict") and fullmarks_right(row))
    wrong = next(at for at, row in enumerate(rows) if row["type"] == right["type"] and not fullmarks_right(row))
    rows[wrong] = dict(right)
    result = fullmarks.score("ocrbench", rows)
    assert result.official["Final Score"] == read(golden / "expected.json")["result"]["Final Score"] + 1
    assert result.audit.findings[REPEATED_GOLD.code].count == 1


def fullmarks_right(row: dict[str, Any]) -> bool:
    return "predict" in row and plain_match(row["dataset_name"], row["answers"], row["predict"]) == 1


def test_lmms_eval(golden: Path) -> None:
    variants = read(golden / "expected.json")["variants"]
    name = "lmms-eval (full-width letters folded, missing taken as ''; final / 1000)"
    expected = {"ocrbench_accuracy": variants[name]}
    assert_official("ocrbench", golden / "predictions.json", None, expected, variant="lmms-eval")


def test_the_real_set(real_data: Path) -> None:
    folder = real_data / "ocrbench"
    expected = read(folder / "expected.json")["seeded_predictions"]
    result = fullmarks.score("ocrbench", folder / "OCRBench.json", folder / "predictions.json")
    assert result.official["Final Score"] == expected["Final Score"]
    for kind, count in result.official.items():
        assert f"{kind}(Total" in expected["printed"]
        assert f"): {count}\n" in expected["printed"] or f"):{count}\n" in expected["printed"]
    assert [record["ocrbench_match"] for record in result.per_example] == expected["per_question"]
    texts = read(folder / "predictions.json")
    with pytest.raises(FullmarksError, match="999 predictions for 1000 questions"):
        fullmarks.score("ocrbench", folder / "OCRBench.json", texts[1:])
    ids = [{"id": row["id"], "predict": text} for row, text in zip(read(folder / "OCRBench.json"), texts, strict=True)]
    with pytest.raises(FullmarksError, match="ids of the gold belong to several data sets"):
        fullmarks.score("ocrbench", folder / "OCRBench.json", ids)


@pytest.mark.parametrize(("key", "narrow"), [("result", False), ("lmms", True)])
def test_cases(golden: Path, key: str, narrow: bool) -> None:
    cases = read(golden / "answers.json")["cases"]
    references = [[case["answers"]] if isinstance(case["answers"], str) else case["answers"] for case in cases]
    columns = {"dataset_name": [case["dataset_name"] for case in cases]}
    examples = Examples(range(len(cases)), [case["predict"] for case in cases], references, columns)
    assert OcrbenchMatch(narrow).rows(examples).tolist() == [case[key] for case in cases]


def plain_match(dataset: str, answers: Any, predict: str) -> int:
    """The published loop's rule, written out."""
    for answer in [answers] if isinstance(answers, str) else answers:
        if dataset == "HME100k":
            wanted, given = ("".join(text.strip().replace("\n", " ").split(" ")) for text in (answer, predict))
        else:
            wanted, given = (text.lower().strip().replace("\n", " ") for text in (answer, predict))
        if given.find(wanted) >= 0:
            return 1
    return 0


@pytest.mark.parametrize("count", [5_000, pytest.param(50_000, marks=pytest.mark.deep)])
def test_the_metric_equals_the_plain_rule(count: int) -> None:
    source = random.Random(8)
    pool = [hard_text(source) for _ in range(3_000)]
    letters = "aA bB\n\t\x1f.kK\u212a\u0130i\u03a3\u00a0\u2014\u00c9"
    for _ in range(3_000):
        some = letters[: source.choice((11, len(letters)))]
        pool.append("".join(source.choices(some, k=source.choice((0, 1, 5, 31, 32, 33, 70)))))
    predictions = [source.choice(pool) for _ in range(count)]
    references = [
        [
            source.choice((text[1:4], text[:6].upper(), text[-40:], f" {text}\n", source.choice(pool)))
            for _ in range(source.randrange(3))
        ]
        for text in predictions
    ]
    datasets = [source.choice(("HME100k", "svt")) for _ in predictions]
    columns: dict[str, list[Any]] = {"dataset_name": datasets}
    found = OcrbenchMatch().rows(Examples(range(count), predictions, references, columns))
    for case in zip(datasets, references, predictions, found, strict=True):
        assert plain_match(*case[:3]) == case[3], case


def test_lmms_eval_folds_the_blank_of_full_width() -> None:
    row = {"dataset_name": "svt", "id": 1, "answers": ["a b"], "type": "Regular Text Recognition", "question": ""}
    found = fullmarks.score("ocrbench", [{**row, "predict": "a\u3000b"}], variant="lmms-eval")
    assert found.official == {"ocrbench_accuracy": 0.001}
    assert judge("a\u3000b", ["a b"], "svt", narrow=True).is_right
    assert not judge("a\u3000b", ["a b"], "svt").is_right
    assert not judge("a\u3000b", ["ab"], "HME100k", narrow=True).is_right
