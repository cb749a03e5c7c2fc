"""The compiled kernel where it changes its way of working: sizes of buffers, full tables, signals, repeated texts."""

from __future__ import annotations

import random
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from fullmarks.text import bleu, squad
from fullmarks.text.squad_rule import SQUAD1, SQUAD2, judge, judge_pair

compiled: Any = pytest.importorskip("fullmarks.text._speed", reason="needs the compiled kernel: make install")
BOTH = pytest.mark.parametrize("kernel", [squad, compiled], ids=["python", "c"])


def words(count: int, start: int = 0) -> list[str]:
    return [f"w{number}" for number in range(start, start + count)]


def scores(kernel: Any, prediction: str, *golds: str, both_empty: float = 0.0, drop: bool = False) -> list[float]:
    found = kernel.squad_rows([prediction], [list(golds)], both_empty=both_empty, drop_empty_references=drop)
    return list(found)


@BOTH
def test_equal_letters_in_other_words_are_another_answer(kernel: Any) -> None:
    assert scores(kernel, "xb c", "x bc") == [0.0, 0.0]
    assert scores(kernel, "xb c d", "x bc d") == [0.0, 1 / 3]
    assert kernel.squad_each_reference("xb c", ["x bc", "xb c"], both_empty=0.0) == [(0.0, 0.0), (1.0, 1.0)]


@BOTH
@pytest.mark.parametrize("size", [1, 8, 9, 63, 64, 65, 66, 128, 129])
def test_every_word_of_a_reference_is_taken_once(kernel: Any, size: int) -> None:
    """The last word first: where a set of 64 bits holds what is taken, the 65th word would stand for the first."""
    gold = words(size)
    wanted = judge_pair(f"{gold[-1]} {gold[0]}", " ".join(gold), SQUAD1).f1
    assert scores(kernel, f"{gold[-1]} {gold[0]}", " ".join(gold))[1] == wanted
    turned = " ".join(reversed(gold))
    assert scores(kernel, turned, " ".join(gold)) == [float(size == 1), 1.0]
    assert scores(kernel, " ".join(gold), gold[-1])[1] == judge_pair(" ".join(gold), gold[-1], SQUAD1).f1


@BOTH
@pytest.mark.parametrize("size", [64, 65, 130])
def test_repeated_words_count_as_often_as_both_have_them(kernel: Any, size: int) -> None:
    gold = " ".join(["x"] * size + ["y"] * 2)
    for prediction in ("x x x y y y", " ".join(["y"] * size), " ".join(["x"] * (size + 3))):
        assert scores(kernel, prediction, gold)[1] == judge_pair(prediction, gold, SQUAD1).f1


LOOKED_UP = """
from fullmarks.text import _speed
unknown = " ".join(f"u{number}" for number in range(70))
for size in (8, 16, 32, 64, 65, 128, 256):
    known = " ".join(f"w{number}" for number in range(size))
    squad = _speed.squad_rows([known], [[unknown]], both_empty=0.0, drop_empty_references=False)
    print("squad", size, *squad, flush=True)
    print("bleu", size, *_speed.bleu_rows([known], [[unknown]], max_order=2)[:2], flush=True)
"""


def test_an_unknown_word_is_looked_up_in_a_full_table() -> None:
    """In a process of its own, because a table without a free place would be searched for ever."""
    found = subprocess.run([sys.executable, "-c", LOOKED_UP], capture_output=True, text=True, check=True, timeout=120)
    lines = found.stdout.splitlines()
    assert len(lines) == 14
    assert [line for line in lines if line.split()[2:] != ["0.0", "0.0"]] == []


@BOTH
@pytest.mark.parametrize("both_empty", [0.25, 1.0, 0.0])
def test_the_score_of_two_empty_texts_is_the_one_asked_for(kernel: Any, both_empty: float) -> None:
    for drop, golds in ((True, ["the", "a"]), (True, []), (False, ["the"]), (False, ["red", "the"])):
        assert scores(kernel, "The!", *golds, both_empty=both_empty, drop=drop) == [1.0, both_empty]
        assert scores(kernel, "", *golds, both_empty=both_empty, drop=drop) == [1.0, both_empty]
    assert scores(kernel, "a", "red", "the", both_empty=both_empty, drop=True) == [0.0, 0.0]
    assert scores(kernel, "a", both_empty=both_empty, drop=False) == [0.0, 0.0]
    assert scores(kernel, "a", "the red", both_empty=both_empty, drop=False) == [0.0, 0.0]
    found = kernel.squad_each_reference("the", ["a", "red", ""], both_empty=both_empty)
    assert found == [(1.0, both_empty), (0.0, 0.0), (1.0, both_empty)]
    assert kernel.squad_each_reference("red", ["a"], both_empty=both_empty) == [(0.0, 0.0)]


@BOTH
@pytest.mark.parametrize(
    "text", ["a", "an", "the", "the a", "-a-", "AN.", "...", "     ", "", "a\x00", "\x7f", "the\xa0"]
)
def test_texts_of_articles_and_marks(kernel: Any, text: str) -> None:
    """A text that equals its reference letter by letter is right; whether anything is left of it decides the F1."""
    for rule in (SQUAD2, SQUAD1):
        for golds in ([text], [text, "red"], ["red", text], ["red"], ["a", text, text]):
            told = judge(text, golds, rule)
            found = scores(kernel, text, *golds, both_empty=rule.both_empty, drop=rule.drop_empty_references)
            assert found == [told.exact, told.f1]


@BOTH
def test_the_best_reference_counts_wherever_it_stands(kernel: Any) -> None:
    golds = ["red car", "red", "a blue car", "red", "green"]
    for turn in range(len(golds)):
        order = golds[turn:] + golds[:turn]
        assert scores(kernel, "the red boat", *order) == [0.0, 2 / 3]
        assert scores(kernel, "Red!", *order) == [1.0, 1.0]


def test_bleu_takes_the_shortest_reference_and_counts_its_ngrams() -> None:
    for kernel in (bleu, compiled):
        row = list(kernel.bleu_rows(["x y z x"], [["x y z x x", "x y", "y z x x"]], max_order=3))
        assert row == [4.0, 3.0, 2.0, 4.0, 3.0, 2.0, 4.0, 2.0]
        assert list(kernel.bleu_rows(["x"], [[]], max_order=2)) == [0.0, 0.0, 1.0, 0.0, 1.0, 0.0]
        assert list(kernel.bleu_rows([""], [["x y"]], max_order=1)) == [0.0, 0.0, 0.0, 2.0]


@pytest.mark.parametrize("order", [0, -1, 1001])
def test_orders_of_ngrams_have_bounds(order: int) -> None:
    with pytest.raises(ValueError, match=f"max_order is {order}, expected 1 to 1000"):
        compiled.bleu_rows(["x"], [["x"]], max_order=order)
    assert len(compiled.bleu_rows(["x"], [["x"]], max_order=1000)) == 2002


@pytest.mark.parametrize("longest", [80, pytest.param(400, marks=pytest.mark.deep)])
def test_bleu_of_long_texts_and_high_orders(longest: int) -> None:
    source = random.Random(11)
    texts = [" ".join(source.choices("abcdefgh", k=size)) for size in (1, 15, 16, 17, 31, 32, 33, longest)]
    for order in (1, 2, 3, 20, longest + 1):
        references = [[text, texts[0], texts[-1]] for text in reversed(texts)]
        found = compiled.bleu_rows(texts, references, max_order=order)
        assert found == bleu.bleu_rows(texts, references, max_order=order)


@BOTH
def test_buffers_that_have_grown_hold_short_texts_too(kernel: Any) -> None:
    """One long text makes every buffer large; what is left in them must not be seen by the next."""
    long, short = " ".join(words(3_000)), "w1 w2"
    predictions, references = [short, long, short, long, ""], [[long], [short], [short], [long + " x"], [long]]
    found = kernel.squad_rows(predictions, references, both_empty=0.0, drop_empty_references=False)
    for position, (text, golds) in enumerate(zip(predictions, references, strict=True)):
        told = judge(text, golds, SQUAD1)
        assert list(found[2 * position : 2 * position + 2]) == [told.exact, told.f1]


class StoppedError(Exception):
    """Raised by the handler of a signal."""


@pytest.fixture
def at_work() -> Iterator[Callable[[Callable[[], None]], None]]:
    """Have something done by a signal after 30 ms of processor time, which is in the middle of the kernel's work."""
    before = signal.getsignal(signal.SIGVTALRM)

    def arrange(action: Callable[[], None]) -> None:
        signal.signal(signal.SIGVTALRM, lambda *_: action())
        signal.setitimer(signal.ITIMER_VIRTUAL, 0.03)

    yield arrange
    signal.setitimer(signal.ITIMER_VIRTUAL, 0)
    signal.signal(signal.SIGVTALRM, before)


def long_work() -> tuple[list[str], list[list[str]]]:
    count = 3_000_000
    return ["red green car"] * count, [["the blue green car", "a car"]] * count


@pytest.mark.parametrize("of", [0, 1])
def test_a_list_that_becomes_shorter_is_noticed(at_work: Any, of: int) -> None:
    lists = long_work()
    at_work(lambda: lists[of].__delitem__(slice(10, None)))
    with pytest.raises(RuntimeError, match="a list became shorter while it was scored"):
        compiled.squad_rows(*lists, both_empty=0.0, drop_empty_references=False)


@pytest.mark.parametrize("call", ["squad", "bleu"])
def test_an_interrupt_ends_the_work(at_work: Any, call: str) -> None:
    lists = long_work()
    work = {
        "squad": lambda: compiled.squad_rows(*lists, both_empty=0.0, drop_empty_references=False),
        "bleu": lambda: compiled.bleu_rows(*lists, max_order=4),
    }[call]

    def stop() -> None:
        raise StoppedError

    at_work(stop)
    with pytest.raises(StoppedError):
        work()
    # A second go on the same texts is whole: nothing was left behind.
    assert list(compiled.squad_rows(lists[0][:1], lists[1][:1], both_empty=0.0, drop_empty_references=False)) == [
        0.0,
        judge(lists[0][0], lists[1][0], SQUAD1).f1,
    ]
