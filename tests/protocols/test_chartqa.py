"""ChartQA: the golden set and the real splits as pix2struct scores them, other tools, and how rows are paired."""

from __future__ import annotations

import csv
import json
from pathlib import Path
from typing import Any

import pytest

import fullmarks
from fullmarks.errors import FullmarksError
from fullmarks.testing import assert_official, first_difference

SPLITS = ("human", "augmented")


def read(path: Path) -> Any:
    return json.loads(path.read_text(encoding="utf-8"))


@pytest.fixture
def golden(golden_files: Path) -> Path:
    return golden_files / "chartqa"


def both_splits(golden: Path) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    golds = [{**row, "split": split} for split in SPLITS for row in read(golden / f"test_{split}.json")]
    answers = [{**row, "split": split} for split in SPLITS for row in read(golden / f"predictions_{split}.json")]
    return golds, answers


@pytest.mark.parametrize("split", SPLITS)
def test_one_split(golden: Path, split: str) -> None:
    expected = read(golden / "expected.json")
    files = golden / f"test_{split}.json", golden / f"predictions_{split}.json"
    result = assert_official("chartqa", *files, {"relaxed_accuracy": expected["result"][split]})
    assert [record["relaxed_accuracy"] for record in result.per_example] == expected["per_question"][split]
    tools = expected["variants"]
    wanted = {
        "lmms-eval": {"relaxed_overall": tools["lmms-eval"][f"relaxed_{split}_split"]},
        "VLMEvalKit": {"relaxed_accuracy": tools["VLMEvalKit"][split]["mean x 100"]},
        "Qwen-VL": {"relaxed_accuracy": tools["Qwen-VL (arguments swapped, prediction stripped)"][split]},
        "lm-eval-bare": {
            "relaxed_accuracy": tools["lm-eval RelaxedCorrectness.score on the bare answer (mean)"][split]
        },
    }
    for variant, numbers in wanted.items():
        assert_official("chartqa", *files, numbers, variant=variant)
    found = fullmarks.score("chartqa", *files, variant="VLMEvalKit").per_example
    assert [record["relaxed_accuracy"] for record in found] == tools["VLMEvalKit"][split]["per_question"]


def test_both_splits_in_one_file(golden: Path, tmp_path: Path) -> None:
    expected = read(golden / "expected.json")
    result, tools = expected["result"], expected["variants"]
    official = {
        "relaxed_accuracy": result["overall (all questions)"],
        "human": result["human"],
        "augmented": result["augmented"],
        "average of the two splits": result["average of the two splits"],
    }
    golds, answers = both_splits(golden)
    assert_official("chartqa", golds, answers, official)
    assert_official("chartqa", golds, answers, tools["lmms-eval"], variant="lmms-eval")
    together = [{**gold, **answer} for gold, answer in zip(golds, answers, strict=True)]
    assert_official("chartqa", together, None, official)
    table = tmp_path / "both.csv"
    with table.open("w", newline="", encoding="utf-8") as stream:
        writer = csv.DictWriter(stream, list(together[0]))
        writer.writeheader()
        writer.writerows(together)
    assert_official("chartqa", table, None, official)
    by_id = [
        {"id": at, "prediction": row["prediction"], "references": [row["label"]], "split": row["split"]}
        for at, row in enumerate(together)
    ]
    assert_official("chartqa", by_id, None, official)


def test_the_real_splits(real_data: Path) -> None:
    folder = real_data / "chartqa"
    expected = read(folder / "expected.json")["results"]
    found, wanted = {}, {}
    for split in SPLITS:
        gold, numbers = folder / f"test_{split}.json", expected[split]
        labels = [row["label"] for row in read(gold)]
        result = fullmarks.score("chartqa", gold, folder / f"predictions_{split}.json")
        each = [record["relaxed_accuracy"] for record in result.per_example]
        found[split] = [result.official, each, fullmarks.score("chartqa", gold, labels).official]
        seeded, of_gold = ({"relaxed_accuracy": numbers[key]} for key in ("seeded_predictions", "gold_as_prediction"))
        wanted[split] = [seeded, list(map(float, numbers["per_question"])), of_gold]
    assert first_difference(found, wanted) is None


def test_order_does_not_matter_where_image_and_question_are_there(golden: Path) -> None:
    golds, answers = read(golden / "test_human.json"), read(golden / "predictions_human.json")
    official = {"relaxed_accuracy": read(golden / "expected.json")["result"]["human"]}
    assert len({(row["imgname"], row["query"]) for row in answers}) < len(answers), "pairs are repeated"
    keyed = sorted(range(len(answers)), key=lambda at: (answers[at]["imgname"], answers[at]["query"]))
    assert_official("chartqa", golds, [answers[at] for at in keyed], official)


def test_nothing_is_paired_blindly(golden: Path) -> None:
    golds, answers = read(golden / "test_human.json"), read(golden / "predictions_human.json")
    texts = [row["prediction"] for row in answers]
    questions = [{"query": row["query"], "prediction": row["prediction"]} for row in answers]
    official = {"relaxed_accuracy": read(golden / "expected.json")["result"]["human"]}
    assert_official("chartqa", golds, texts, official)
    assert_official("chartqa", golds, questions, official)
    assert_official("chartqa", golds, [{"prediction": text} for text in texts], official)
    assert_official("chartqa", golds, {str(at): text for at, text in enumerate(texts)}, official)
    wrong = [
        (texts[1:], "151 predictions for 152 questions"),
        ([{"prediction": text} for text in texts[1:]], "151 predictions for 152 questions. Without imgname and query"),
        (questions[::-1], "record 1: 'query' is .* but that of the question at this place is"),
        (answers[1:], "questions without a prediction: 1"),
        ([*answers, {"imgname": "x.png", "query": "q", "prediction": "1"}], "unknown questions: 1 .*'x.png q'"),
        ([{**answers[0], "prediction": 5}, *answers[1:]], "predictions that are not strings: 1"),
    ]
    for predictions, message in wrong:
        with pytest.raises(FullmarksError, match=message):
            fullmarks.score("chartqa", golds, predictions)
    with pytest.raises(FullmarksError, match="'label' must be a text or a list of texts, found a number"):
        fullmarks.score("chartqa", [{**golds[0], "label": 14}, *golds[1:]], answers)


def test_explanations_show_the_numbers_compared() -> None:
    gold = [{"imgname": "a", "query": "b", "label": "5%"}]
    told = fullmarks.explain("chartqa", gold, ["0.0524"], id=0)
    (row,) = told.tables["references"]
    assert (row["number of the prediction"], row["number of the reference"]) == (0.0524, 0.05)
    assert row["relative change"] == pytest.approx(0.048, abs=1e-12)
    assert told.facts["tolerance"] == 0.05
    assert told.scores == {"relaxed_accuracy": 1.0}


# Results of relaxed_accuracy in lm_eval/tasks/chartqa/utils.py of lm-eval.
@pytest.mark.parametrize(
    ("gold", "response", "score"),
    [
        ("5", "Final Answer: 5", 1.0),
        ("5", "5", 0.0),
        ("5", "FINAL ANSWER: 5", 1.0),
        ("5", "**Final Answer:** **5**", 1.0),
        ("5", "Answer: 7. So the answer: \n\n [5] \n6", 1.0),
        ("5", "Final Answer: 5\nAnswer:", 0.0),
        ("5", "Final Answer:", 0.0),
        ("5%", "The answer: 5", 1.0),
        ("Yes", "Final Answer: yes.", 1.0),
        ("A", "Final Answer: (A) rises", 1.0),
    ],
)
def test_lm_eval_takes_the_announced_answer(gold: str, response: str, score: float) -> None:
    rows = [{"imgname": "a", "query": "q", "label": gold}], [{"imgname": "a", "query": "q", "prediction": response}]
    assert fullmarks.score("chartqa", *rows, variant="lm-eval").official == {"relaxed_accuracy": score}
    told = fullmarks.explain("chartqa", *rows, id=0, variant="lm-eval")
    assert told.scores == {"relaxed_accuracy": score}
    assert told.tables["references"][0]["right"] == bool(score)
