"""The data of the page against the runs it is made from."""

from __future__ import annotations

import json

import pytest

import fullmarks
from fullmarks.analysis.compare import compare
from fullmarks.analysis.intervals import Sampling
from fullmarks.analysis.saved import load_run, save_run
from fullmarks.analysis.standings import standings
from fullmarks.report.page_content import BLOCK, NOT_EXPLAINED, page_content

QUICK = Sampling(resamples=200)
N = BLOCK + 3
GOLD = [{"id": f"q{at}", "references": ["the red house"], "kind": "even" if at % 2 == 0 else "odd"} for at in range(N)]


def run(text, *, backwards=False, left_out=()):
    answers = [{"id": each["id"], "prediction": text(at)} for at, each in enumerate(GOLD) if at not in left_out]
    gold = GOLD[::-1] if backwards else GOLD
    return fullmarks.score("squad2", gold, answers, by=("kind",), on_missing="zero")


@pytest.fixture(scope="module")
def runs():
    return {
        "base": run(lambda at: "red house" if at % 3 else "no"),
        "new": run(lambda at: "red" if at % 2 else "red house", backwards=True, left_out=(5,)),
    }


@pytest.fixture(scope="module")
def content(runs):
    return page_content(standings(runs, main_score="f1", sampling=QUICK))


def test_examples_stand_in_the_order_of_the_baseline(content, runs):
    examples = content.document["examples"]
    assert examples["ids"] == [each["id"] for each in GOLD]
    base, new = examples["predictions"]
    assert base[:4] == ["no", "red house", "red house", "no"]
    assert new[:4] == ["red house", "red", "red house", "red"]
    assert examples["unanswered"] == [[], [5]]
    for system, result in enumerate(runs.values()):
        by_id = {each["id"]: each for each in result.per_example}
        for score, name in enumerate(("exact", "f1")):
            assert examples["scores"][system][score] == [by_id[each["id"]][name] for each in GOLD]


def test_numbers_are_those_of_the_runs_in_the_official_scale(content, runs):
    document = content.document
    comparison = compare(runs, main_score="f1", sampling=QUICK)
    for system, (name, result) in zip(document["systems"], runs.items(), strict=True):
        assert system["official"]["exact"] == result.official["exact"]
        for place, score in enumerate(("exact", "f1")):
            interval = comparison.intervals[name][score]
            expected = [100 * result.scores[score], 100 * interval.low, 100 * interval.high]
            assert system["scores"][place] == expected
    for found, expected in zip(document["differences"], comparison.differences, strict=True):
        assert found["difference"][0] == 100 * expected.test.difference
        assert found["pHolm"] == expected.p_holm
        assert found["p"] == expected.test.permutation.p_value
        assert (found["pBootstrap"], found["pMcnemar"]) == (expected.test.p_bootstrap, expected.test.p_mcnemar)
        assert (found["effectName"], found["effect"]) == (expected.test.effect.name, expected.test.effect.value)
    assert (document["main"], document["baseline"], document["scale"]) == (1, 0, 100.0)
    assert document["counts"] == ["total", "HasAns_total"]


def test_slices(content, runs):
    kinds = next(slice_ for slice_ in content.document["slices"] if slice_["column"] == "kind")
    assert [value["label"] for value in kinds["values"]] == ["even", "odd"]
    assert kinds["codes"] == [at % 2 for at in range(N)]
    for value in kinds["values"]:
        by_run = [result.by("kind")[value["label"]] for result in runs.values()]
        assert value["n"] == by_run[0]["n"]
        assert [scores[1][0] for scores in value["scores"]] == [100 * scores["f1"] for scores in by_run]
        difference, low, high, p_holm, p_value, floor = value["differences"][1]
        assert floor is None
        assert difference == pytest.approx(100 * (by_run[1]["f1"] - by_run[0]["f1"]), rel=1e-12)
        assert low <= difference <= high
        assert 0 <= p_value <= p_holm <= 1


def test_explanations_are_the_protocols_own(content, runs):
    blocks = list(content.explanations)
    assert [len(block) for block in blocks] == [BLOCK, 3]
    explained = [each for block in blocks for each in block]
    assert explained[5][1] is None  # nothing was answered
    for system, result in enumerate(runs.values()):
        by_id = {example.id: example for example in result.tally.examples}
        for at in (0, 1, 4, BLOCK, N - 1):
            expected = result.rules.explain(by_id[f"q{at}"])
            assert explained[at][system] == {"facts": expected.facts, "tables": expected.tables}


def test_one_run(runs):
    document = page_content(standings({"base": runs["base"]}, sampling=QUICK)).document
    assert document["title"] == "squad2: base"
    assert document["differences"] == []
    assert all(value["differences"] == {} for slice_ in document["slices"] for value in slice_["values"])
    assert len(document["slices"]) == 1  # has_answer has a single value, which is no breakdown


def test_titles_and_pictures(runs, tmp_path):
    found = standings(runs, sampling=QUICK)
    assert page_content(found).title == "squad2: base and new"
    assert page_content(found, title="Mine").document["title"] == "Mine"
    gold = [{"id": "1", "references": ["a"], "image": "a.png"}]
    (tmp_path / "a.png").write_bytes(b"\x89PNG\r\n\x1a\n")
    seen = fullmarks.score("vqa", gold, [{"question_id": "1", "answer": "a"}], also=("image",))
    content = page_content(standings({"seen": seen}, sampling=QUICK), images=tmp_path)
    assert content.document["images"] == [[0]]
    assert [image.kind for image in content.images] == ["image/png"]


def test_a_run_with_synonyms_is_reported_without_its_lexicon(tmp_path):
    lexicon = tmp_path / "lexicon.json"
    lexicon.write_text(json.dumps({"кот": [{"hypernyms": ["зверь"], "derivations": []}]}), encoding="utf-8")
    gold = {"1": [{"type": "text", "content": ["кот сидит"]}]}
    answers = {"1": [{"type": "text", "content": "зверь сидит"}]}
    run = fullmarks.score("fusionbrain", gold, answers, task="ImageCaptioning", clip="none", lexicon=lexicon)
    save_run(run, tmp_path / "run.json")
    with_lexicon = _facts(tmp_path / "run.json")
    assert with_lexicon["prediction"] == "зверь сидит"
    assert NOT_EXPLAINED not in with_lexicon
    lexicon.unlink()
    facts = _facts(tmp_path / "run.json")
    assert facts["prediction"] == "зверь сидит"
    assert "no such synonym lexicon" in facts[NOT_EXPLAINED]


def _facts(path):
    content = page_content(standings({"run": load_run(path)}, sampling=Sampling(resamples=100)))
    ((explained,),) = next(iter(content.explanations))
    return explained["facts"]


def test_ranks_stand_beside_the_scores_of_three_systems(runs):
    three = {**runs, "third": next(iter(runs.values()))}
    document = page_content(standings(three, sampling=Sampling(resamples=200))).document
    found = standings(three, sampling=Sampling(resamples=200)).comparison.ranks
    assert [system["rank"] for system in document["systems"]] == [
        [each.rank, each.best, each.worst] for each in found.values()
    ]
    assert all("equivalentWithin" in each for each in document["differences"])
