"""`fullmarks.adapters.torchmetrics` in the real `torchmetrics`: the digits of `fullmarks.score` on every way."""

from __future__ import annotations

import pickle
from typing import Any

import pytest
import torch
import torchmetrics

import fullmarks
from fullmarks.adapters import torchmetrics as ours
from fullmarks.adapters.torchmetrics import ExactMatch, Squad2, TokenF1
from tests.adapters.answered import answers, flat, official, snippets

PREDICTIONS, GOLDS = answers(300)
WHOLE = official("squad2", PREDICTIONS, GOLDS)


def plain(found: Any) -> dict[str, float]:
    assert all(value.dtype == torch.float64 for value in found.values())
    return {name: value.item() for name, value in found.items()}


def filled(metric: Any, size: int = 64) -> Any:
    for start in range(0, 300, size):
        metric.update(PREDICTIONS[start : start + size], GOLDS[start : start + size])
    return metric


def test_batches_have_the_digits_of_the_whole() -> None:
    metric = filled(Squad2())
    assert isinstance(metric, torchmetrics.Metric)
    assert plain(metric.compute()) == WHOLE


@pytest.mark.parametrize("name", ["triviaqa", "qa", "vqa", "docvqa", "bleu", "anls", "exact_match"])
def test_every_name_makes_a_metric(name: str) -> None:
    golds = [gold or ["a river"] for gold in GOLDS]
    metric = ours.metric(name)
    metric.update(PREDICTIONS, golds)
    if name in ("bleu", "anls", "exact_match"):
        expected = flat(fullmarks.load(name).compute(predictions=PREDICTIONS, references=golds))
    else:
        expected = official(name, PREDICTIONS, golds)
    assert plain(metric.compute()) == expected


def test_forward_gives_the_batch_and_keeps_the_sum() -> None:
    metric = Squad2()
    for start in range(0, 300, 100):
        part = slice(start, start + 100)
        assert plain(metric(PREDICTIONS[part], GOLDS[part])) == official("squad2", PREDICTIONS[part], GOLDS[part])
    assert plain(metric.compute()) == WHOLE


def test_reset_forgets_all() -> None:
    metric = filled(Squad2())
    metric.reset()
    metric.update(["a cat"], ["the cat"])
    assert plain(metric.compute())["total"] == 1.0


def test_merged_states_stand_in_order() -> None:
    first, second = Squad2(), Squad2()
    first.update(PREDICTIONS[:130], GOLDS[:130])
    second.update(PREDICTIONS[130:], GOLDS[130:])
    assert plain(first.compute())["total"] == 130.0
    first.merge_state(second)
    assert plain(first.compute()) == WHOLE
    with pytest.raises(fullmarks.UsageError, match="cannot merge token_f1 into squad2"):
        first.merge_state(ours.metric("token_f1"))


@pytest.mark.parametrize(
    "change",
    [
        lambda metric: metric.half(),
        lambda metric: metric.float(),
        lambda metric: metric.to(torch.bfloat16),
        lambda metric: metric.to("cpu", torch.float16),
        lambda metric: metric.set_dtype(torch.half),
        lambda metric: torch.nn.ModuleList([metric]).half()[0],
        lambda metric: pickle.loads(pickle.dumps(metric)),
        lambda metric: metric.clone(),
    ],
)
def test_no_precision_and_no_copy_changes_a_digit(change: Any) -> None:
    metric = filled(Squad2())
    assert plain(metric.compute()) == WHOLE
    assert plain(change(metric).compute()) == WHOLE
    assert plain(filled(change(Squad2())).compute()) == WHOLE


def test_a_state_that_is_saved_comes_back() -> None:
    metric = filled(Squad2())
    metric.persistent(True)
    again = Squad2()
    again.persistent(True)
    again.load_state_dict(metric.state_dict())
    with pytest.warns(UserWarning, match="before the ``update`` method"):  # torchmetrics counts updates, not examples
        assert plain(again.compute()) == WHOLE


def test_a_collection_shares_the_examples_and_mixes_no_scores() -> None:
    """Equal scores of a first batch must not make torchmetrics take two metrics for one."""
    metrics = torchmetrics.MetricCollection([TokenF1(), ExactMatch(), Squad2(number="f1")])
    metrics.update(["a cat", "a hat"], [["cat"], ["hat"]])
    metrics.update(["a cat"], [["a black cat"]])
    predictions, golds = ["a cat", "a hat", "a cat"], [["cat"], ["hat"], ["a black cat"]]
    found = {name: value.item() for name, value in metrics.compute().items()}
    assert found == {
        **fullmarks.load("token_f1").compute(predictions=predictions, references=golds),
        **fullmarks.load("exact_match").compute(predictions=predictions, references=golds),
        "Squad2": official("squad2", predictions, golds)["f1"],
    }
    assert len(metrics.compute_groups) == 1
    metrics.reset()
    metrics.update(["a cat"], [["a dog"]])
    assert metrics.compute()["exact_match"].item() == 0.0


def test_a_collection_beside_metrics_of_torchmetrics() -> None:
    both = torchmetrics.MetricCollection({"ours": ours.metric("bleu"), "theirs": torchmetrics.text.BLEUScore()})
    both.update(["the cat is on the mat"], [["the cat is on the mat"]])
    found = both.compute()
    assert found["bleu"].item() == 1.0
    assert found["theirs"].item() == 1.0


def test_one_number_is_a_tensor() -> None:
    metric = filled(Squad2(number="HasAns_f1"))
    assert metric.compute().item() == WHOLE["HasAns_f1"]
    assert metric.higher_is_better is True
    tracker = torchmetrics.wrappers.MetricTracker(Squad2(number="f1"))
    for part in (slice(0, 100), slice(100, 200)):
        tracker.increment()
        tracker.update(PREDICTIONS[part], GOLDS[part])
    best = max(official("squad2", PREDICTIONS[part], GOLDS[part])["f1"] for part in (slice(0, 100), slice(100, 200)))
    assert float(tracker.best_metric()) == pytest.approx(best)  # the tracker keeps 32 bits
    with pytest.raises(fullmarks.UsageError, match="has no number 'F1'"):
        filled(Squad2(number="F1")).compute()


def test_the_same_values_as_the_squad_of_torchmetrics() -> None:
    golds = [gold or ["a river"] for gold in GOLDS]
    predictions = [{"id": str(at), "prediction_text": text} for at, text in enumerate(PREDICTIONS)]
    references = [
        {"id": str(at), "answers": {"text": gold, "answer_start": [0] * len(gold)}} for at, gold in enumerate(golds)
    ]
    theirs, mine = torchmetrics.text.SQuAD(), ours.metric("squad1")
    theirs.update(predictions, references)
    mine.update(predictions, references)
    found = plain(mine.compute())
    assert found["exact_match"] == pytest.approx(theirs.compute()["exact_match"].item(), rel=1e-6)  # 32 bits there
    assert found["f1"] == pytest.approx(theirs.compute()["f1"].item(), rel=1e-6)
    assert found == official("squad1", PREDICTIONS, golds)


def test_positions_put_examples_into_the_order_of_the_set_and_count_each_once() -> None:
    metric = Squad2()
    for rank in (1, 0):  # as a DistributedSampler deals them out, with one of them repeated to fill up
        places = torch.tensor([*range(rank, 300, 2), 0])
        metric.update([PREDICTIONS[at] for at in places], [GOLDS[at] for at in places], positions=places)
    assert plain(metric.compute()) == WHOLE
    metric.update(["a"], ["b"])
    with pytest.raises(fullmarks.UsageError, match="some batches came with positions"):
        metric.compute()


def test_columns_break_the_result_down() -> None:
    metric = ours.metric("vqa")
    for kind, text in (("yes/no", "yes"), ("other", "red")):
        metric.update([text], [["yes"] * 10], answer_type=[kind], question_type=["is"])
    assert plain(metric.compute())["perAnswerType.other"] == 0.0


def test_options_reach_the_rules_and_the_base_class() -> None:
    metric = ours.metric("gsm8k", variant="flexible-extract", number="exact_match", compute_with_cache=False)
    metric.update(["it is 7"], ["#### 7"])
    assert metric.compute().item() == 1.0
    assert metric.compute_with_cache is False
    with pytest.raises(fullmarks.UsageError, match="squad2 has no option 'varaint'"):
        Squad2(varaint="script")


@pytest.mark.parametrize(
    ("preds", "target", "said"),
    [
        ([torch.ones(3)], ["a"], r"preds\[0\]: expected a text, found Tensor"),
        (["a", "b"], ["a"], "target: expected 2, found 1"),
        (["a"], [torch.ones(3)], r"target\[0\]: Object of type Tensor"),
        (7, ["a"], "preds: expected a list, found int"),
    ],
)
def test_what_is_no_text_is_told(preds: Any, target: Any, said: str) -> None:
    with pytest.raises(fullmarks.InputError, match=said):
        Squad2().update(preds, target)


def test_nothing_to_score_is_told() -> None:
    with (
        pytest.warns(UserWarning, match="before the ``update``"),
        pytest.raises(fullmarks.InputError, match="no example"),
    ):
        Squad2().compute()


def test_odd_texts_stay_what_they_are() -> None:
    texts = ["é\u2028x", "\ud800", "a\nb", "", "🙂"]
    metric = ours.metric("exact_match")
    metric.update(texts, texts)
    assert metric.compute()["exact_match"].item() == 1.0


def test_the_page_shows_what_comes_out() -> None:
    for snippet in snippets("torchmetrics"):
        exec(snippet, {})
