"""Files of other evaluation tools are recognised by their shape and give the answers that their fields hold."""

from __future__ import annotations

import gzip
import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import fullmarks
from fullmarks.analysis.compact_json import compact_json
from fullmarks.errors import FullmarksError, InputError, MismatchError
from fullmarks.readers.alignment import MISSING
from fullmarks.readers.documents import parse_json
from fullmarks.readers.logs.findings import FAILED_RUN, PERTURBED, WITHOUT_TEXT
from fullmarks.readers.logs.log import log_of_document
from fullmarks.readers.predictions import FAILED, LogOptions
from fullmarks.types import Audit


def foreign_answers(document, name, audit, *, allow_failed=False):
    log = log_of_document(document, name)
    return None if log is None else list(log.answers(audit, LogOptions(allow_failed)))


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
        "resps": [[answer]],
        "filtered_resps": [f"filtered {answer}"],
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


def test_harness_without_a_response_uses_the_filtered_text():
    line = harness_line("q1", "Paris", resps=[[-1.5, False]])
    assert foreign_answers([line], "samples", Audit()) == [("q1", "filtered Paris")]


def solution(number: int, gold: str, text: str, name: str, filtered: str) -> dict[str, object]:
    """A sample of the harness's task gsm8k."""
    document = {"question": f"How many are {number}?", "answer": f"Counting.\n#### {gold}"}
    return harness_line("", text, doc_id=number, doc=document, filtered_resps=[filtered], filter=name, target=gold)


SOLUTIONS = [("18", "So 9 + 9.\n#### 18"), ("3", "#### 4"), ("70000", "It is 70,000.\n#### 70,000"), ("5", "five")]
FILTERED = {
    "strict-match": ["18", "4", "70,000", "[invalid]"],
    "flexible-extract": ["18", "4", "70,000", "[invalid]"],
}
GSM8K_LOG = [
    solution(at, gold, text, name, texts[at])
    for name, texts in FILTERED.items()
    for at, (gold, text) in enumerate(SOLUTIONS)
]
GSM8K_GOLD = [{"question": "?", "answer": f"#### {gold}"} for gold, _ in SOLUTIONS]


def as_lines(path, records):
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return str(path)


def test_gsm8k_log_has_the_number_of_its_texts(tmp_path):
    log, gold = as_lines(tmp_path / "samples_gsm8k.jsonl", GSM8K_LOG), as_lines(tmp_path / "gold.jsonl", GSM8K_GOLD)
    table = as_lines(
        tmp_path / "table.jsonl", [{"id": at, "prediction": text} for at, (_, text) in enumerate(SOLUTIONS)]
    )
    for variant in ("script", "strict-match", "flexible-extract"):
        expected = fullmarks.score("gsm8k", gold, table, variant=variant)
        assert fullmarks.score("gsm8k", gold, log, variant=variant).official == expected.official
    assert expected.official["exact_match"] == 0.5
    assert fullmarks.import_logs(log).columns()[3:5] == ["question", "answer"]
    found = fullmarks.score("gsm8k", gold, log, variant="flexible-extract", only={"filter": "flexible-extract"})
    assert found.official["exact_match"] == 0.5


def test_no_readable_prediction_is_an_error(tmp_path):
    log, gold = as_lines(tmp_path / "samples_gsm8k.jsonl", GSM8K_LOG), as_lines(tmp_path / "gold.jsonl", GSM8K_GOLD)
    with pytest.raises(MismatchError, match=r"looked for: 4 .*that is all of them.*See whether another --variant"):
        fullmarks.score("gsm8k", gold, log, only={"filter": "strict-match"})
    texts = list(FILTERED["strict-match"])
    assert fullmarks.score("gsm8k", gold, texts).official["accuracy"] == 0.0  # Python code is only warned


def test_gsm8k_log_of_real_solutions(real_data, tmp_path):
    lines = (real_data / "gsm8k" / "compact" / "predictions_175b_verification.jsonl").read_text().splitlines()
    answers = [json.loads(line) for line in lines]
    golds = (real_data / "gsm8k" / "test.jsonl").read_text().splitlines()
    samples = [
        {"doc_id": at, "doc": json.loads(golds[at]), "target": "?", "resps": [[answer["prediction"]]],
         "filtered_resps": [answer["prediction"].rpartition("#### ")[2]], "filter": name}
        for name in ("strict-match", "flexible-extract")
        for at, answer in enumerate(answers)
    ]  # fmt: skip
    log = as_lines(tmp_path / "samples_gsm8k.jsonl", samples)
    found = fullmarks.score("gsm8k", real_data / "gsm8k" / "test.jsonl", log).official
    assert (found["correct"], found["total"]) == (742, 1319)
    assert round(found["accuracy"], 4) == 0.5625


@pytest.mark.parametrize("target", ["", "[]", [], [""]])
def test_an_empty_target_is_no_reference(target):
    log = {
        **INSPECT,
        "samples": [
            {"id": "q1", "target": "Paris", "output": {"completion": "Paris"}},
            {"id": "q2", "target": target, "output": {"completion": ""}},
        ],
    }
    harness = [harness_line("q1", "Paris", target="Paris"), harness_line("q2", "", target=target)]
    for document in (log, harness):
        result = fullmarks.score("squad2", document)
        assert (result.official["HasAns_total"], result.official["NoAns_total"]) == (1, 1)
        assert result.official["exact"] == 100.0
        assert result.audit.findings["targets-without-answer"].count == 1


def test_the_harness_own_word_for_no_answer():
    """The task squadv2 writes one answer of several as target, and a word where there is none."""

    def sample(identifier, said, answers):
        document = {
            "id": identifier,
            "question": "?",
            "title": "Rivers",
            "answers": {"text": answers, "answer_start": []},
        }
        target = f" {answers[0] if answers else 'unanswerable'}"
        return harness_line(identifier, said, doc=document, target=target)

    samples = [
        sample("a", " Danube", ["the river", "the Danube"]),
        sample("b", " unanswerable", []),
        sample("c", " Rhine", []),
        sample("d", "Unanswerable.", ["Elbe"]),
    ]
    result = fullmarks.score("squad2", samples, by="title")
    rows = [("a", "Danube", ["the river", "the Danube"]), ("b", "", []), ("c", "Rhine", []), ("d", "", ["Elbe"])]
    table = [{"id": each, "prediction": said, "references": golds} for each, said, golds in rows]
    assert result.official == fullmarks.score("squad2", table).official
    assert result.audit.findings["answers-that-say-none"].count == 1
    gold = {"data": [{"title": "", "paragraphs": [{"qas": [
        {"id": each, "answers": [{"text": text} for text in golds]} for each, _, golds in rows]}]}]}  # fmt: skip
    assert fullmarks.score("squad2", gold, samples).official == result.official


# The harness writes every number of a response as a string: lm_eval/utils.py, sanitize_list (0.4.9).
WEIGHED = {"gen_args_0": {"arg_0": "Is it?", "arg_1": " yes"}, "gen_args_1": {"arg_0": "Is it?", "arg_1": " no"}}
WEIGHTS = [
    {"resps": [[[-0.3, True]], [[-2.0, False]]], "filtered_resps": [[-0.3, True], [-2.0, False]]},
    {"resps": [[["-0.3", "True"]], [["-2.0", "False"]]], "filtered_resps": [["-0.3", "True"], ["-2.0", "False"]]},
    {"resps": [[["-inf", "False"]]], "filtered_resps": [["-inf", "False"]], "arguments": WEIGHED},
    {"resps": [["-31.5"]], "filtered_resps": ["-31.5"], "arguments": {"gen_args_0": {"arg_0": "A whole page."}}},
    {"resps": [[-31.5]], "filtered_resps": [-31.5], "arguments": {"gen_args_0": {"arg_0": "A whole page."}}},
]


@pytest.mark.parametrize("weights", WEIGHTS, ids=["raw", "strings", "infinite", "rolling", "raw rolling"])
def test_log_likelihoods_are_no_answers(weights, tmp_path):
    path = tmp_path / "samples_boolq.jsonl"
    path.write_text(json.dumps({"doc_id": 0, **weights}))
    with pytest.raises(InputError, match=r"none of them holds a text.*log-likelihoods"):
        fullmarks.score("squad2", GOLD, path)


@pytest.mark.parametrize(
    ("sample", "text"),
    [
        ({"resps": [["Paris"], [["-5.1", "False"]]], "filtered_resps": ["Paris", ["-5.1", "False"]]}, "Paris"),
        ({"resps": [["42"]], "filtered_resps": ["42"]}, "42"),
        ({"resps": [["42", "True"]]}, "42"),
        ({"resps": [["-1.5"]], "filtered_resps": [["-1.5"]]}, "-1.5"),
        ({"resps": [["True"]], "filtered_resps": ["True"]}, "True"),
    ],
    ids=["both", "number", "two answers", "negative", "boolean"],
)
def test_generated_numbers_are_answers(sample, text):
    asked = {"gen_args_0": {"arg_0": "Question: ?", "arg_1": {"until": ["."]}}}
    assert foreign_answers([{"doc_id": 0, "arguments": asked, **sample}], "samples", Audit()) == [(0, text)]


def test_a_number_alone_is_an_answer_where_nothing_says_otherwise():
    assert foreign_answers([{"doc_id": 0, "resps": [["42"]]}], "samples", Audit()) == [(0, "42")]


@pytest.mark.parametrize("content", [json.dumps(HARNESS[0]), json.dumps(HARNESS[0], indent=1)], ids=["line", "lines"])
def test_a_single_sample(content, tmp_path):
    path = tmp_path / "samples.json"
    path.write_text(content)
    result = fullmarks.score("squad2", GOLD, path, on_missing="zero")
    assert [record["prediction"] for record in result.per_example] == ["Paris", ""]


def test_log_without_samples():
    with pytest.raises(InputError, match="Inspect log holds no samples"):
        fullmarks.score("squad2", GOLD, {"version": 2, "status": "success", "eval": {}, "plan": {}})


def test_sample_without_a_text_counts_as_missing():
    log = {"eval": {}, "samples": [INSPECT["samples"][0], {"id": "q2", "error": None, "output": {}}]}
    with pytest.raises(MismatchError, match="questions without a prediction"):
        fullmarks.score("squad2", GOLD, log)
    result = fullmarks.score("squad2", GOLD, log, on_missing="zero")
    assert result.official["exact"] == 50.0
    assert result.audit.findings[WITHOUT_TEXT.code].first_ids == ["q2"]


def test_perturbed_copies_are_counted():
    audit = Audit()
    foreign_answers(HELM_PREDICTIONS, "helm", audit)
    assert audit.findings[PERTURBED.code].count == 1


@pytest.mark.parametrize(
    "document",
    [
        [HELM_PREDICTIONS[1]],
        {
            "adapter_spec": {},
            "request_states": [
                {
                    "instance": {"id": "q1", "perturbation": {"name": "typos"}},
                    "result": {"completions": [{"text": "Paris"}]},
                }
            ],
        },
    ],
    ids=["predictions", "state"],
)
def test_nothing_but_perturbed_copies(document):
    with pytest.raises(InputError, match="all of them are perturbed copies"):
        foreign_answers(document, "helm", Audit())


def test_several_answers_to_a_question_need_a_rule():
    twice = [*HARNESS, harness_line("q2", "324 metres")]
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


@pytest.mark.parametrize("found", [{"text": "Paris"}, "Paris", 3, True, None, [], [None], ["Paris"], [[]]])
def test_places_of_another_kind_hold_no_text(found):
    for document in (
        {"eval": {}, "samples": [{"id": "q1", "output": {"choices": found}}]},
        {"eval": {}, "samples": [{"id": "q1", "output": {"choices": [{"message": {"content": [found]}}]}}]},
        {"adapter_spec": {}, "request_states": [{"instance": {"id": "q1"}, "result": {"completions": found}}]},
    ):
        audit = Audit()
        with pytest.raises(InputError, match="none of them holds a text"):
            foreign_answers(document, "log", audit)
        assert audit.findings[WITHOUT_TEXT.code].first_ids == ["q1"]


FIELDS = """
doc_id doc resps filtered_resps arguments gen_args_0 gen_args_1 arg_0 arg_1 model_response text text_post_processed
target metrics filter choices gold_index logprobs metric scores value metadata input role references tags mapped_output
output_mapping train_trial_index epoch index question prediction answer A B hit stats split
instance_id predicted_text perturbation adapter_spec request_states instance result completions
eval plan status samples output choices completion message content type id question_id
"""
NAMES = st.sampled_from(FIELDS.split())
ANY_JSON = st.recursive(
    st.sampled_from([None, True, 0, 7, -1.5, 10**400, "", "text", "Paris", "-1.5", "True"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=4),
    max_leaves=12,
)


def some(*required, **parts):
    """An object with these entries, some of them of roughly the right shape, and with others."""
    fixed = {**dict.fromkeys(required, ANY_JSON), **{name: part | ANY_JSON for name, part in parts.items()}}
    return st.builds(
        lambda others, entries: {**others, **entries},
        st.dictionaries(NAMES, ANY_JSON, max_size=3),
        st.fixed_dictionaries(fixed),
    )


SAMPLE = st.one_of(
    some("doc_id", "resps"),
    some("doc_id", "filtered_resps", arguments=some(gen_args_0=some("arg_0"))),
    some("doc", model_response=some("text")),
    some("instance_id", "predicted_text"),
    some("index", "question", "prediction"),
    some("doc_id", "filtered_resps", "input"),
    some("id", output=some("choices")),
    some("id", output=some(choices=st.lists(some(message=some("content"))))),
    some("instance", result=some("completions")),
)
SAMPLES = st.lists(SAMPLE | ANY_JSON, max_size=3)
DOCUMENT = st.one_of(
    SAMPLE,
    SAMPLES,
    st.builds(lambda samples: {"eval": {}, "plan": {}, "status": "", "samples": samples}, SAMPLES | ANY_JSON),
    st.builds(lambda states: {"adapter_spec": {}, "request_states": states}, SAMPLES | ANY_JSON),
)


def assert_answers_or_an_error_of_ours(document):
    outcomes = []
    for form in (document, parse_json(json.dumps(document).encode(), "file", pairs=True)):
        try:
            outcomes.append(foreign_answers(form, "file", Audit()))
        except FullmarksError as error:
            outcomes.append(str(error))
    assert outcomes[0] == outcomes[1]
    if isinstance(outcomes[0], list):
        assert all(isinstance(text, str) for _, text in outcomes[0])
        records = list(log_of_document(document, "file").records(Audit(), LogOptions(allow_failed=True)))
        assert [(record["id"], record["prediction"]) for record in records] == outcomes[0]
        for record in records:
            assert all(isinstance(text, str) for text in record.get("references", ()))
            json.loads(compact_json(record))


@settings(max_examples=50, deadline=None)
@given(document=DOCUMENT)
def test_roughly_the_right_shape_gives_answers_or_an_error_of_ours(document):
    assert_answers_or_an_error_of_ours(document)


@pytest.mark.deep
@settings(max_examples=400, deadline=None)
@given(document=DOCUMENT)
def test_anything_of_roughly_the_right_shape_gives_answers_or_an_error_of_ours(document):
    assert_answers_or_an_error_of_ours(document)


def test_deep_nesting_in_a_sample(tmp_path):
    path = tmp_path / "samples.jsonl"
    path.write_text(
        json.dumps(harness_line("q1", "Paris")) + "\n" + '{"doc_id": 1, "resps": ' + "[" * 900 + "]" * 900 + "}"
    )
    assert fullmarks.score("squad2", GOLD, path, on_missing="zero").official["exact"] == 50.0


def failed_sample(identifier: str, **other: object) -> dict[str, object]:
    return {"id": identifier, "error": {"message": "rate limit\nline two", "traceback": "..."}, **other}


FAILED_SAMPLES = {
    "inspect": {**INSPECT, "samples": [INSPECT["samples"][0], failed_sample("q2", output={"completion": ""})]},
    "inspect with text": {
        **INSPECT,
        "samples": [INSPECT["samples"][0], failed_sample("q2", output={"completion": "324 metres"})],
    },
    "inspect invalidated": {
        **INSPECT,
        "samples": [INSPECT["samples"][0], {**INSPECT["samples"][1], "invalidation": {"reason": "rate limit"}}],
    },
    "helm": {
        **HELM_STATE,
        "request_states": [
            HELM_STATE["request_states"][0],
            {
                "instance": {"id": "q2"},
                "result": {"success": False, "error": "rate limit", "completions": [{"text": ""}]},
            },
        ],
    },
}


@pytest.mark.parametrize("document", FAILED_SAMPLES.values(), ids=FAILED_SAMPLES)
def test_failed_samples_are_missing_predictions(document, tmp_path):
    path = tmp_path / "log.json"
    path.write_text(json.dumps(document))
    with pytest.raises(MismatchError, match=r"without a prediction: 1 \(first ids: 'q2'\).*failed in another tool: 1"):
        fullmarks.score("squad2", GOLD, path)
    result = fullmarks.score("squad2", GOLD, path, on_missing="zero")
    assert result.official["exact"] == 50.0
    assert result.audit.findings[MISSING.code].first_ids == ["q2"]
    assert result.audit.findings[FAILED.code].first_ids == ["q2"]
    assert result.audit.findings[FAILED.code].detail == "the first: rate limit"
    assert result.audit.findings[FAILED.code].level == "warning"
    assert fullmarks.score("squad2", GOLD, path, on_missing="skip").official["total"] == 1


@pytest.mark.parametrize("status", ["error", "cancelled", "started"])
def test_a_run_that_did_not_succeed_is_refused(status):
    log = {**INSPECT, "status": status}
    with pytest.raises(InputError, match=rf"did not succeed: its status is '{status}'.*--allow-failed"):
        fullmarks.score("squad2", GOLD, log)
    result = fullmarks.score("squad2", GOLD, log, allow_failed=True)
    assert result.official["exact"] == 50.0
    assert result.audit.findings[FAILED_RUN.code].count == 1
    assert "|failed:allowed|" in result.signature
    assert "failed:" not in fullmarks.score("squad2", GOLD, INSPECT, allow_failed=False).signature


def test_a_run_whose_samples_all_failed_has_no_score():
    log = {**INSPECT, "status": "error", "samples": [failed_sample("q1"), failed_sample("q2")]}
    with pytest.raises(InputError, match="did not succeed"):
        fullmarks.score("squad2", GOLD, log, on_missing="zero")
    with pytest.raises(InputError, match=r"all 2 failed; the first: rate limit\. Run it again"):
        fullmarks.score("squad2", GOLD, log, on_missing="zero", allow_failed=True)


def test_protocols_without_logs_do_not_offer_to_take_failed_ones():
    with pytest.raises(FullmarksError, match="webqa reads no logs"):
        fullmarks.score("webqa", [], [], allow_failed=True)


@pytest.mark.parametrize("name", ["answers", "references", "reference"])
def test_a_table_with_a_column_of_references_is_no_log(name, tmp_path):
    path = tmp_path / "table.jsonl"
    path.write_text(json.dumps({"index": 7, "question": "?", "prediction": "a", "answer": "b", name: ["a"]}))
    result = fullmarks.score("qa", path)
    assert result.official["ExactMatch"] == 1.0
    assert result.per_example[0]["id"] == 1


def test_a_gold_file_is_not_parsed_twice_because_of_its_words(tmp_path, monkeypatch):
    """Only fields tell a log, not words such as medieval in a text."""
    from fullmarks.readers.documents import may_be_log
    from fullmarks.readers.source import Source

    path = tmp_path / "gold.json"
    path.write_text(json.dumps({"data": [{"title": "medieval index", "paragraphs": []}]}))
    assert not may_be_log(Source(path, "gold"))
    path.write_text(json.dumps(INSPECT))
    assert may_be_log(Source(path, "gold"))
