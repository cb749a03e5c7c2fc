"""The cases of HotpotQA, 2WikiMultihopQA and MuSiQue."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.whole.card_rows.checking import (
    LIST_GOLD,
    NUMBER_AND_TEXT,
    RAW_TAB,
    Case,
    all_refused,
    file,
    gives,
    lines,
    met_by_text,
    refused,
    scored,
)

HOP = {"_id": "1", "answer": "x", "supporting_facts": [["A", 0]]}
HOPPED = {"answer": {"1": "x"}, "sp": {"1": [["A", 0]]}}
FOUR = ["em", "f1", "prec", "recall"]
WIKI = {**HOP, "answer_id": "Q1", "evidences": [["s", "r", "o"]], "evidences_id": [["Q2", "r", "Q3"]]}
WIKED = {**HOPPED, "evidence": {"1": [["s", "r", "o"]]}}
NAMES = [
    {"Q_id": "Q1", "aliases": ["ex"], "demonyms": []},
    {"Q_id": "Q2", "aliases": ["es"], "demonyms": []},
]


def missing_parts(benchmark: str, gold: dict[str, Any], right: dict[str, Any]) -> Case:
    def case(folder: Path) -> None:
        full = 100.0 if benchmark == "twowiki" else 1.0
        for part in right:
            given = {**right, part: {"z": right[part]["1"]}}
            key = {"answer": "em", "sp": "sp_em", "evidence": "evi_em"}[part]
            wanted = {each: full for each in ("em", "sp_em") if each != key} | {key: 0.0, "joint_em": 0.0}
            scored(benchmark, [gold], given, wanted=wanted, warning=f"missing-part:{part}")

    return case


def answers_alone(benchmark: str, gold: dict[str, Any], right: dict[str, Any]) -> Case:
    def case(folder: Path) -> None:
        for given in (right["answer"], {"answer": right["answer"]}):
            result = scored(benchmark, [gold], given, wanted={}, warning="answers-alone")
            assert list(result.official) == FOUR

    return case


def empty_parts(folder: Path) -> None:
    for part, key in (("answer", "em"), ("sp", "sp_em")):
        wanted = {key: 0.0, "joint_em": 0.0}
        scored("hotpotqa", [HOP], {**HOPPED, part: {}}, wanted=wanted, warning=f"missing-part:{part}")


def unknown_hops(benchmark: str, gold: dict[str, Any], right: dict[str, Any]) -> Case:
    def case(folder: Path) -> None:
        given = {part: {**values, "z": values["1"]} for part, values in right.items()}
        joint = {"joint_em": 100.0 if benchmark == "twowiki" else 1.0}
        scored(benchmark, [gold], given, wanted=joint, warning="unknown-predictions")
        refused("predictions for unknown questions: 1", benchmark, [gold], given, strict=True)

    return case


def repeated_hops(benchmark: str, gold: dict[str, Any], right: dict[str, Any]) -> Case:
    def case(folder: Path) -> None:
        text = json.dumps(right).replace('"answer": {"1": "x"}', '"answer": {"1": "y", "1": "x"}')
        predictions, full = file(folder, "p.json", text), 100.0 if benchmark == "twowiki" else 1.0
        scored(benchmark, [gold], predictions, wanted={"em": full}, warning="repeated-predictions")
        wanted = {"em": 0.0}
        scored(benchmark, [gold], predictions, wanted=wanted, warning="repeated-predictions", on_duplicate="first")

    return case


def twice_hops(benchmark: str, gold: dict[str, Any], right: dict[str, Any]) -> Case:
    def case(folder: Path) -> None:
        half = 50.0 if benchmark == "twowiki" else 0.5
        both = [gold, {**gold, "answer": "y"}]
        scored(benchmark, both, right, wanted={"em": half}, warning="repeated-questions")

    return case


def wrong_kinds_of_hotpotqa(folder: Path) -> None:
    for part, odd, words in (("answer", 5, "a text"), ("sp", "text", "a list")):
        wrong = {**HOPPED, part: {"1": odd}}
        refused(rf"part '{part}' is not {words}: 1 \(first ids: '1'\)", "hotpotqa", [HOP], wrong)
        other = {**HOPPED, part: {**HOPPED[part], "z": odd}}
        scored("hotpotqa", [HOP], other, wanted={"joint_em": 1.0}, warning="unknown-predictions")


def raw_tab(benchmark: str, gold: dict[str, Any], right: dict[str, Any]) -> Case:
    def case(folder: Path) -> None:
        for sign in ("\t", "\n"):
            text = json.dumps(right).replace('"x"', f'"x{sign}"')
            refused("not valid JSON", benchmark, [gold], file(folder, "predictions.json", text))

    return case


def nothing_in_common(benchmark: str, gold: dict[str, Any], right: dict[str, Any]) -> Case:
    other = {part: {"z": values["1"]} for part, values in right.items()}
    return all_refused(
        ("there is no prediction in it", benchmark, [gold], {part: {} for part in right}),
        ("not one of them for any question", benchmark, [gold], other),
        ("there is no question in it", benchmark, [], right),
    )


def ids_that_do_not_belong(folder: Path) -> None:
    without = {name: value for name, value in WIKI.items() if name != "answer_id"}
    for gold, match in (
        (without, "answer_id"),
        ({**WIKI, "evidences_id": 5}, "question '1': 'evidences_id' must be a list, found a number"),
        ({**WIKI, "evidences_id": [["Q2", "r", "Q3"]] * 2}, "question '1': there are 2 'evidences_id' for 1"),
        ({**WIKI, "evidences_id": [["Q2", "q", "Q3"]]}, "question '1': .* the relations differ"),
    ):
        refused(match, "twowiki", [gold], WIKED, aliases=NAMES)


def without_ids_of_evidence(folder: Path) -> None:
    by_alias = {**WIKED, "evidence": {"1": [["es", "r", "o"]]}}
    scored("twowiki", [WIKI], by_alias, wanted={"evi_em": 100.0}, aliases=NAMES)
    left_out = {name: value for name, value in WIKI.items() if name != "evidences_id"}
    for gold in ({**WIKI, "evidences_id": None}, left_out):
        scored("twowiki", [gold], by_alias, wanted={"evi_em": 0.0}, aliases=NAMES)
        scored("twowiki", [gold], WIKED, wanted={"evi_em": 100.0}, aliases=NAMES)


def list_as_answer_id(folder: Path) -> None:
    by_alias = {**WIKED, "answer": {"1": "ex"}}
    scored("twowiki", [WIKI], by_alias, wanted={"em": 100.0}, aliases=NAMES)
    scored("twowiki", [{**WIKI, "answer_id": ["Q1"]}], by_alias, wanted={"em": 0.0}, aliases=NAMES)


def evidence(*items: Any) -> dict[str, Any]:
    return {**WIKED, "evidence": {"1": list(items)}}


def not_three_texts(folder: Path) -> None:
    for odd in (["s", "r"], ["s", "r", "o", "o"], []):
        for options in ({}, {"aliases": NAMES}):
            given, wanted = evidence(["s", "r", "o"], odd), {"evi_f1": 66.67, "evi_prec": 50.0, "evi_recall": 100.0}
            scored("twowiki", [WIKI], given, wanted=wanted, warning="evidence-not-triples", **options)


def list_gold(benchmark: str, gold: dict[str, Any], right: Any, wanted: dict[str, Any]) -> Case:
    return gives(benchmark, [{**gold, "answer": ["y", "x"]}], right, wanted=wanted)


def refused_evidence(*items: Any) -> Case:
    def case(folder: Path) -> None:
        for item in items:
            for options in ({}, {"aliases": NAMES}):
                match = r"whose evidence is not lists of texts: 1 \(first ids: '1'\)"
                refused(match, "twowiki", [WIKI], evidence(item), **options)

    return case


HOPS = {
    "hotpotqa": {
        "a question without an answer or without facts": missing_parts("hotpotqa", HOP, HOPPED),
        "`{id: text}`, or no `sp` in the file": answers_alone("hotpotqa", HOP, HOPPED),
        "`sp` or `answer` there, but as an empty object": empty_parts,
        "facts in the file, but no `answer`": all_refused(
            ("the part 'answer' is missing", "hotpotqa", [HOP], {"sp": HOPPED["sp"]})
        ),
        "predictions for unknown questions": unknown_hops("hotpotqa", HOP, HOPPED),
        "a key twice in the predictions": repeated_hops("hotpotqa", HOP, HOPPED),
        "a question twice in the gold": twice_hops("hotpotqa", HOP, HOPPED),
        "facts predicted, gold without `supporting_facts`": all_refused(
            ("has no 'supporting_facts', but some are predicted", "hotpotqa", [{"_id": "1", "answer": "x"}], HOPPED)
        ),
        "an answer that is no text, facts that are no lists": wrong_kinds_of_hotpotqa,
        NUMBER_AND_TEXT: met_by_text("hotpotqa", [{**HOP, "_id": 1}], HOPPED, {"joint_em": 1.0}),
        LIST_GOLD: list_gold("hotpotqa", HOP, HOPPED, {"em": 1.0}),
        RAW_TAB: raw_tab("hotpotqa", HOP, HOPPED),
        "nothing predicted at all, no id in common, no gold": nothing_in_common("hotpotqa", HOP, HOPPED),
    },
    "twowiki": {
        "a question without one of the parts": missing_parts("twowiki", WIKI, WIKED),
        "`{id: text}`, or `answer` as the only key": answers_alone("twowiki", WIKI, WIKED),
        "one of the other keys left out": all_refused(
            ("the part 'evidence' is missing", "twowiki", [WIKI], HOPPED),
            ("the part 'answer' is missing", "twowiki", [WIKI], {"sp": {}, "evidence": {}}),
        ),
        "predictions for unknown questions": unknown_hops("twowiki", WIKI, WIKED),
        "a key twice in the predictions": repeated_hops("twowiki", WIKI, WIKED),
        "a question twice in the gold": twice_hops("twowiki", WIKI, WIKED),
        "with aliases: no `answer_id`; `evidences_id` that are no list or do not belong to the `evidences`": (
            ids_that_do_not_belong
        ),
        "with aliases: `evidences_id` that are null or left out": without_ids_of_evidence,
        "with aliases: an `answer_id` that is a list": list_as_answer_id,
        "facts without a title": all_refused(
            (r"begin with a title: 1 \(first ids: '1'\)", "twowiki", [WIKI], {**WIKED, "sp": {"1": [[0, "A"]]}})
        ),
        "predicted evidence with fewer or more than three texts": not_three_texts,
        "predicted evidence that is a text instead of a list": refused_evidence("abc"),
        "predicted evidence that holds null, a number or a list": refused_evidence(
            ["s", None, "o"], ["s", 5, "o"], ["s", "r", ["o"]]
        ),
        NUMBER_AND_TEXT: met_by_text("twowiki", [{**WIKI, "_id": 1}], WIKED, {"joint_em": 100.0}),
        LIST_GOLD: list_gold("twowiki", WIKI, WIKED, {"em": 100.0}),
        RAW_TAB: raw_tab("twowiki", WIKI, WIKED),
        "nothing predicted at all, no id in common, no gold": nothing_in_common("twowiki", WIKI, WIKED),
    },
}


def muse(identifier: Any = "a", answerable: Any = True, answer: Any = "x") -> dict[str, Any]:
    paragraphs = [{"idx": number, "is_supporting": number in (1, 2)} for number in range(4)]
    whole = {"id": identifier, "answer": answer, "answer_aliases": [], "answerable": answerable}
    return {**whole, "paragraphs": paragraphs}


def mused(identifier: Any = "a", answer: Any = "x", support: Any = (1, 2), said: Any = True) -> dict[str, Any]:
    support = list(support) if isinstance(support, tuple) else support
    whole = {"id": identifier, "predicted_answer": answer, "predicted_support_idxs": support}
    return {**whole, "predicted_answerable": said}


MUSE_RIGHT = {"answer_f1": 1.0, "answer_em": 1.0, "support_f1": 1.0}


def lines_of_musique(folder: Path) -> None:
    gold, one = [muse("a"), muse("b")], [mused("a")]
    refused("questions without a prediction: 1", "musique", gold, one)
    half = {"answer_f1": 0.5}
    scored("musique", gold, one, wanted=half, warning="missing-predictions", on_missing="zero")
    scored("musique", gold, one, wanted=MUSE_RIGHT, warning="missing-predictions", on_missing="skip")
    more = [mused("a"), mused("b"), mused("c")]
    refused("predictions for unknown questions: 1", "musique", gold, more)
    scored("musique", gold, more, wanted=MUSE_RIGHT, warning="unknown-predictions", strict=False)


def alone_in_musique(folder: Path) -> None:
    result = scored("musique", [muse()], {"a": "x"}, wanted={}, warning="answers-alone")
    assert result.official == {"answer_f1": 1.0, "answer_em": 1.0}


def wrong_support(folder: Path) -> None:
    for support in (1, None, ["x"], "1,2"):
        match = r"that are not lists of numbers: 1 \(first ids: 'a'\)"
        refused(match, "musique", [muse()], [mused(support=support)])


def text_as_support(folder: Path) -> None:
    for support in ("12", {"1": 0, "2": 0}):
        scored("musique", [muse()], [mused(support=support)], wanted=MUSE_RIGHT, warning="support-not-lists")


def odd_ids_of_musique(folder: Path) -> None:
    for odd in (None, 1.0):
        refused("'id' must be a string or a whole number", "musique", [muse(odd)], [mused(odd)])


def carriage_returns(folder: Path) -> None:
    gold = file(folder, "gold.jsonl", (lines(muse("a")) + lines(muse("b"))).replace("\n", "\r"))
    predictions = file(folder, "p.jsonl", lines(mused("a"), mused("b")))
    refused("not valid JSON", "musique", gold, predictions)


def half_a_pair(folder: Path) -> None:
    gold = [muse("a"), muse("a", answerable=False), muse("b"), muse("b", answerable=False)]
    rows = [mused("a"), mused("a", said=False), mused("b", said=False), mused("b", said=False)]
    key = "group_answer_sufficiency_f1"
    scored("musique", gold, rows, wanted={key: 0.5})
    scored("musique", gold, rows, wanted={key: 1.0}, limit=3)
    scored("musique", gold, rows[:3], wanted={key: 1.0}, warning="missing-predictions", on_missing="skip")


MUSIQUE = {
    "musique": {
        "a line is missing, or there is one more": lines_of_musique,
        "the same lines in another order": all_refused(
            (
                "number 1 of those in both files is 'a' there",
                "musique",
                [muse("a"), muse("b")],
                [mused("b"), mused("a")],
            )
        ),
        "a field of a prediction is missing": all_refused(
            (
                "record 1: the field 'predicted_answerable' is missing",
                "musique",
                [muse()],
                [{name: value for name, value in mused().items() if name != "predicted_answerable"}],
            )
        ),
        "`{id: text}`": alone_in_musique,
        "unanswerable questions, an id not there twice or without an answerable twin": all_refused(
            ("the question 'a' is there 1 times", "musique", [muse(answerable=False)], [mused()]),
            ("'a' is there 2 times", "musique", [muse(answerable=False)] * 2, [mused()] * 2),
        ),
        "unanswerable questions, and twins that both have an answer": all_refused(
            (
                "the question 'b' is there 2 times",
                "musique",
                [muse(), muse(answerable=False), muse("b"), muse("b")],
                [mused(), mused(), mused("b"), mused("b")],
            )
        ),
        "an answer that is no text, for an answerable question": all_refused(
            (r"predicted answers that are not texts: 1 \(first ids: 'a'\)", "musique", [muse()], [mused(answer=5)])
        ),
        "predicted paragraphs that are a number, null or hold no numbers, for an answerable question": wrong_support,
        "predicted paragraphs that are a text or an object, for an answerable question": text_as_support,
        "an id that is null or 1.0": odd_ids_of_musique,
        "lines that end in a carriage return alone": carriage_returns,
        "`answerable: 2` in the gold": gives("musique", [muse(answerable=2)], [mused()], wanted=MUSE_RIGHT),
        LIST_GOLD: gives("musique", [muse(answer=["y", "x"])], [mused()], wanted=MUSE_RIGHT),
        "a pair of which `--limit` or `--on-missing skip` leaves one twin": half_a_pair,
        "no question at all": all_refused(("there is no question in it", "musique", [], [mused()])),
    }
}
