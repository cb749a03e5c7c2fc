"""Every recipe against a plain statement of its rule and against what the published program gave; both kernels."""

from __future__ import annotations

import gc
import json
import pickle
import random
import sys
from array import array
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import fullmarks
from fullmarks.text import overlap, steps
from fullmarks.text.character_plan import plan_of
from fullmarks.text.evalai import normalize_evalai
from fullmarks.text.memo import Memo
from fullmarks.text.recipes import SQUAD, Recipe, find_recipe, recipe_names
from fullmarks.text.squad_rule import Judgement, Overlap, judge
from tests.hard_texts import FEW_AND_EVERY, filled, hard_examples, hard_texts
from tests.held_memory import resident_kilobytes
from tests.plain import recipes as plain_recipes

speed: Any
try:
    from fullmarks.text import _speed as speed
except ImportError:  # then the Python kernel is held against the plain rules alone
    speed = SimpleNamespace(
        Tokeniser=overlap.Tokeniser, overlap_rows=overlap.overlap_rows, overlap_each=overlap.overlap_each
    )
needs_compiled = pytest.mark.skipif(
    isinstance(speed, SimpleNamespace), reason="needs the compiled kernel: make install"
)
BOTH = pytest.mark.parametrize("kernel", [overlap, speed], ids=["python", "c"])
NAMES = [name for name in recipe_names() if name in plain_recipes.RULES]
DIFFERENT = list({find_recipe(name).order: name for name in reversed(NAMES)}.values())
"""One name for each order of steps: SQuAD's has many."""
UNPLANNED = ("drop", "vqa", "evalai", "vizwiz", "vizwiz-llava-upload", "textvqa-vlmevalkit", "gqa-lmms-eval")
"""Recipes that are no single pass over the characters, besides those of lm-eval."""
PLANNED = {name for name in NAMES if not name.endswith(("lm-eval", "lmms-eval")) and name not in UNPLANNED}


def tokeniser(kernel: Any, recipe: Recipe) -> Any:
    plan = plan_of(recipe.order)
    return kernel.Tokeniser(Memo(recipe).__getitem__) if plan is None else kernel.Tokeniser(recipe, plan)


def test_every_recipe_has_its_plain_rule() -> None:
    assert set(recipe_names()) - set(plain_recipes.RULES) == {"longbench-zh"}  # jieba's words, held by golden files
    assert {name for name in NAMES if plan_of(find_recipe(name).order) is not None} == PLANNED


@pytest.mark.parametrize("count", [1_000, pytest.param(50_000, marks=pytest.mark.deep)])
@pytest.mark.parametrize("name", DIFFERENT)
def test_normal_forms_and_tokens_of_hard_texts(name: str, count: int) -> None:
    recipe, rule = find_recipe(name), plain_recipes.RULES[name]
    compiled, python = tokeniser(speed, recipe), tokeniser(overlap, recipe)
    for text in hard_texts(count, seed=len(name)):
        wanted = rule(text)
        assert recipe(text) == wanted, repr(text)
        tokens = wanted.split()
        assert compiled(text) == tokens, repr(text)
        assert python(text) == tokens, repr(text)


@FEW_AND_EVERY
@pytest.mark.parametrize(
    ("name", "template"),
    [
        ("triviaqa", "the{0}cat {0}"),
        ("nq_open", "A{0}an Σ{0}"),
        ("mlqa-de", "der{0} {0}die"),
        ("mlqa-ar", "ا{0}ل {0}ال"),
        ("mlqa-zh", "北{0}a {0}"),
    ],
)
def test_tokens_of_code_points(name: str, template: str, every: bool) -> None:
    recipe, rule = find_recipe(name), plain_recipes.RULES[name]
    compiled = tokeniser(speed, recipe)
    for text in filled(template, every=every):
        wanted = rule(text)
        assert recipe(text) == wanted
        assert compiled(text) == wanted.split()


@pytest.mark.parametrize("count", [150, pytest.param(1_500, marks=pytest.mark.deep)])
def test_scores_of_hard_examples(count: int) -> None:
    for name in NAMES:
        predictions, references = hard_examples(count, seed=len(name))
        best, each = array("d"), array("d")
        for prediction, golds in zip(predictions, references, strict=True):
            told = judge(prediction, golds, plain_recipes.scored(name))
            best.extend(numbers(told))
            for overlapping in told.overlaps:
                each.extend(numbers(overlapping))
        recipe = find_recipe(name)
        for kernel in (overlap, speed):
            options = {
                "tokeniser": tokeniser(kernel, recipe),
                "both_empty": recipe.both_empty,
                "whole_answers": recipe.whole_answers,
            }
            assert_same(kernel.overlap_rows(predictions, references, **options), best, predictions, name)
            assert kernel.overlap_each(predictions, references, **options).tobytes() == each.tobytes(), name


def numbers(told: Judgement | Overlap) -> tuple[float, ...]:
    return told.exact, told.f1, told.precision, told.recall


def assert_same(found: array[float], wanted: array[float], predictions: list[str], name: str) -> None:
    assert found.typecode == "d"
    if found.tobytes() != wanted.tobytes():
        place = next(at for at in range(len(wanted)) if found[at] != wanted[at])
        where = f"{name}, column {place % 4} of {predictions[place // 4]!r}"
        pytest.fail(f"{where}: {found[place]}, not {wanted[place]}")


@pytest.mark.parametrize("name", ["squad", "hotpotqa", "mlqa-ar", "drop", "triviaqa-lm-eval"])
@pytest.mark.parametrize("drop", [False, True])
@pytest.mark.parametrize("count", [500, pytest.param(10_000, marks=pytest.mark.deep)])
def test_both_kernels_agree_on_many_examples(name: str, drop: bool, count: int) -> None:
    recipe = find_recipe(name)
    predictions, references = hard_examples(count, seed=11)
    for both_empty in (1.0, 0.25):
        options = {
            "both_empty": both_empty,
            "drop_empty_references": drop,
            "whole_answers": recipe.whole_answers,
        }
        found = speed.overlap_rows(predictions, references, tokeniser=tokeniser(speed, recipe), **options)
        wanted = overlap.overlap_rows(predictions, references, tokeniser=tokeniser(overlap, recipe), **options)
        assert_same(found, wanted, predictions, name)


@BOTH
@pytest.mark.parametrize("size", [63, 64, 65, 66, 300, pytest.param(3_000, marks=pytest.mark.deep)])
def test_long_texts(kernel: Any, size: int) -> None:
    source = random.Random(size)
    words = [source.choice(("red", "blue", "北京", "x" * 70, str(number % 97), "1.5,")) for number in range(size)]
    texts = [" ".join(words), " ".join(source.sample(words, size)), " ".join(words[: size // 2]), "red " * size]
    for name in ("triviaqa", "mlqa-zh", "triviaqa-lm-eval"):
        wanted = array("d")
        for text in texts:
            wanted.extend(numbers(judge(text, texts[1:], plain_recipes.scored(name))))
        rows = kernel.overlap_rows(texts, [texts[1:]] * 4, tokeniser=tokeniser(kernel, find_recipe(name)))
        assert_same(rows, wanted, texts, name)


@pytest.mark.parametrize("count", [1_000, pytest.param(10_000, marks=pytest.mark.deep)])
def test_squad_by_its_plan_and_by_its_own_kernel(count: int) -> None:
    from fullmarks.text.squad import squad_rows

    predictions, references = hard_examples(count, seed=5)
    for drop in (False, True):
        own = squad_rows(predictions, references, both_empty=1.0, drop_empty_references=drop)
        rows = SQUAD.rows(predictions, references, drop_empty_references=drop)
        assert rows[0::4] == own[0::2]
        assert rows[1::4] == own[1::2]


# The cases of tests/golden/NAME/answers.json hold what the functions of the published programs gave (the script,
# its commit and the command are in each README).
GOLDEN = ("triviaqa", "nq_open", "hotpotqa", "twowiki", "musique", "coqa", "xquad", "qasper", "longbench", "mlqa")
COLUMNS = {"em": 0, "f1": 1, "prec": 2, "recall": 3}


def golden_cases(golden_files: Path, name: str, file: str = "answers") -> list[dict[str, Any]]:
    path = golden_files / name / f"{file}.json"
    cases: list[dict[str, Any]] = json.loads(path.read_text(encoding="utf-8"))["cases"]
    assert len(cases) > 500
    return cases


@pytest.mark.parametrize("name", GOLDEN)
def test_golden_answers(golden_files: Path, name: str) -> None:
    for case in golden_cases(golden_files, name):
        recipe = find_recipe(f"mlqa-{case['language']}" if name == "mlqa" else name)
        prediction, golds = case["prediction"], case["golds"]
        assert recipe(prediction) == case["normal"]
        if "normal_golds" in case:
            assert [recipe(gold) for gold in golds] == case["normal_golds"]
        if name == "coqa":  # its own score leaves one annotator out; the pairs are given besides
            pairs = recipe.pairs([prediction], [golds])
            assert (pairs[0::4].tolist(), pairs[1::4].tolist()) == (case["em_each"], case["f1_each"])
            for metric, key in (("exact_match", "em"), ("token_f1", "f1")):
                scorer = fullmarks.load(metric, recipe="coqa", aggregate="leave-one-out")
                assert scorer.each(predictions=[prediction], references=[golds]) == [case[key]]
            continue
        row = recipe.rows([prediction], [golds])
        for key, column in COLUMNS.items():
            assert row[column] == case.get(key, row[column]), (key, case)


def test_golden_normal_forms_of_textvqa(golden_files: Path) -> None:
    for case in golden_cases(golden_files, "textvqa"):
        assert find_recipe("evalai")(case["text"]) == normalize_evalai(case["text"]) == case["mmf"]
        assert find_recipe("vqa")(case["text"]) == case["vqa"]
        assert find_recipe("textvqa-vlmevalkit")(case["text"]) == case["vlmeval"]


def test_golden_normal_forms_of_vizwiz(golden_files: Path) -> None:
    for case in golden_cases(golden_files, "vizwiz"):
        assert find_recipe("vizwiz")(case["text"]) == case["vizwiz"]


def test_golden_spans_of_drop(golden_files: Path) -> None:
    recipe = find_recipe("drop")
    for case in golden_cases(golden_files, "drop"):
        spans = case["prediction"] if isinstance(case["prediction"], list) else [case["prediction"]]
        assert [recipe(span) for span in spans] == case["normal"]
        assert [recipe(span) for span in case["gold"]] == case["normal_gold"]


def test_golden_words_of_jieba(golden_files: Path) -> None:
    pytest.importorskip("jieba", reason="needs jieba: make install")
    recipe = find_recipe("longbench-zh")
    for case in golden_cases(golden_files, "longbench", "answers_zh"):
        assert recipe.tokens(case["prediction"]) == case["tokens"]
        assert recipe.rows([case["prediction"]], [case["golds"]])[1] == case["f1"]


# Single cases that the published programs were run on (see the specification of each benchmark).
RUN = [
    ("triviaqa", "U.S.", "u s"),
    ("triviaqa", "the_end", "end"),
    ("triviaqa", "O’Neill", "o neill"),
    ("triviaqa", "“Titan”", "“titan”"),
    ("nq_open", "à la carte", "\u0300 la carte"),
    ("nq_open", "áb", "\u0301b"),
    ("mlqa-en", "$5 + <b> ^ ` | ~ =", "5 b"),
    ("mlqa-ar", "والقاهرة", "و قاهرة"),
    ("mlqa-ar", "رجال", "رج"),
    ("mlqa-ar-lm-eval", "والقاهرة", "والقاهرة"),
    ("mlqa-ar-lm-eval", "x\nالبيت", "x بيت"),
    ("mlqa-vi", "la\u0300 người", "la\u0300 người"),
    ("mlqa-zh", "㐀龥龦𠀀", "㐀 龥 龦𠀀"),
    ("mlqa-zh", "3.5万", "35 万"),
    ("drop", "(3.14)", "314.0"),
    ("drop", "5\n\nPassage", "5 passage"),
    ("drop", "1e400", "inf"),
    ("drop", "a\tb", "b"),
]


@pytest.mark.parametrize(("name", "text", "normal"), RUN)
def test_what_the_programs_gave(name: str, text: str, normal: str) -> None:
    recipe = find_recipe(name)
    assert recipe(text) == normal
    assert recipe.steps(text)[-1] == (recipe.order[-1].name, normal)
    assert recipe.tokeniser()(text) == recipe.tokens(text) == normal.split()


def test_a_recipe_is_a_value() -> None:
    for name in recipe_names():
        recipe = find_recipe(name)
        assert recipe.name == name
        assert recipe.signature == f"norm:{name}"
        assert find_recipe(recipe) is recipe
        assert pickle.loads(pickle.dumps(recipe)) == recipe
        assert hash(recipe) == hash(pickle.loads(pickle.dumps(recipe)))
        assert all(step.name for step in recipe.order)


def test_unknown_recipes() -> None:
    with pytest.raises(fullmarks.UsageError, match=r"unknown recipe 'mlqa-fr'\. Did you mean 'mlqa-"):
        find_recipe("mlqa-fr")
    with pytest.raises(fullmarks.UsageError, match=r"unknown recipe '\.\./x'"):
        find_recipe("../x")
    with pytest.raises(fullmarks.UsageError, match="unknown recipe ''"):
        find_recipe("")


@pytest.mark.parametrize(
    "order",
    [
        (steps.LOWER,),
        (steps.STRIP, steps.LOWER, steps.SINGLE_BLANKS),
        (steps.NO_ENGLISH_ARTICLES, steps.LOWER, steps.SINGLE_BLANKS),
        (steps.LOWER, steps.Words("of two words", ("of the",)), steps.SINGLE_BLANKS),
        (steps.LOWER, steps.Anywhere("a blank", "a "), steps.SINGLE_BLANKS),
        (steps.LOWER, steps.NO_ENGLISH_ARTICLES, steps.CjkCharacters()),
        (),
    ],
)
def test_what_is_no_single_pass_has_no_plan(order: tuple[steps.Step, ...]) -> None:
    assert plan_of(order) is None
    recipe = Recipe("mine", order)
    for text in hard_texts(500, seed=3):
        assert recipe.tokeniser()(text) == recipe.tokens(text)


@pytest.mark.parametrize("count", [1_000, pytest.param(10_000, marks=pytest.mark.deep)])
def test_recipes_of_others_have_a_plan_too(count: int) -> None:
    greek = steps.Words("Greek articles", ("ο", "η", "το"))
    blanked = steps.Characters("some", "x—_", becomes=" ")
    orders: list[tuple[steps.Step, ...]] = [
        (steps.NFD, blanked, steps.LOWER, steps.NO_PUNCTUATION, greek, steps.SINGLE_BLANKS),
        (steps.NO_ASCII_PUNCTUATION, steps.SINGLE_BLANKS),
        (steps.LOWER, steps.Anywhere("aba", "aba"), steps.SINGLE_BLANKS),
        (steps.LOWER, greek, steps.SINGLE_BLANKS),
    ]
    texts = [*hard_texts(count, seed=4), "abababa abaaba ab.aba aabaa", "x—_ ο άνθρωπος Η_γη η γη Το"]
    for order in orders:
        assert plan_of(order) is not None
        recipe = Recipe("mine", order)
        for kernel in (overlap, speed):
            cut = tokeniser(kernel, recipe)
            assert [cut(text) for text in texts] == [recipe.tokens(text) for text in texts]


# Each case is what a caller may get wrong, and the message both kernels give.
WRONG: list[tuple[Any, Any, type[Exception], str]] = [
    ([None], [["b"]], TypeError, "prediction 0 is of type NoneType, expected str"),
    (["b"], ["b"], TypeError, "references of example 0 are of type str, expected a list"),
    (["b"], [["b", 5]], TypeError, "reference 1 of example 0 is of type int, expected str"),
    ("b", [["b"]], TypeError, "predictions are of type str, expected a list"),
    (["b"], [], ValueError, "1 predictions for 0 lists of references"),
]


@BOTH
@pytest.mark.parametrize(("predictions", "references", "error", "message"), WRONG)
def test_wrong_input(kernel: Any, predictions: Any, references: Any, error: type[Exception], message: str) -> None:
    for function in (kernel.overlap_rows, kernel.overlap_each):
        with pytest.raises(error) as caught:
            function(predictions, references, tokeniser=tokeniser(kernel, SQUAD))
        assert str(caught.value) == message


@BOTH
def test_errors_of_a_recipe_come_out(kernel: Any) -> None:
    def fail(text: str) -> str:
        raise LookupError(text)

    with pytest.raises(LookupError, match="b"):
        kernel.overlap_rows(["b"], [["b"]], tokeniser=kernel.Tokeniser(fail))
    with pytest.raises(TypeError, match="normal must be callable"):
        kernel.Tokeniser(5)


@needs_compiled
def test_a_plan_is_checked() -> None:
    def plan(**changed: Any) -> SimpleNamespace:
        parts = {"prepare": str.lower, "kind": lambda code: overlap.WORD, "words": (), "anywhere": ""}
        return SimpleNamespace(**{**parts, **changed})

    assert speed.Tokeniser(str, plan())("a b") == ["a b"]
    for wrong, error in (
        ({"kind": lambda code: 9}, ValueError),
        ({"kind": lambda code: "x"}, TypeError),
        ({"kind": None}, TypeError),
        ({"prepare": lambda text: text * 2}, ValueError),
        ({"prepare": lambda text: 5}, TypeError),
        ({"words": ["a"]}, TypeError),
        ({"words": (5,)}, TypeError),
        ({"anywhere": 5}, TypeError),
    ):
        with pytest.raises(error):
            speed.Tokeniser(str, plan(**wrong))
    with pytest.raises(AttributeError):
        speed.Tokeniser(str, SimpleNamespace())
    with pytest.raises(TypeError, match="a tokeniser is needed"):
        speed.overlap_rows([], [])
    with pytest.raises(TypeError, match="tokeniser is of type function, expected Tokeniser"):
        speed.overlap_rows([], [], tokeniser=fullmarks.load)
    with pytest.raises(TypeError, match="text is of type bytes, expected str"):
        speed.Tokeniser(str)(b"b")
    with pytest.raises(TypeError, match="the normal form is of type int, expected str"):
        speed.Tokeniser(len)("b")


@needs_compiled
def test_references_may_change_while_a_recipe_works() -> None:
    references = [["word é"] * 50 for _ in range(20)]

    def normal(text: str) -> str:
        for golds in references:
            golds.clear()
        return text

    rows = speed.overlap_rows(["word é"] * 20, references, tokeniser=speed.Tokeniser(normal))
    assert rows[:4].tolist() == [1.0] * 4
    assert rows[4:].tolist() == [0.0] * 76


@needs_compiled
@pytest.mark.parametrize("times", [30, pytest.param(150, marks=pytest.mark.deep)])
def test_no_memory_is_lost(times: int) -> None:
    predictions, references = hard_examples(300, seed=4)
    recipes = [find_recipe(name) for name in ("nq_open", "mlqa-zh", "triviaqa-lm-eval")]

    def run() -> None:
        for recipe in recipes:
            cut = tokeniser(speed, recipe)
            speed.overlap_rows(predictions, references, tokeniser=cut, whole_answers=("yes",))
            speed.overlap_each(predictions, references, tokeniser=cut)
        with pytest.raises(TypeError):
            speed.overlap_each(predictions, [*references[:-1], [None]], tokeniser=cut)

    for _ in range(10):
        run()
    gc.collect()
    own = [text for text in predictions if len(text) > 1]  # shorter ones are shared with the whole process
    counts = [sys.getrefcount(text) for text in own]
    before = resident_kilobytes()
    for _ in range(times):
        run()
    gc.collect()
    # One table of kinds lost at each of 150 runs would be 300 MB, one array of rows 1.5 MB a recipe.
    assert resident_kilobytes() - before < 4_000
    assert [sys.getrefcount(text) for text in own] == counts


@needs_compiled
def test_a_tokeniser_in_a_circle_is_collected() -> None:
    class Owner:
        """Holds the tokeniser that calls it."""

        alive = 0

        def __init__(self) -> None:
            Owner.alive += 1
            self.cut = speed.Tokeniser(self)

        def __call__(self, text: str) -> str:
            return text

        def __del__(self) -> None:
            Owner.alive -= 1

    Owner()
    gc.collect()
    assert Owner.alive == 0
