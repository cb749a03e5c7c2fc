"""2WikiMultihopQA against its published programs, against a plain statement of its rules, and odd input."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import fullmarks
from fullmarks.analysis.saved import load_run, save_run
from fullmarks.metrics.joint import NOTHING, joint_scores
from fullmarks.protocols.twowiki.metric import TwowikiScores
from fullmarks.protocols.twowiki.rules import judge, judge_answer
from fullmarks.testing import assert_official
from tests.plain import multihop as plain_multihop_rules
from tests.protocols.multihop_data import ALIASES, multihop

KEYS = ["em", "f1", "prec", "recall"]
QUESTION = {
    "_id": "1",
    "answer": "x",
    "answer_id": "Q1",
    "supporting_facts": [["A", 0]],
    "evidences": [["s", "r", "o"]],
    "evidences_id": [["Q2", "r", None]],
    "type": "comparison",
}
RIGHT = {"answer": {"1": "x"}, "sp": {"1": [["A", 0]]}, "evidence": {"1": [["s", "r", "o"]]}}
NAMES = [
    {"Q_id": "Q1", "aliases": ["ex"], "demonyms": ["Xian"]},
    {"Q_id": "Q2", "aliases": ["S. S."], "demonyms": []},
]


@pytest.mark.parametrize("run", ["plain", "main", "missing", "first_script_without_aliases"])
def test_runs_of_the_published_programs(golden_files: Path, run: str) -> None:
    folder = golden_files / "twowiki"
    expected = json.loads((folder / "expected.json").read_text(encoding="utf-8"))["runs"]
    assert set(expected) == {"plain", "main", "missing", "first_script_without_aliases"}
    told = expected[run]
    options = {"aliases": folder / told["aliases"]} if "aliases" in told else {}
    result = assert_official(
        "twowiki", folder / told["gold"], folder / told["predictions"], told["official"], by="type", **options
    )
    if "unrounded" in told:
        scores = {result.rules.official_names[name]: 100 * value for name, value in result.scores.items()}
        assert scores == pytest.approx(told["unrounded"], rel=1e-12)
    found = {code: finding.count for code, finding in result.audit.findings.items()}
    nothing = found.get("missing-predictions", 0)
    for part, name in (("answer", "answer"), ("sp", "sp fact"), ("evidence", "evidence")):
        assert found.get(f"missing-part:{part}", 0) + nothing == told.get(f"missing_{name}", 0)


def test_every_question_of_the_published_program(golden_files: Path) -> None:
    folder = golden_files / "twowiki"
    wanted = json.loads((folder / "expected.json").read_text(encoding="utf-8"))["per_question"]
    result = fullmarks.score(
        "twowiki", folder / "gold.json", folder / "predictions.json", aliases=folder / "id_aliases.json"
    )
    for record in result.per_example:
        found = [100 * record[name] for name in TwowikiScores().columns]
        assert found == pytest.approx(list(wanted[record["id"]].values()), rel=1e-12)
    assert len(wanted) == result.n


def test_single_cases_of_the_published_program(golden_files: Path) -> None:
    folder = golden_files / "twowiki"
    answers = json.loads((folder / "answers.json").read_text(encoding="utf-8"))["cases"]
    for case in answers:
        wanted = tuple(case[key] for key in KEYS)
        assert judge_answer(case["prediction"], case["golds"]) == pytest.approx(wanted, rel=0, abs=1e-12)
    evidence = json.loads((folder / "evidence.json").read_text(encoding="utf-8"))["cases"]
    for case in evidence:
        # The groups of the file are products; as groups of ours each of their triples stands alone.
        groups = [
            [[subject], relation, [target]] for group in case["gold_groups"] for subject, relation, target in group
        ]
        wanted = tuple(case[f"evi_{key}"] for key in KEYS)
        if len(groups) == len(case["gold_groups"]):
            told = judge(None, [], (None, []), (case["prediction"], groups), with_aliases=True)
            assert told.evidence == pytest.approx(wanted, rel=0, abs=1e-12)
        plainly = plain_multihop_rules.evidence(case["prediction"], case["gold_groups"])
        assert plainly == pytest.approx(wanted, rel=0, abs=1e-12)
    assert len(answers) > 500
    assert len(evidence) > 200


@pytest.mark.parametrize("has_aliases", [False, True])
@pytest.mark.parametrize(
    ("count", "is_hard"),
    [
        (600, False),
        (200, True),
        # 25,000 questions in all, not more, because the plain rule takes 0.2 ms for each.
        pytest.param(10_000, False, marks=pytest.mark.deep),
        pytest.param(2_500, True, marks=pytest.mark.deep),
    ],
)
def test_made_questions_by_the_plain_rules(count: int, is_hard: bool, has_aliases: bool) -> None:
    gold, predictions = multihop(count, seed=7, is_hard=is_hard)
    aliases = [{"Q_id": key, "aliases": names[:1], "demonyms": names[1:]} for key, names in ALIASES.items()]
    options = {"aliases": aliases} if has_aliases else {}
    wanted = plain_multihop_rules.twowiki(gold, predictions, ALIASES if has_aliases else None)
    result = fullmarks.score("twowiki", gold, predictions, **options)
    assert result.official == {key: round(value, 2) for key, value in wanted.items()}
    scores = {result.rules.official_names[name]: value * 100 for name, value in result.scores.items()}
    assert scores == wanted


@pytest.mark.parametrize("count", [300, pytest.param(2_000, marks=pytest.mark.deep)])
def test_the_fast_way_does_what_the_rules_say_of_one_question(count: int) -> None:
    gold, predictions = multihop(count, seed=8, is_hard=True)
    aliases = [{"Q_id": key, "aliases": names, "demonyms": []} for key, names in ALIASES.items()]
    result = fullmarks.score("twowiki", gold, predictions, aliases=aliases)
    for example, record in zip(result.tally.examples, result.per_example, strict=True):
        told = judge(
            example.parts["answer"],
            example.references,
            (example.parts["sp"], example.facts["sp"]),
            (example.parts["evidence"], example.facts["evidence"]),
            with_aliases=True,
        )
        parts = [part or NOTHING for part in told]
        wanted = [value for part in (*parts, joint_scores(parts)) for value in part]
        assert [record[name] for name in TwowikiScores().columns] == wanted


# What 2wikimultihop_evaluate_v1.1.py printed for these (Python 3.11.7, the spec's table of tiny inputs).
TINY: list[tuple[dict[str, Any], dict[str, Any], dict[str, float]]] = [
    ({}, {"answer": {"1": "Xian"}}, {"em": 100.0, "joint_f1": 100.0}),
    ({}, {"sp": {"1": [["a", 0]]}}, {"sp_em": 100.0}),
    ({}, {"sp": {"1": [["A", 0], ["a", 0]]}}, {"sp_em": 100.0, "sp_recall": 100.0}),
    (
        {"supporting_facts": [["A", 0], ["B", 0]]},
        {"sp": {"1": [["A", 0], ["a", 0]]}},
        {"sp_em": 0.0, "sp_f1": 80.0, "sp_prec": 100.0, "sp_recall": 66.67},
    ),
    (
        {},
        {"evidence": {"1": [["s", "r", "o"], ["S. S.", "r", "o"]]}},
        {"evi_em": 0.0, "evi_f1": 133.33, "evi_prec": 100.0, "evi_recall": 200.0, "joint_recall": 200.0},
    ),
    ({"evidences": [], "evidences_id": []}, {"evidence": {"1": []}}, {"evi_em": 100.0, "evi_f1": 0.0}),
    ({}, {"evidence": {}}, {"evi_em": 0.0, "joint_em": 0.0, "em": 100.0}),
]


@pytest.mark.parametrize(("changed", "predicted", "wanted"), TINY)
def test_tiny_inputs(changed: dict[str, Any], predicted: dict[str, Any], wanted: dict[str, float]) -> None:
    result = fullmarks.score("twowiki", [{**QUESTION, **changed}], {**RIGHT, **predicted}, aliases=NAMES)
    assert {key: result.official[key] for key in wanted} == wanted


def test_the_last_line_of_a_repeated_alias_counts() -> None:
    names = [*NAMES, {"Q_id": "Q1", "aliases": ["other"], "demonyms": []}]
    result = fullmarks.score("twowiki", [QUESTION], {**RIGHT, "answer": {"1": "ex"}}, aliases=names)
    assert result.official["em"] == 0.0


def test_answers_alone_give_their_four_keys_and_say_so() -> None:
    result = fullmarks.score("twowiki", [QUESTION], {"1": "Xian"}, aliases=NAMES)
    assert result.official == dict.fromkeys(KEYS, 100.0)
    assert "answers-alone" in result.audit.findings
    assert fullmarks.score("twowiki", [QUESTION], {"1": "Xian"}).official["em"] == 0.0


@pytest.mark.parametrize(
    ("changed", "predicted", "aliases", "message"),
    [
        ({"evidences_id": [["Q2", "r", "o"]] * 2}, {}, NAMES, "there are 2 'evidences_id' for 1 'evidences'"),
        ({"evidences_id": [["Q2", "other", "o"]]}, {}, NAMES, "the relations differ"),
        ({"evidences": [["s", "r"]]}, {}, NAMES, "'evidences' must be a list of triples of texts"),
        ({"supporting_facts": ["A"]}, {}, NAMES, "'supporting_facts' must be a list of lists that begin with a title"),
        ({}, {"sp": {"1": [[0, "A"]]}}, NAMES, "supporting facts that are not lists that begin with a title: 1"),
        ({}, {"evidence": {"1": [["s", "r", None]]}}, NAMES, "predictions whose evidence is not lists of texts: 1"),
        ({}, {"answer": {"1": None}}, NAMES, "predictions whose part 'answer' is not a text: 1"),
        ({}, {}, [{"Q_id": "Q1"}], "'aliases' must be a list of texts"),
        ({}, {}, [{"aliases": []}], "there is no text 'Q_id'"),
        ({}, {}, 3, "expected JSON lines"),
    ],
)
def test_what_the_published_program_crashes_on_is_an_error(
    changed: dict[str, Any], predicted: dict[str, Any], aliases: Any, message: str
) -> None:
    with pytest.raises(fullmarks.FullmarksError, match=message):
        fullmarks.score("twowiki", [{**QUESTION, **changed}], {**RIGHT, **predicted}, aliases=aliases)


def test_keys_that_the_published_program_needs() -> None:
    without = {key: value for key, value in QUESTION.items() if key != "answer_id"}
    with pytest.raises(fullmarks.InputError, match="the field 'answer_id' is missing"):
        fullmarks.score("twowiki", [without], RIGHT, aliases=NAMES)
    assert fullmarks.score("twowiki", [without], RIGHT).official["joint_em"] == 100.0
    with pytest.raises(fullmarks.InputError, match="the part 'evidence' is missing, found 'answer', 'sp'"):
        fullmarks.score("twowiki", [QUESTION], {"answer": RIGHT["answer"], "sp": RIGHT["sp"]})


def test_an_explanation_names_aliases_facts_and_triples() -> None:
    predictions = {**RIGHT, "answer": {"1": "ex"}, "evidence": {"1": [["S. S.", "r", "o"], ["s", "q", "o"]]}}
    told = fullmarks.explain("twowiki", [QUESTION], predictions, id="1", aliases=NAMES)
    assert told.facts["best reference"] == "ex"
    assert told.tables["evidence"] == [
        {"triple": ["s", "q", "o"], "verdict": "extra", "gold": None},
        {"triple": ["s s", "r", "o"], "verdict": "found", "gold": ["s", "r", "o"]},
    ]
    missed = fullmarks.explain("twowiki", [QUESTION], {**RIGHT, "evidence": {"1": []}}, id="1")
    assert missed.tables["evidence"] == [{"triple": None, "verdict": "missed", "gold": ["s", "r", "o"]}]


def test_aliases_are_in_the_signature_and_in_a_saved_run(tmp_path: Path) -> None:
    signatures = {
        fullmarks.score("twowiki", [QUESTION], RIGHT, aliases=names).signature for names in (None, NAMES, NAMES[:1])
    }
    assert len(signatures) == 3
    path = tmp_path / "aliases.json"
    path.write_text("".join(json.dumps(row) + "\n" for row in NAMES))
    result = fullmarks.score("twowiki", [QUESTION], {**RIGHT, "answer": {"1": "ex"}}, aliases=path)
    save_run(result, tmp_path / "run.json")
    path.unlink()
    again = load_run(tmp_path / "run.json")
    assert again.official == result.official
    assert again.rules.explain(again.tally.examples[0]).facts["best reference"] == "ex"


def test_crosscheck_shows_the_answers_without_aliases() -> None:
    told = fullmarks.crosscheck("twowiki", [QUESTION], {**RIGHT, "answer": {"1": "ex"}}, aliases=NAMES)
    scores = {rule.name: rule.scores["exact"] for rule in told.rules}
    assert scores == {"squad1-f1": 1.0, "first-answer": 0.0}


def test_evidence_that_is_not_three_texts_counts_and_matches_nothing() -> None:
    """Both published scripts give these numbers for a pair beside the right triple."""
    predictions = {**RIGHT, "evidence": {"1": [["s", "r", "o"], ["s", "r"]]}}
    for options in ({}, {"aliases": NAMES}):
        result = fullmarks.score("twowiki", [QUESTION], predictions, **options)
        found = {key: result.official[key] for key in ("evi_em", "evi_f1", "evi_prec", "evi_recall", "joint_f1")}
        assert found == {"evi_em": 0.0, "evi_f1": 66.67, "evi_prec": 50.0, "evi_recall": 100.0, "joint_f1": 66.67}
        finding = result.audit.findings["evidence-not-triples"]
        assert (finding.level, finding.first_ids) == ("warning", ["1"])
        told = fullmarks.explain("twowiki", [QUESTION], predictions, id="1", **options)
        assert [row["verdict"] for row in told.tables["evidence"]] == ["extra", "found"]
    with pytest.raises(fullmarks.MismatchError, match="whose evidence is not lists of texts: 1"):
        fullmarks.score("twowiki", [QUESTION], {**RIGHT, "evidence": {"1": ["abc"]}})


def test_half_a_character_in_the_aliases(tmp_path: Path) -> None:
    file = tmp_path / "aliases.json"
    lines = [{"Q_id": "Q1", "aliases": ["\ud800"], "demonyms": []}, {"Q_id": "Q\udfff", "aliases": [], "demonyms": []}]
    file.write_text("".join(json.dumps(line) + "\n" for line in lines))
    result = fullmarks.score("twowiki", [QUESTION], {**RIGHT, "answer": {"1": "\ud800"}}, aliases=file)
    assert result.official["em"] == 100.0  # as the published program
    other = fullmarks.score("twowiki", [QUESTION], RIGHT, aliases=NAMES).signature
    assert "aliases:ebf17597" in other  # as before the digest could hold such characters
    assert result.signature != other


@pytest.mark.parametrize("ids", [5, True, "Q2", {}])
def test_ids_of_evidence_that_are_no_list(ids: Any) -> None:
    with pytest.raises(fullmarks.InputError, match="question '1': 'evidences_id' must be a list, found"):
        fullmarks.score("twowiki", [{**QUESTION, "evidences_id": ids}], RIGHT, aliases=NAMES)
    assert fullmarks.score("twowiki", [{**QUESTION, "evidences_id": ids}], RIGHT).official["evi_em"] == 100.0


def test_ids_that_are_numbers_in_the_gold_alone_are_counted() -> None:
    result = fullmarks.score("twowiki", [{**QUESTION, "_id": 1}], RIGHT)
    assert result.official["joint_em"] == 100.0  # the published program: 0.0 for every key
    assert result.audit.findings["ids-of-another-kind"].first_ids == ["1"]
