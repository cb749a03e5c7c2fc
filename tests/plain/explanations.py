"""Every metric's score worked out again from what its explanation shows: a function for each metric.

Nothing here calls the code that scores. What is shown under another name, left out or taken from the wrong side makes
a difference. The functions take the explanation and the metric's options.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import pytest

from fullmarks.types import Explanation

CLOSE = 1e-12
"""The same few operations in another order differ by some units of the last of 16 digits."""


def best(values: list[float], aggregate: str = "max") -> float:
    how: dict[str, Callable[[list[float]], float]] = {
        "max": max,
        "min": min,
        "mean": lambda each: sum(each) / len(each),
    }
    return how[aggregate](values) if values else 0.0


def overlap(row: dict[str, Any], normalised: str, both_empty: float) -> tuple[float, float]:
    """Exact match and F1 of one line of the table, from the words that it shows."""
    ours, theirs, matched = normalised.split(), row["normalised"].split(), row["matched"].split()
    assert all(matched.count(word) == min(ours.count(word), theirs.count(word)) for word in {*ours, *theirs})
    exact = float(ours == theirs)
    if not ours and not theirs:
        assert (row["precision"], row["recall"], row["f1"]) == (both_empty,) * 3
        f1 = both_empty
    else:
        assert row["precision"] == (len(matched) / len(ours) if matched else 0.0)
        assert row["recall"] == (len(matched) / len(theirs) if matched else 0.0)
        f1 = harmonic(row["precision"], row["recall"])
    assert (row["exact"], row["f1"]) == (exact, pytest.approx(f1, abs=CLOSE))
    return exact, f1


def harmonic(precision: float, recall: float) -> float:
    return 2 * precision * recall / (precision + recall) if precision + recall else 0.0


def exact_match(why: Explanation, options: dict[str, Any]) -> float:
    return answer(why, options, 0)


def token_f1(why: Explanation, options: dict[str, Any]) -> float:
    return answer(why, options, 1)


def answer(why: Explanation, options: dict[str, Any], position: int) -> float:
    table = why.tables["references"]
    assert why.facts["aggregate"] == options.get("aggregate", "max")
    found = [overlap(row, why.facts["normalised"], options.get("both_empty", 1.0))[position] for row in table]
    return best(found, why.facts["aggregate"])


def squad(why: Explanation, options: dict[str, Any]) -> float:
    assert why.facts["normalised"].split() == why.facts["tokens"]
    found = [overlap(row, why.facts["normalised"], options.get("both_empty", 1.0)) for row in why.tables["references"]]
    if found:
        assert why.facts["best reference"] in [row["reference"] for row in why.tables["references"]]
        shown = next(row for row in why.tables["references"] if row["reference"] == why.facts["best reference"])
        assert shown["f1"] == max(row["f1"] for row in why.tables["references"])
    if "greater: counts" in why.facts.get("no-answer probability", ""):
        assert set(why.scores.values()) == {float("has answer" in why.facts)}
        return next(iter(why.scores.values()))
    assert why.scores["f1"] == pytest.approx(best([f1 for _, f1 in found]), abs=CLOSE)
    return best([exact for exact, _ in found])


def from_precisions(row: dict[str, Any]) -> float:
    precisions = row["precisions"]
    if min(precisions) == 0:
        return 0.0
    mean = math.exp(sum(map(math.log, precisions)) / len(precisions))
    return float(row["brevity_penalty"] * mean)


def bleu(why: Explanation, options: dict[str, Any]) -> float:
    for row in why.tables["references"]:
        assert row["bleu"] == pytest.approx(from_precisions(row), abs=CLOSE)
        ours, theirs = len(why.facts["tokens"]), len(row["tokens"])
        if ours and theirs:
            assert row["brevity_penalty"] == pytest.approx(min(1.0, math.exp(1 - theirs / ours)), abs=CLOSE)
    return from_precisions(why.facts)


def sentence_bleu(why: Explanation, options: dict[str, Any]) -> float:
    found = [from_precisions(row) for row in why.tables["references"]]
    assert [row["bleu"] for row in why.tables["references"]] == pytest.approx(found, abs=CLOSE)
    return best(found, options.get("aggregate", "max"))


def vqa_accuracy(why: Explanation, options: dict[str, Any]) -> float:
    table = why.tables["annotators"]
    agrees = [row["compared as"] == why.facts["compared as"] for row in table]
    assert [row["agrees"] for row in table] == agrees
    assert [row["annotator"] for row in table] == list(range(1, len(table) + 1))
    assert [row["others agreeing"] for row in table] == [sum(agrees) - own for own in agrees]
    votes = [min(1.0, (sum(agrees) - own) / 3) for own in agrees]
    assert [row["vote"] for row in table] == votes
    disagree = len({row["answer"].replace("\n", " ").strip() for row in table}) > 1
    assert (why.facts["normalised"] == "yes") == (disagree or options.get("always_normalise", False))
    return sum(votes) / len(votes)


def meteor(why: Explanation, options: dict[str, Any]) -> float:
    score = from_alignment(why, options.get("gamma", 0.5))
    lines = why.tables["references"]
    chosen = next(row for row in lines if row["reference"] == why.facts["best reference"])
    assert (chosen["tokens"], chosen["matches"]) == (why.facts["reference tokens"], why.facts["matches"])
    assert max(row["score"] for row in lines) == chosen["score"] == pytest.approx(score, abs=CLOSE)
    assert why.facts["lexicon"] == "none"
    return score


def from_alignment(why: Explanation, gamma: float) -> float:
    """METEOR from the words that met; every word of both texts stands in one step."""
    facts, steps = why.facts, why.tables["alignment"]
    met = [step for step in steps if step["stage"] != "none"]
    for side, tokens in (("prediction", facts["tokens"]), ("reference", facts["reference tokens"])):
        shown = [step[side] for step in steps if step[side]]
        assert sorted(shown) == sorted(f"{place} {word}" for place, word in enumerate(tokens, start=1))
        assert all(bool(step["prediction"]) != bool(step["reference"]) for step in steps if step["stage"] == "none")
    pairs = sorted(tuple(int(step[side].split()[0]) for side in ("prediction", "reference")) for step in met)
    assert facts["matches"] == len(pairs)
    if not pairs:
        assert (facts["precision"], facts["recall"], facts["penalty"], facts["chunks"]) == (0.0, 0.0, 0.0, 0)
        return 0.0
    chunks = 1 + sum((i + 1, j + 1) != later for (i, j), later in pairwise(pairs))
    assert facts["chunks"] == chunks
    precision, recall = len(pairs) / len(facts["tokens"]), len(pairs) / len(facts["reference tokens"])
    assert (facts["precision"], facts["recall"]) == (precision, recall)
    assert facts["penalty"] == pytest.approx(gamma * (chunks / len(pairs)) ** 3, abs=CLOSE)
    alpha, beta, shown_gamma = map(float, facts["alpha, beta, gamma"].split(","))
    assert (beta, shown_gamma) == (3.0, gamma)
    return (1 - facts["penalty"]) * precision * recall / (alpha * precision + (1 - alpha) * recall)


def ned(why: Explanation, options: dict[str, Any]) -> float:
    prediction = why.facts["prediction"]
    for row in why.tables["references"]:
        assert row["longer text"] == max(len(prediction), len(row["reference"]))
        assert row["edit distance"] == edits(prediction, row["reference"])
        expected = 1 - row["edit distance"] / row["longer text"] if prediction and row["reference"] else 0.0
        assert row["similarity"] == pytest.approx(expected, abs=CLOSE)
    return max(row["similarity"] for row in why.tables["references"])


def anls(why: Explanation, options: dict[str, Any]) -> float:
    ours, threshold = why.facts["compared as"], why.facts["threshold"]
    for row in why.tables["references"]:
        assert row["edit distance"] == edits(ours, row["compared as"])
        if options.get("reading", "rrc") == "rrc":
            assert row["longer text"] == max(len(why.facts["prediction"]), len(row["reference"]))
        else:
            assert row["longer text"] == max(len(ours), len(row["compared as"]))
        share = row["edit distance"] / row["longer text"] if row["longer text"] else 0.0
        assert row["similarity"] == pytest.approx(1 - share, abs=CLOSE)
        counts = share < 1 - threshold if options.get("reading") == "pix2struct" else row["similarity"] >= threshold
        assert row["counts"] == (row["similarity"] if counts else 0.0)
    return best([row["counts"] for row in why.tables["references"]])


def relaxed_accuracy(why: Explanation, options: dict[str, Any]) -> float:
    for row in why.tables["references"]:
        if row["compared as"] == "numbers":
            ours, theirs = row["number of the prediction"], row["number of the reference"]
            below = ours if options.get("reading") == "Qwen-VL" else theirs
            assert row["relative change"] == pytest.approx(abs(ours - theirs) / abs(below), abs=CLOSE)
            assert row["right"] == (row["relative change"] <= why.facts["tolerance"])
        else:
            assert row["right"] == (why.facts["prediction"].lower() == row["reference"].lower())
    return best([float(row["right"]) for row in why.tables["references"]])


def edits(one: str, other: str) -> int:
    """The edit distance, as its definition says."""
    before = list(range(len(other) + 1))
    for row, left in enumerate(one, start=1):
        line = [row]
        for column, right in enumerate(other, start=1):
            line.append(min(before[column] + 1, line[-1] + 1, before[column - 1] + (left != right)))
        before = line
    return before[-1]


def second_try(why: Explanation, compare: Callable[[str, str], float]) -> float:
    lines = {row["reference"]: row["normalised"] for row in why.tables["references"]}
    tried = [compare(why.facts["normalised"], normal) for normal in lines.values()]
    assert why.facts["first try"] == pytest.approx(max(tried), abs=CLOSE)
    assert compare(why.facts["normalised"], lines[why.facts["best reference"]]) == max(tried)
    letter = re.fullmatch(r"the letter '(.)' alone: (\S+)", why.facts.get("second try", ""))
    if letter is None:
        return max(tried)
    found = max(compare(letter[1], normal) for normal in lines.values())
    assert float(letter[2]) == pytest.approx(found, abs=1e-5)  # six digits are shown
    return found


def plain_f1(one: str, other: str) -> float:
    ours, theirs = one.split(), other.split()
    same = sum(min(ours.count(word), theirs.count(word)) for word in set(ours))
    if not ours or not theirs:
        return float(ours == theirs)
    return harmonic(same / len(ours), same / len(theirs))


def fusionbrain_textqa(why: Explanation, options: dict[str, Any]) -> float:
    return second_try(why, plain_f1)


def fusionbrain_mathqa(why: Explanation, options: dict[str, Any]) -> float:
    return second_try(why, lambda one, other: float(one == other))


def fusionbrain_visualqa(why: Explanation, options: dict[str, Any]) -> float:
    assert why.facts["best reference"] in [row["reference"] for row in why.tables["references"]]
    assert {tuple(row) for row in why.tables["references"]} == {("reference", "normalised")}
    if "alignment" in why.tables:
        assert "numbers" not in why.facts
        return from_alignment(why, 0.0)
    found = re.fullmatch(r"(\S+) against (\S+): the smaller divided by the larger", why.facts["numbers"])
    if found is None:
        return 0.0
    one, other = float(found[1]), float(found[2])
    return 1.0 if one == other else min(one, other) / max(one, other)


def webqa_accuracy(why: Explanation, options: dict[str, Any]) -> float:
    return by_lemmas(why, smoothing=0.0 if "acc_approx" in why.scores else 1e-5)


def by_lemmas(why: Explanation, smoothing: float) -> float:
    by_f1 = why.facts["category"] in ("color", "shape", "YesNo", "number")
    found = []
    for row in why.tables["references"]:
        ours, theirs = why.facts["tokens that count"], row["tokens that count"]
        assert set(ours) <= set(why.facts["normalised"].split())
        assert set(theirs) <= set(row["normalised"].split())
        same = sum(min(ours.count(word), theirs.count(word)) for word in set(ours))
        if ours and theirs:
            assert row["precision"] == pytest.approx(same / len(ours), abs=CLOSE)
            assert row["recall"] == pytest.approx(same / len(theirs), abs=CLOSE)
            expected = (
                2 * row["precision"] * row["recall"] / (row["precision"] + row["recall"] + smoothing) if same else 0
            )
            assert row["f1"] == pytest.approx(expected, abs=CLOSE)
        found.append((row["f1"] if by_f1 else row["recall"], row["f1"], row))
        assert row["accuracy"] == found[-1][0]
    top = max(found, key=lambda each: each[:2], default=(0.0, 0.0, {}))
    if found:
        assert {name: why.scores[name] for name in ("f1", "recall", "precision")} == {
            name: top[2][name] for name in ("f1", "recall", "precision")
        }
    return top[0]


def contains(why: Explanation, options: dict[str, Any]) -> float:
    searched = why.facts["searched"]
    for row in why.tables["references"]:
        wanted, at = row["looked for"], row["at"]
        spellings = {wanted, wanted.lower(), wanted.capitalize()} if why.facts["case"] == "spellings" else {wanted}
        assert (at is not None) == any(spelling in searched for spelling in spellings) == bool(row["contained"])
        assert at is None or (searched[at:].startswith(row["found"]) and row["found"] in spellings)
    return best([row["contained"] for row in why.tables["references"]])


def numeric_answer(why: Explanation, options: dict[str, Any]) -> float:
    number = why.facts["number found"]
    assert number == "none" or number in why.facts["prediction"]
    bare = number.replace(",", "")
    assert why.facts["compared as"] == ("nothing" if number == "none" else bare)
    assert [row["equal"] for row in why.tables["references"]] == [
        float(number != "none" and row["wanted"] == bare) for row in why.tables["references"]
    ]
    return best([row["equal"] for row in why.tables["references"]])


def choice_accuracy(why: Explanation, options: dict[str, Any]) -> float:
    assert why.facts["reading"] == options.get("reading", "exact")
    read = why.facts["read as"]
    if "reading" not in options:
        assert read in (why.facts["prediction"], "(no option)")
        return float(why.facts["prediction"] in why.facts["references"])
    assert read == "(no option)" or read in why.facts["found"] or "text" in why.facts["found"]
    return float(read in why.facts["references"])


def yes_no(why: Explanation, options: dict[str, Any]) -> float:
    """POPE's reading: the words of what was looked at decide."""
    denies = bool({"No", "no", "not"} & set(why.facts["looked at"].split(" ")))
    assert why.facts["read as"] == ("no" if denies else "yes")
    is_right = why.facts["read as"] == why.facts["right answer"]
    assert why.facts["counts as"] == f"{'right' if is_right else 'wrong'} {why.facts['read as']}"
    return float(is_right)


def votes(why: Explanation, options: dict[str, Any]) -> float:
    """From who agrees, as the table shows it: one vote of all, or the mean of each annotator's."""
    table = why.tables["annotators"]
    divisor, cap = options.get("divisor", 3.0), options.get("cap", 1.0)
    agrees = [row["compared as"] == why.facts["compared as"] for row in table]
    assert [row["agrees"] for row in table] == agrees
    assert [row["annotator"] for row in table] == list(range(1, len(table) + 1))
    if options.get("rule") == "all":
        return min(cap, sum(agrees) / divisor)
    left_out = [own if options.get("rule") != "all-in-turn" else False for own in agrees]
    assert [row["others agreeing"] for row in table] == [sum(agrees) - own for own in left_out]
    assert [row["vote"] for row in table] == [min(cap, row["others agreeing"] / divisor) for row in table]
    return sum(row["vote"] for row in table) / len(table)


def set_f1(told: Explanation, options: dict[str, Any]) -> float:
    """From the verdicts on the items."""
    counts = Counter(row["verdict"] for row in told.tables["items"])
    if not counts:
        return float(options.get("both_empty", 0.0))
    return 2 * counts["found"] / (2 * counts["found"] + counts["extra"] + counts["missed"])


answer_scores = squad
acc_approx = webqa_accuracy
