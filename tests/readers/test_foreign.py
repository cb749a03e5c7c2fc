"""Files of other evaluation tools are recognised by their shape and give the answers that their fields hold."""

from __future__ import annotations

import gzip
import json

import pytest

import fullmarks
from fullmarks.errors import InputError, MismatchError
from fullmarks.readers.foreign import PERTURBED, WITHOUT_TEXT, foreign_answers
from fullmarks.types import Audit

GOLD = {
    "data": [
        {
            "title": "Towers",
            "paragraphs": [
                {
                    "qas": [
                        {"id": "q1", "answers": [{"text": "Paris"}]},
                        {"id": "q2", "answers": [{"text": "324 metres"}]},
                    ]
                }
            ],
        }
    ]
}


def harness_line(identifier: str, answer: str, **other: object) -> dict[str, object]:
    return {
        "doc_id": 7,
        "doc": {"id": identifier, "question": "?"},
        "target": "x",
        "arguments": {"gen_args_0": {}},
        "resps": [[f" raw {answer}"]],
        "filtered_resps": [answer],
        "filter": "none",
        **other,
    }


HARNESS = [harness_line("q1", "Paris"), harness_line("q2", "324 feet")]
INSPECT = {
    "version": 2,
    "status": "success",
    "eval": {"task": "squad"},
    "plan": {},
    "samples": [
        {"id": "q1", "epoch": 1, "output": {"completion": "Paris", "choices": []}},
        {
            "id": "q2",
            "epoch": 1,
            "output": {
                "choices": [{"message": {"content": [{"type": "reasoning"}, {"type": "text", "text": "324 feet"}]}}]
            },
        },
    ],
}
HELM_PREDICTIONS = [
    {"instance_id": "q1", "predicted_text": "Paris", "train_trial_index": 0, "stats": {}},
    {"instance_id": "q1", "predicted_text": "paris", "perturbation": {"name": "lowercase"}, "stats": {}},
    {"instance_id": "q2", "predicted_text": "324 feet", "train_trial_index": 0, "stats": {}},
]
HELM_STATE = {
    "adapter_spec": {"method": "generation"},
    "request_states": [
        {"instance": {"id": "q1"}, "request": {}, "result": {"completions": [{"text": "Paris"}]}},
        {"instance": {"id": "q2"}, "request": {}, "result": {"completions": [{"text": "324 feet"}]}},
    ],
}
LIGHTEVAL = [
    {"doc": {"id": "q1", "query": "?"}, "model_response": {"text": ["Paris"]}, "metric": {"em": 1}},
    {"doc": {"id": "q2"}, "model_response": {"text": ["hm"], "text_post_processed": ["324 feet"]}, "metric": {}},
]


@pytest.mark.parametrize(
    "document",
    [HARNESS, INSPECT, HELM_PREDICTIONS, HELM_STATE, LIGHTEVAL],
    ids=["lm-eval", "inspect", "helm", "state", "light"],
)
def test_every_format_gives_its_answers(document, tmp_path):
    path = tmp_path / "other.json"
    path.write_text(json.dumps(document, indent=1))
    for predictions in (document, path):
        result = fullmarks.score("squad2", GOLD, predictions)
        assert [record["prediction"] for record in result.per_example] == ["Paris", "324 feet"]
        assert result.official["exact"] == 50.0


@pytest.mark.parametrize("lines", [HARNESS, LIGHTEVAL], ids=["lm-eval", "lighteval"])
@pytest.mark.parametrize("ending", [".jsonl", ".jsonl.gz", ".txt"])
def test_json_lines(lines, ending, tmp_path):
    path = tmp_path / f"samples_squad{ending}"
    data = "".join(json.dumps(line) + "\n" for line in lines).encode()
    path.write_bytes(gzip.compress(data) if ending.endswith(".gz") else data)
    assert fullmarks.score("squad2", GOLD, path).official["exact"] == 50.0


def test_ids_of_the_harness_fall_back_to_its_own_numbers():
    lines = [{"doc_id": 0, "resps": [["a"]]}, {"doc_id": 1, "doc": {"question_id": "tc_3"}, "resps": [["b"]]}]
    assert foreign_answers(lines, "samples", Audit()) == [(0, "a"), ("tc_3", "b")]


def test_harness_without_filtered_text_uses_the_response():
    line = harness_line("q1", "Paris", filtered_resps=[[-1.5, False]])
    assert foreign_answers([line], "samples", Audit()) == [("q1", " raw Paris")]


def test_log_likelihoods_are_no_answers(tmp_path):
    path = tmp_path / "samples_boolq.jsonl"
    path.write_text(
        json.dumps({"doc_id": 0, "resps": [[[-0.3, True]], [[-2.0, False]]], "filtered_resps": [[-0.3, True]]})
    )
    with pytest.raises(InputError, match=r"none of them holds a text.*log-likelihoods"):
        fullmarks.score("squad2", GOLD, path)


def test_log_without_samples():
    with pytest.raises(InputError, match="Inspect log holds no samples"):
        fullmarks.score("squad2", GOLD, {"version": 2, "status": "success", "eval": {}, "plan": {}})


def test_sample_that_ended_in_an_error_counts_as_missing():
    log = {"eval": {}, "samples": [INSPECT["samples"][0], {"id": "q2", "error": {"message": "timeout"}}]}
    with pytest.raises(MismatchError, match="questions without a prediction"):
        fullmarks.score("squad2", GOLD, log)
    result = fullmarks.score("squad2", GOLD, log, on_missing="zero")
    assert result.official["exact"] == 50.0
    assert result.audit.findings[WITHOUT_TEXT].first_ids == ["q2"]


def test_perturbed_copies_are_counted():
    audit = Audit()
    foreign_answers(HELM_PREDICTIONS, "helm", audit)
    assert audit.findings[PERTURBED].count == 1


def test_several_answers_to_a_question_need_a_rule():
    twice = [*HARNESS, harness_line("q2", "324 metres", filter="strict")]
    with pytest.raises(MismatchError, match="repeated id"):
        fullmarks.score("squad2", GOLD, twice)
    assert fullmarks.score("squad2", GOLD, twice, on_duplicate="last").official["exact"] == 100.0


@pytest.mark.parametrize(
    "document",
    [{"q1": "Paris"}, {"samples": "text", "q1": "x"}, [{"id": "q1", "prediction": "x"}], ["Paris"], [], {}, None, "x"],
)
def test_our_own_formats_are_not_taken_for_others(document):
    assert foreign_answers(document, "predictions", Audit()) is None


def test_damaged_record():
    with pytest.raises(InputError, match="record 2: expected a HELM sample, found a number"):
        foreign_answers([HELM_PREDICTIONS[0], 3], "helm", Audit())
