"""Normal forms of VQA and EvalAI and the counting of votes: both kernels against the plain rules."""

from __future__ import annotations

import gc
import random
import sys
from array import array
from collections.abc import Callable, Iterator
from types import SimpleNamespace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from fullmarks.text import votes
from fullmarks.text.evalai import normalize_evalai
from fullmarks.text.tables import table
from fullmarks.text.vqa import changed_words, normalize_vqa, trim
from fullmarks.text.vqa_rule import judge, normal_form, trimmed
from tests.hard_texts import FEW_AND_EVERY, code_points, hard_text
from tests.held_memory import resident_kilobytes

speed: Any
try:
    from fullmarks.text import _speed as speed
except ImportError:  # then the Python kernel is held against the plain rules alone
    speed = SimpleNamespace(VqaForm=votes.VqaForm, vote_rows=votes.vote_rows)
needs_compiled = pytest.mark.skipif(
    isinstance(speed, SimpleNamespace), reason="needs the compiled kernel: make install"
)
KERNELS = [pytest.param(votes, id="python"), pytest.param(speed, id="c")]

WORDS = changed_words(table("vqa")["contractions"])
PIECES = [
    *';/[]"{}()=+\\_-><@`,?!..  \n\t\r',
    *("the", "An", "A", "none", "Two", "TEN", "dont", "Somebody'd", "Id've", "its", "'s", "dog's", "DOG'S"),
    *("',s", "'?S"),
    *("7", "1,000", "3.14", ".5", "5.", "...", "1,", ",1", "٣,٤", "١.٢", "²", "५,५", "𝟙,𝟚", ".𝟛", "1,²"),
    *("\x1c", "\x85", "\xa0", "\u2003", "\u3000", "\u200b", "\x00", "İ", "ß", "ΑΣ.", "Σ", "ΑΣ'", "ﬁ", "\ud800"),
    *("\udfff", "😀"),
]


def random_text(source: random.Random) -> str:
    if source.random() < 0.3:
        return hard_text(source)
    text = source.choice(("", "", " ")).join(source.choices(PIECES, k=source.choice((0, 1, 1, 2, 3, 5, 8))))
    return text + ("x. " * 20 + "." * source.randrange(30) if source.random() < 0.01 else "")


def plain_vqa(text: str) -> str:
    return normal_form(trimmed(text))


def plain_evalai(text: str) -> str:
    return plain_vqa(text.lower().replace(",", "").replace("?", "").replace("'s", " 's").strip())


FORMS: list[tuple[bool, Callable[[str], str], Callable[[str], str]]] = [
    (False, plain_vqa, lambda text: normalize_vqa(trim(text))),
    (True, plain_evalai, normalize_evalai),
]


@pytest.mark.parametrize("count", [1_500, pytest.param(15_000, marks=pytest.mark.deep)])
@pytest.mark.parametrize(("is_opened", "rules", "steps"), FORMS, ids=["vqa", "evalai"])
def test_forms_of_random_texts(
    is_opened: bool, rules: Callable[[str], str], steps: Callable[[str], str], count: int
) -> None:
    source = random.Random(11 + is_opened)
    forms = [kernel.VqaForm(WORDS, is_opened=is_opened) for kernel in (votes, speed)]
    for _ in range(count):
        text = random_text(source)
        wanted = rules(text)
        assert steps(text) == wanted, repr(text)
        for form in forms:
            assert form(text) == wanted, repr(text)


@FEW_AND_EVERY
@pytest.mark.parametrize(("is_opened", "rules", "steps"), FORMS, ids=["vqa", "evalai"])
@pytest.mark.parametrize("template", ["{0}", "1,{0} Σ{0}.", "a{0}'{0}s ({0},1 .{0}"])
def test_forms_of_code_points(
    is_opened: bool, rules: Callable[[str], str], steps: Callable[[str], str], template: str, every: bool
) -> None:
    form = speed.VqaForm(WORDS, is_opened=is_opened)
    for text in filled(template, every=every):
        assert form(text) == steps(text), repr(text)


def filled(template: str, *, every: bool) -> Iterator[str]:
    """The template filled with each code point: the first one to a text, the others 16 to a text."""
    codes = code_points(every=every)
    alone = 0x3000 if every else 0x600
    for code in codes[:alone]:
        yield template.format(chr(code))
    for start in range(alone, len(codes), 16):
        yield "x".join(template.format(chr(code)) for code in codes[start : start + 16])


@given(st.text(), st.booleans())
def test_forms_of_any_text(text: str, is_opened: bool) -> None:
    _, rules, steps = FORMS[is_opened]
    for kernel in (votes, speed):
        assert kernel.VqaForm(WORDS, is_opened=is_opened)(text) == rules(text) == steps(text)


@pytest.mark.parametrize("kernel", KERNELS)
def test_words_change_as_the_table_says(kernel: Any) -> None:
    form = kernel.VqaForm({"b": "", "é": "much longer than it was", "\ud800": "x", "c": "b", "": "never"})
    assert form("B é\ud800 c \ud800 É b") == "é\ud800 b x much longer than it was"
    assert kernel.VqaForm({})("The Two, b") == "the two b"
    many = {f"w{number}": str(number) for number in range(5_000)}
    assert kernel.VqaForm(many)(" ".join([*many, "w5000"])) == " ".join([*many.values(), "w5000"])


@pytest.mark.parametrize("kernel", KERNELS)
def test_long_texts(kernel: Any) -> None:
    form = kernel.VqaForm(WORDS)
    assert form("the two, " * 100_000) == " ".join(["2"] * 100_000)
    assert form("e. " * 40 + "é" * 100_000) == "e " * 32 + "e. " * 8 + "é" * 100_000
    assert form("." * 100) == "." * 68


def annotated(count: int, seed: int) -> tuple[list[str], list[list[str]], list[list[int] | None]]:
    """Answers of annotators who often agree in texts that differ before they are normalised, and kinds of records."""
    source = random.Random(seed)
    predictions, references, kinds = [], [], []
    for _ in range(count):
        some = [random_text(source) for _ in range(source.choice((1, 1, 2, 3)))]
        written = [*some, *some, some[0].upper(), f"the {some[0]}.", f" {some[0]}\n"] if len(some) > 1 else some * 2
        golds = source.choices(written, k=source.choice((0, 1, 2, 3, 4, 5, 10, 10)))
        if source.random() < 0.2:
            golds = [f"\t{gold} " if source.random() < 0.5 else gold for gold in golds]
        first = [source.randrange(len(golds)) for _ in golds]
        predictions.append(source.choice([*written, f"{some[0]}\t", f"The {some[0]}"]))
        references.append(["".join(gold) for gold in golds])
        kinds.append(first if source.random() < 0.5 else None)
    return predictions, references, kinds


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize("with_kinds", [False, True])
@pytest.mark.parametrize("count", [500, pytest.param(6_000, marks=pytest.mark.deep)])
def test_vqa_accuracy_follows_the_plain_rules(seed: int, with_kinds: bool, count: int) -> None:
    predictions, references, kinds = annotated(count, seed)
    told = kinds if with_kinds else None
    found = [
        kernel.vote_rows(predictions, references, told, form=kernel.VqaForm(WORDS), normalised="unless-equal")
        for kernel in (votes, speed)
    ]
    assert found[0].typecode == found[1].typecode == "d"
    assert found[0].tobytes() == found[1].tobytes()
    for score, prediction, golds, kind in zip(found[1], predictions, references, kinds, strict=True):
        if not golds:
            assert score == 0.0
        elif with_kinds and kind is not None:
            assert score == judge(prediction, golds, kind).accuracy, (prediction, golds, kind)
        else:
            assert score == judge(prediction, golds).accuracy, (prediction, golds)


@pytest.mark.parametrize("count", [200, pytest.param(1_500, marks=pytest.mark.deep)])
@pytest.mark.parametrize("rule", votes.RULES)
@pytest.mark.parametrize("normalised", ["both", "prediction"])
@pytest.mark.parametrize("form", [None, "vqa", "any"])
def test_votes_of_both_kernels_are_the_same(rule: str, normalised: str, form: str | None, count: int) -> None:
    predictions, references, _ = annotated(count, seed=len(rule))
    for divisor, cap in ((3.0, 1.0), (1.0, 1.0), (2.5, 0.8), (0.3, 7.0)):
        found = []
        for kernel in (votes, speed):
            made = {None: None, "vqa": kernel.VqaForm(WORDS), "any": str.casefold}[form]
            options = {"form": made, "normalised": normalised, "rule": rule, "divisor": divisor, "cap": cap}
            found.append(kernel.vote_rows(predictions, references, **options))
        assert found[0].tobytes() == found[1].tobytes()


class Odd(str):
    """A text of another class, equal to nothing by its own account."""

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        raise AssertionError

    def __hash__(self) -> int:
        raise AssertionError


@needs_compiled
def test_texts_of_another_class_count_as_texts() -> None:
    form = speed.VqaForm(WORDS)
    for texts in ("a dog", "a dög"):
        rows = speed.vote_rows([Odd(f"{texts}!")], [[Odd(texts), texts[2:]]], form=form)
        assert rows.tolist() == [1 / 3]
    assert speed.vote_rows(["Two"], [["2", "two"]], form=lambda text: Odd(text.lower())).tolist() == [(1 / 3) / 2]


# Each case is what a caller may get wrong, and the message both kernels give.
WRONG: list[tuple[tuple[Any, ...], dict[str, Any], type[Exception], str]] = [
    (([None], [["b"]]), {}, TypeError, "prediction 0 is of type NoneType, expected str"),
    ((["b"], [["b", 5]]), {}, TypeError, "reference 1 of example 0 is of type int, expected str"),
    ((["b"], ["b"]), {}, TypeError, "references of example 0 are of type str, expected a list"),
    ((["b"], []), {}, ValueError, "1 predictions for 0 lists of references"),
    ((["b"], [["b"]], []), {}, ValueError, "1 predictions for 0 kinds"),
    ((["b"], [["b"]], [[0, 0]]), {}, ValueError, "kinds of example 0 are not those of its 1 annotators"),
    ((["b"], [["c"]], [[0, 0]]), {}, ValueError, "kinds of example 0 are not those of its 1 annotators"),
    ((["b"], [["b"]], ["0"]), {}, ValueError, "kinds of example 0 are not those of its 1 annotators"),
    ((["b"], [["b"]], [[1]]), {}, ValueError, "a record's kind is 1, expected the place of one of 1 records"),
    ((["b"], [["b"]], [[-1]]), {}, ValueError, "a record's kind is -1, expected the place of one of 1 records"),
    ((["b"], [["b"]]), {"form": 5}, TypeError, "form must be callable"),
    ((["b"], [["b"]]), {"rule": "one"}, ValueError, "rule is 'one', expected one of leave-one-out, all, all-in-turn"),
    (
        (["b"], [["b"]]),
        {"normalised": "no"},
        ValueError,
        "normalised is 'no', expected one of both, prediction, unless-equal",
    ),
]


@pytest.mark.parametrize(("arguments", "options", "error", "message"), WRONG)
@pytest.mark.parametrize("kernel", KERNELS)
def test_wrong_input(
    kernel: Any, arguments: tuple[Any, ...], options: dict[str, Any], error: type[Exception], message: str
) -> None:
    with pytest.raises(error) as caught:
        kernel.vote_rows(*arguments, **options)
    assert str(caught.value) == message


@pytest.mark.parametrize("kernel", KERNELS)
def test_a_form_wants_texts(kernel: Any) -> None:
    with pytest.raises(TypeError, match="text is of type bytes, expected str"):
        kernel.VqaForm({})(b"b")
    with pytest.raises(TypeError):
        kernel.vote_rows(["b"], [["b"]], [["x"]])


@needs_compiled
def test_a_compiled_form_wants_words() -> None:
    for wrong in ({"b": 5}, {5: "b"}):
        with pytest.raises(TypeError, match="word is of type int, expected str"):
            speed.VqaForm(wrong)
    with pytest.raises(TypeError):
        speed.VqaForm([])
    with pytest.raises(TypeError, match="the normal form is of type int, expected str"):
        speed.vote_rows(["b"], [["b"]], form=len)


@pytest.mark.parametrize("kernel", KERNELS)
def test_an_error_of_a_form_is_passed_on(kernel: Any) -> None:
    def fail(text: str) -> str:
        raise LookupError(text)

    with pytest.raises(LookupError, match="b"):
        kernel.vote_rows(["b"], [["c"]], form=fail)


@needs_compiled
def test_references_may_change_while_a_form_is_made() -> None:
    references: list[list[Any]] = [[f"word {number}" for number in range(50)] for _ in range(3)]

    def shorten(text: str) -> str:
        for golds in references:
            del golds[2:]
        return text

    rows = speed.vote_rows(["word 1"] * 3, references, form=shorten)
    assert rows.tolist() == [(1 / 3) / 2] * 3

    def replace(text: str) -> str:
        for golds in references:
            golds[:] = [None, None]
        return text

    with pytest.raises(RuntimeError, match="a list changed while it was scored"):
        speed.vote_rows(["word 1"], references[:1], form=replace)


@needs_compiled
@pytest.mark.parametrize("times", [40, pytest.param(150, marks=pytest.mark.deep)])
def test_no_memory_is_lost(times: int) -> None:
    predictions, references, kinds = annotated(1_000, seed=4)
    form = speed.VqaForm(WORDS)

    def run() -> None:
        for own in (form, speed.VqaForm(WORDS, is_opened=True), str.lower):
            speed.vote_rows(predictions, references, kinds, form=own, normalised="unless-equal")
        with pytest.raises(TypeError):
            speed.vote_rows(predictions, [*references[:-1], [None]], form=form)
        with pytest.raises(TypeError):
            speed.VqaForm({**WORDS, "b": None})

    for _ in range(5):
        run()
    gc.collect()
    own = [text for text in predictions if len(text) > 1]  # shorter ones are shared with the whole process
    counts = [sys.getrefcount(text) for text in own]
    before = resident_kilobytes()
    for _ in range(times):
        run()
    gc.collect()
    # One set of forms lost at each of 150 runs would be 50 MB, one array of rows 4 MB.
    assert resident_kilobytes() - before < 4_000
    assert [sys.getrefcount(text) for text in own] == counts


def test_rows_are_doubles() -> None:
    assert speed.vote_rows([], []) == votes.vote_rows([], []) == array("d")
