"""Both kernels, Python and C, against the rule itself and against each other, on texts of every kind."""

from __future__ import annotations

import gc
import os
import random
import subprocess
import sys
from array import array
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fullmarks.text import bleu, inputs, squad
from fullmarks.text.squad_rule import SQUAD1, SQUAD2, judge, judge_pair, normal_form
from tests.hard_texts import FEW_AND_EVERY, filled
from tests.held_memory import resident_kilobytes
from tests.plain import bleu as plain_bleu_rules

speed: Any
try:
    from fullmarks.text import _speed as speed
except ImportError:  # then the Python kernel is held against the plain rules alone
    speed = SimpleNamespace(
        squad_rows=squad.squad_rows,
        squad_each_reference=squad.squad_each_reference,
        tokens_squad=squad.tokens,
        bleu_rows=bleu.bleu_rows,
        tokens_13a=bleu.tokenize_13a,
        squad_exact=squad.squad_exact,
        squad_f1=squad.squad_f1,
        bleu_each=bleu.bleu_each,
        text_lists=inputs.text_lists,
    )
needs_compiled = pytest.mark.skipif(
    isinstance(speed, SimpleNamespace), reason="needs the compiled kernel: make install"
)

PIECES = [
    *"abehnt AaEeNnTt  ..,,--_'\"!&<>;/0123456789",
    *("the", "The", "an", "AN", "a", "in", "Paris", "red", "red", "blue", "1,000.50", "U.S.", "forty-two", "$5"),
    *("\t", "\n", "-\n", "\v", "\f", "\r", "\x1c", "\x1d", "\x1e", "\x1f", "\x00", "\x01", "\x1b"),
    *("\x7f", "\x85"),
    *("\xa0", "\u1680", "\u2003", "\u2028", "\u202f", "\u3000", "\u200b", "\u200d", "\u2060", "\ufeff"),
    *("\u0301", "\u0307", "\u0345", "é", "café", "ﬁn", "İ", "ı", "ß", "ẞ", "Σ", "ΣΊΣΥΦΟΣ", "ς", "Ǆ", "ǅ", "K"),
    *("—", "–", "…", "’", "«", "नमस्ते", "हिन्दी", "Москва", "река", "北京", "東京", "مرحبا", "²", "½", "①", "Ⅷ"),
    *("😀", "𝐀", "𐐀", "𝟘", "🏽", "\ud800", "\udfff", "\U0010ffff"),
    *("<skipped>", "&quot;", "&amp;", "&amp;lt;", "&lt;", "&gt;", "-<skipped>\n"),
]


def random_text(source: random.Random) -> str:
    pieces = source.choices(PIECES, k=source.choice((0, 1, 1, 2, 3, 4, 6, 9)))
    return source.choice((" ", "", " ")).join(pieces)


def random_example(source: random.Random) -> tuple[str, list[str]]:
    """A prediction and references that often share its words, its letters or nothing but its blanks."""
    prediction = random_text(source)
    words = prediction.split(" ")
    made = [prediction, prediction.upper(), f"the {prediction}.", " ".join(source.sample(words, len(words)))]
    count = source.choice((0, 1, 1, 2, 4))
    golds = [source.choice(made) if source.random() < 0.3 else random_text(source) for _ in range(count)]
    return prediction, golds + golds[:1] * source.choice((0, 0, 1))


def examples(count: int, seed: int) -> tuple[list[str], list[list[str]]]:
    source = random.Random(seed)
    pairs = [random_example(source) for _ in range(count)]
    return [prediction for prediction, _ in pairs], [golds for _, golds in pairs]


def check_squad(predictions: list[str], references: list[list[str]], plain: bool = True) -> None:
    for rule in (SQUAD2, SQUAD1):
        options = {"both_empty": rule.both_empty, "drop_empty_references": rule.drop_empty_references}
        compiled = speed.squad_rows(predictions, references, **options)
        assert_same_rows(compiled, squad.squad_rows(predictions, references, **options), predictions, 2)
        if plain:
            wanted = array("d")
            for prediction, golds in zip(predictions, references, strict=True):
                told = judge(prediction, golds, rule)
                wanted.extend((told.exact, told.f1))
            assert_same_rows(compiled, wanted, predictions, 2)


def check_bleu(predictions: list[str], references: list[list[str]], order: int) -> None:
    compiled = speed.bleu_rows(predictions, references, max_order=order)
    assert_same_rows(compiled, bleu.bleu_rows(predictions, references, max_order=order), predictions, 2 * order + 2)


def assert_same_rows(found: array[float], wanted: array[float], predictions: list[str], width: int) -> None:
    assert found.typecode == "d"
    assert len(found) == len(predictions) * width
    if found.tobytes() != wanted.tobytes():
        place = next(i for i in range(len(wanted)) if found[i] != wanted[i])
        pytest.fail(f"column {place % width} of {predictions[place // width]!r}: {found[place]}, not {wanted[place]}")


@pytest.mark.parametrize("count", [2_000, pytest.param(20_000, marks=pytest.mark.deep)])
def test_squad_on_random_texts(count: int) -> None:
    check_squad(*examples(count, seed=1))


@pytest.mark.deep
def test_squad_kernels_agree_on_many_random_texts() -> None:
    check_squad(*examples(80_000, seed=2), plain=False)


@pytest.mark.parametrize("count", [800, pytest.param(8_000, marks=pytest.mark.deep)])
def test_bleu_on_random_texts(count: int) -> None:
    predictions, references = examples(count, seed=3)
    wanted = array("d")
    for prediction, golds in zip(predictions, references, strict=True):
        wanted.extend(plain_bleu_rules.bleu_statistics(prediction, golds, 4))
    assert_same_rows(speed.bleu_rows(predictions, references, max_order=4), wanted, predictions, 10)
    for order in (1, 2, 4, 9):
        check_bleu(predictions, references, order)


def check_bleu_each(predictions: list[str], references: list[list[str]], order: int) -> None:
    compiled = speed.bleu_each(predictions, references, max_order=order)
    assert compiled.tobytes() == bleu.bleu_each(predictions, references, max_order=order).tobytes()
    wanted = [
        plain_bleu_rules.bleu(plain_bleu_rules.bleu_statistics(prediction, [gold], order), order)
        for prediction, golds in zip(predictions, references, strict=True)
        for gold in golds
    ]
    assert compiled.tolist() == wanted


@pytest.mark.parametrize("order", [1, 2, 4, 7])
@pytest.mark.parametrize(("count", "step"), [(300, 6), pytest.param(3_000, 1, marks=pytest.mark.deep)])
def test_bleu_of_pairs_on_random_texts(order: int, count: int, step: int) -> None:
    check_bleu_each(*examples(count, seed=30 + order), order)
    sentences = [
        " ".join(random.Random(order).choices(["a", "b", "c", "d", "1.5", ",", "red."], k=size)) for size in range(40)
    ]
    check_bleu_each(sentences, [sentences[at // 2 : at + 2 : step] for at in range(40)], order)


@pytest.mark.parametrize("count", [1_000, pytest.param(4_000, marks=pytest.mark.deep)])
def test_one_answer_and_one_reference_on_random_texts(count: int) -> None:
    predictions, references = examples(count, seed=8)
    pairs = [(text, gold) for text, golds in zip(predictions, references, strict=True) for gold in golds]
    for prediction, gold in pairs:
        for implementation in (squad, speed):
            wanted = judge_pair(prediction, gold)
            assert implementation.squad_exact(prediction, gold) == wanted.exact
            assert implementation.squad_f1(prediction, gold) == wanted.f1


@pytest.mark.parametrize("implementation", [squad, speed], ids=["python", "c"])
@pytest.mark.parametrize("pair", [(None, "x"), ("x", 5), (b"x", "x"), (["x"], "x")])
def test_one_answer_has_to_be_two_texts(implementation: Any, pair: tuple[Any, Any]) -> None:
    for scored in (implementation.squad_exact, implementation.squad_f1):
        with pytest.raises(TypeError, match="expected two texts"):
            scored(*pair)


BOTH_LISTS = pytest.mark.parametrize("text_lists", [inputs.text_lists, speed.text_lists], ids=["python", "c"])


class Text(str):
    """A text of another class, as NumPy's are."""


class Texts(list[str]):
    """A list of another class, which may iterate as it likes."""


@BOTH_LISTS
def test_lists_of_texts_are_not_copied(text_lists: Callable[[Any, Any], Any]) -> None:
    references = [["a", Text("b")], [], ["c"]]
    assert text_lists(["x", Text("y"), ""], references) is references
    assert text_lists([], references) is references


@BOTH_LISTS
def test_texts_and_tuples_become_lists(text_lists: Callable[[Any, Any], Any]) -> None:
    own = ["d"]
    found = text_lists(["x"] * 5, ["a", ("b", "c"), own, Text("e"), ()])
    assert found == [["a"], ["b", "c"], ["d"], ["e"], []]
    assert found[2] is own
    assert all(type(each) is list for each in found)


@BOTH_LISTS
@pytest.mark.parametrize(
    ("predictions", "references"),
    [
        ([None], [["a"]]),
        (["a", b"b"], [["a"], ["b"]]),
        (["a"], [None]),
        (["a"], [["a", 5]]),
        (["a", "b"], ["a", (None,)]),
        (["a"], [{"a": 1}]),
        (["a"], [Texts(["a"])]),
        (["a"], [iter(["a"])]),
    ],
)
def test_anything_else_is_left_to_the_caller(text_lists: Callable[[Any, Any], Any], predictions: Any, references: Any):
    assert text_lists(predictions, references) is None


@needs_compiled
def test_references_may_change_while_they_are_listed() -> None:
    references: list[Any] = [f"word {number}" for number in range(3_000)]

    class Trap:
        """Garbage that changes the list when it is collected."""

        def __init__(self) -> None:
            self.itself = self

        def __del__(self) -> None:
            references[2_000:] = [7] * 10

    threshold = gc.get_threshold()
    gc.collect()
    Trap()
    gc.set_threshold(500)
    try:
        found = speed.text_lists(["x"] * 3_000, references)
    finally:
        gc.set_threshold(*threshold)
    assert found is None
    assert references[-1] == 7


@FEW_AND_EVERY
@pytest.mark.parametrize("template", ["the{0}cat {0}", "A{0}an Σ{0}"])
def test_squad_tokens_of_code_points(template: str, every: bool) -> None:
    for text in filled(template, every=every):
        wanted = normal_form(text).split()
        assert squad.tokens(text) == wanted
        assert speed.tokens_squad(text) == wanted


@FEW_AND_EVERY
@pytest.mark.parametrize("template", ["{0}", "5{0}.{0}6-{0}"])
def test_13a_tokens_of_code_points(template: str, every: bool) -> None:
    for text in filled(template, every=every):
        wanted = plain_bleu_rules.tokenize_13a(text)
        assert bleu.tokenize_13a(text) == wanted
        assert speed.tokens_13a(text) == wanted


@pytest.mark.parametrize("count", [1_000, pytest.param(10_000, marks=pytest.mark.deep)])
def test_tokens_of_random_texts(count: int) -> None:
    source = random.Random(6)
    for _ in range(count):
        text = random_text(source)
        assert squad.tokens(text) == speed.tokens_squad(text) == normal_form(text).split()
        assert bleu.tokenize_13a(text) == speed.tokens_13a(text) == plain_bleu_rules.tokenize_13a(text)


@given(st.lists(st.tuples(st.text(), st.lists(st.text(), max_size=4)), max_size=6))
def test_any_texts(pairs: list[tuple[str, list[str]]]) -> None:
    predictions, references = [text for text, _ in pairs], [golds for _, golds in pairs]
    check_squad(predictions, references)
    check_bleu(predictions, references, 4)
    for prediction, golds in pairs:
        wanted = [(each.exact, each.f1) for each in judge(prediction, golds, SQUAD1).overlaps]
        for implementation in (squad, speed):
            assert implementation.squad_each_reference(prediction, golds, both_empty=0.0) == wanted


@pytest.mark.parametrize("size", [63, 64, 65, 66, 200, pytest.param(5_000, marks=pytest.mark.deep)])
def test_long_texts(size: int) -> None:
    source = random.Random(size)
    words = [source.choice(("red", "blue", "Москва", "x" * 70, str(number % 97), "1.5,")) for number in range(size)]
    texts = [
        " ".join(words),
        " ".join(source.sample(words, size)),
        " ".join(words[: size // 2]),
        "red " * size,
    ]
    references = [texts, texts[1:], texts[3:], texts[:2]]
    check_squad(texts, references)
    check_bleu(texts, references, 4)


def test_long_texts_take_linear_time() -> None:
    text = " ".join(str(number) for number in range(200_000))
    turned = " ".join(reversed(text.split()))
    for implementation in (squad, speed):
        rows = implementation.squad_rows([text], [[turned]], both_empty=0.0, drop_empty_references=False)
        assert list(rows) == [0.0, 1.0]


# Each case is what a caller may get wrong, and the message both kernels give.
WRONG: list[tuple[Any, Any, type[Exception], str]] = [
    ([None], [["b"]], TypeError, "prediction 0 is of type NoneType, expected str"),
    (["b", b"b"], [["b"], ["b"]], TypeError, "prediction 1 is of type bytes, expected str"),
    (["b"], ["b"], TypeError, "references of example 0 are of type str, expected a list"),
    (["b"], [["b", 5]], TypeError, "reference 1 of example 0 is of type int, expected str"),
    ("b", [["b"]], TypeError, "predictions are of type str, expected a list"),
    (["b"], {"b": "b"}, TypeError, "references are of type dict, expected a list"),
    (["b"], [], ValueError, "1 predictions for 0 lists of references"),
]


@pytest.mark.parametrize(("predictions", "references", "error", "message"), WRONG)
def test_wrong_input(predictions: Any, references: Any, error: type[Exception], message: str) -> None:
    calls: list[Callable[[], object]] = [
        lambda: squad.squad_rows(predictions, references, both_empty=1.0, drop_empty_references=True),
        lambda: speed.squad_rows(predictions, references, both_empty=1.0, drop_empty_references=True),
        lambda: bleu.bleu_rows(predictions, references, max_order=4),
        lambda: speed.bleu_rows(predictions, references, max_order=4),
        lambda: bleu.bleu_each(predictions, references, max_order=4),
        lambda: speed.bleu_each(predictions, references, max_order=4),
    ]
    for call in calls:
        with pytest.raises(error) as caught:
            call()
        assert str(caught.value) == message


@pytest.mark.parametrize("implementation", [squad, speed])
def test_each_reference_checks_its_input(implementation: Any) -> None:
    with pytest.raises(TypeError, match="references of example 0 are of type str"):
        implementation.squad_each_reference("b", "b", both_empty=0.0)
    assert implementation.squad_each_reference("b", [], both_empty=0.0) == []


@needs_compiled
def test_a_list_may_change_while_its_scores_are_made() -> None:
    references = [f"word{number} é" for number in range(2_000)]

    class Trap:
        """Garbage that changes the list when it is collected."""

        def __init__(self) -> None:
            self.itself = self

        def __del__(self) -> None:
            references[:] = [7] * len(references)

    threshold = gc.get_threshold()
    gc.collect()  # so that the next collection comes in the middle of the scores
    Trap()
    gc.set_threshold(700)
    try:
        found = speed.squad_each_reference("word1999 é", references, both_empty=1.0)
    finally:
        gc.set_threshold(*threshold)
    assert len(found) == 2_000
    assert found[-1] == (1.0, 1.0)


@needs_compiled
@pytest.mark.parametrize("tokenize", [speed.tokens_squad, speed.tokens_13a])
def test_compiled_tokens_want_a_text(tokenize: Callable[[Any], list[str]]) -> None:
    with pytest.raises(TypeError, match="text is of type bytes, expected str"):
        tokenize(b"b")


@needs_compiled
@pytest.mark.parametrize("times", [300, pytest.param(600, marks=pytest.mark.deep)])
def test_no_memory_is_lost(times: int) -> None:
    predictions, references = examples(300, seed=4)
    wrong: Any = [*references[:-1], [None]]

    def run() -> None:
        speed.squad_rows(predictions, references, both_empty=1.0, drop_empty_references=True)
        speed.bleu_rows(predictions, references, max_order=4)
        speed.squad_each_reference(predictions[0], references[1], both_empty=1.0)
        speed.bleu_each(predictions, references, max_order=2)
        speed.text_lists(predictions, predictions)
        speed.text_lists(predictions, [*predictions, None])
        speed.squad_f1(predictions[0], predictions[1])
        speed.squad_exact(predictions[0], predictions[1])
        with pytest.raises(TypeError):
            speed.squad_rows(predictions, wrong, both_empty=1.0, drop_empty_references=True)

    own = [text for text in predictions if len(text) > 1]  # shorter ones are shared with the whole process
    counts = [sys.getrefcount(text) for text in own]
    for _ in range(20):
        run()
    gc.collect()
    before = resident_kilobytes()
    for _ in range(times):
        run()
    gc.collect()
    # One array of rows lost at each of 300 runs would be 8.5 MB; the allocator's own unrest is below 2 MB.
    assert resident_kilobytes() - before < 4_000
    assert [sys.getrefcount(text) for text in own] == counts


@pytest.mark.parametrize(("wanted", "expected"), [("python", "python"), pytest.param("", "c", marks=needs_compiled)])
def test_environment_chooses_the_kernel(wanted: str, expected: str) -> None:
    program = "from fullmarks.text import kernel; print(kernel.IMPLEMENTATION, kernel.squad_rows.__module__)"
    found = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "FULLMARKS_KERNEL": wanted},
        capture_output=True,
        text=True,
        check=True,
    )
    module = "fullmarks.text.squad" if expected == "python" else "fullmarks.text._speed"
    assert found.stdout.split() == [expected, module]


@pytest.mark.parametrize("module", ["fullmarks.text.kernel", "fullmarks.text.squad"])
def test_kernel_starts_lean(module: str) -> None:
    program = (
        f"import fullmarks.text, sys; before = set(sys.modules); import {module}; print(*set(sys.modules) - before)"
    )
    found = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    loaded = set(found.stdout.split())
    assert module in loaded
    assert not {"re", "typing", "dataclasses", "numpy"} & loaded
