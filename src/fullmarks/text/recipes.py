"""Normalisers as recipes: ordered, named steps; the ones that benchmarks share, and how one is found by its name.

Invariant: a recipe is a value. What one benchmark alone has stands in that benchmark's folder, in the `RECIPES` of
its `rules`, and is found there by the first part of its name (`mlqa-zh` in `mlqa`): adding one touches no list.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from fullmarks.checks import wrong_value
from fullmarks.errors import UsageError
from fullmarks.text.character_plan import CharacterPlan, plan_of
from fullmarks.text.evalai import open_up
from fullmarks.text.kernel import Tokeniser, overlap_each, overlap_rows
from fullmarks.text.memo import Memo
from fullmarks.text.steps import (
    LOWER,
    NO_ASCII_PUNCTUATION,
    NO_ENGLISH_ARTICLES,
    NO_PUNCTUATION,
    SINGLE_BLANKS,
    Apply,
    CjkCharacters,
    Step,
)
from fullmarks.text.vqa import map_words, strip_punctuation, trim
from fullmarks.text.vqa_forms import evalai_form, vqa_form

if TYPE_CHECKING:
    from fullmarks.text.squad_rule import Judgement


@dataclass(frozen=True)
class Recipe:
    """A normaliser as ordered, named steps. Tokens are what stands between white space after the last of them.

    >>> SQUAD("The  Cat's hat."), SQUAD.tokens("The  Cat's hat.")
    ('cats hat', ['cats', 'hat'])
    """

    name: str
    order: tuple[Step, ...]
    both_empty: float = 0.0
    """The F1 that its benchmark gives two texts of which nothing is left."""
    whole_answers: tuple[str, ...] = ()
    """Words that, where one is all that is left of a text, share nothing with any other text: F1 is then 0."""

    def __call__(self, text: str) -> str:
        """The text after all steps."""
        for step in self.order:
            text = step(text)
        return text

    def tokens(self, text: str) -> list[str]:
        """The words of the normalised text."""
        return self(text).split()

    def steps(self, text: str) -> list[tuple[str, str]]:
        """The name of every step with the text after it.

        >>> SQUAD.steps("A hat.")[:2]
        [('lower case', 'a hat.'), ('ASCII punctuation deleted', 'a hat')]
        """
        done = []
        for step in self.order:
            text = step(text)
            done.append((step.name, text))
        return done

    @property
    def signature(self) -> str:
        """What stands in the signature of a number.

        >>> SQUAD.signature
        'norm:squad'
        """
        return f"norm:{self.name}"

    def rows(
        self,
        predictions: list[str],
        references: list[list[str]],
        *,
        both_empty: float | None = None,
        drop_empty_references: bool = False,
    ) -> array[float]:
        """Exact match, F1, precision and recall of each example, four doubles a row, each the best over the references.

        With `drop_empty_references` a reference whose normal form is empty does not count, and an example with no
        other wants the empty answer; without it, an example that has no references scores 0 throughout.

        >>> list(SQUAD.rows(["the cat sat"], [["a cat", "dogs"]]))
        [0.0, 0.6666666666666666, 0.5, 1.0]
        """
        return overlap_rows(
            predictions,
            references,
            tokeniser=self.tokeniser(),
            both_empty=self.both_empty if both_empty is None else both_empty,
            drop_empty_references=drop_empty_references,
            whole_answers=self.whole_answers,
        )

    def pairs(
        self, predictions: list[str], references: list[list[str]], *, both_empty: float | None = None
    ) -> array[float]:
        """Exact match, F1, precision and recall of each prediction against each reference, four doubles a pair.

        >>> list(SQUAD.pairs(["the cat"], [["a cat", "dogs"]]))
        [1.0, 1.0, 1.0, 1.0, 0.0, 0.0, 0.0, 0.0]
        """
        return overlap_each(
            predictions,
            references,
            tokeniser=self.tokeniser(),
            both_empty=self.both_empty if both_empty is None else both_empty,
            whole_answers=self.whole_answers,
        )

    def judge(
        self,
        prediction: str,
        references: Sequence[str],
        *,
        both_empty: float | None = None,
        drop_empty_references: bool = False,
    ) -> Judgement:
        """One answer by the rule itself, with its steps: what `rows` has for every example, plainly.

        >>> SQUAD.judge("the cat sat", ["a cat", "dogs"]).overlaps[0].shared
        ['cat']
        """
        from fullmarks.text.squad_rule import Rule, judge

        empty = self.both_empty if both_empty is None else both_empty
        return judge(prediction, references, Rule(self, empty, drop_empty_references, self.whole_answers))

    @property
    def has_squad_steps(self) -> bool:
        """Whether the steps are SQuAD's, which have a path of their own in the kernel."""
        return self.order == SQUAD.order

    def form(self) -> Callable[[str], str]:
        """What makes normal forms, fast: the kernel where the steps are VQA's or EvalAI's, else the recipe itself."""
        return vqa_form() if self.order == VQA.order else evalai_form() if self.order == EVALAI.order else self

    def tokeniser(self) -> Tokeniser:
        """What the kernel cuts texts with, fast: by tables of characters, or each distinct text once by the steps."""
        return _planned(self.order) or Tokeniser(Memo(self).__getitem__)


@lru_cache(maxsize=64)
def _planned(order: tuple[Step, ...]) -> Tokeniser | None:
    """The tokeniser of steps that are one pass over the characters, kept because it learns their kinds."""
    plan: CharacterPlan | None = plan_of(order)
    return None if plan is None else Tokeniser(Recipe("", order), plan)


SQUAD = Recipe("squad", (LOWER, NO_ASCII_PUNCTUATION, NO_ENGLISH_ARTICLES, SINGLE_BLANKS), both_empty=1.0)
"""SQuAD's, and that of the many benchmarks that took it over."""

CHINESE_STEPS: tuple[Step, ...] = (LOWER, NO_PUNCTUATION, CjkCharacters())
"""MLQA's steps for Chinese answers, which other benchmarks take over: each Chinese character a token."""

TRIM = Apply("line breaks and tabs to blanks, none around", trim)
VQA = Recipe(
    "vqa",
    (
        TRIM,
        Apply("punctuation deleted or to blanks", strip_punctuation),
        Apply("number words to digits, no articles, contractions spelled out", map_words),
    ),
)
"""VQA's, where the annotators disagree."""
EVALAI = Recipe("evalai", (Apply("lower case, no commas and question marks, 's apart", open_up), *VQA.order))
"""That of mmf's EvalAI evaluators, step by step; `text.evalai.normalize_evalai` is the same at once."""

SHARED: Mapping[str, Recipe] = {"squad": SQUAD, "vqa": VQA, "evalai": EVALAI}


def find_recipe(recipe: str | Recipe) -> Recipe:
    """The recipe of that name, or an error that suggests the nearest; a recipe stands for itself.

    >>> find_recipe("triviaqa")("rock'n'roll")
    'rock n roll'
    """
    if isinstance(recipe, Recipe):
        return recipe
    if not isinstance(recipe, str):
        raise wrong_value("recipe", "the name of a recipe or a recipe", recipe)
    found = SHARED.get(recipe) or _of_folder(recipe.partition("-")[0]).get(recipe)
    if found is None:
        from difflib import get_close_matches

        near = get_close_matches(recipe, recipe_names(), n=2, cutoff=0.5) or recipe_names()[:2]
        hint = " or ".join(f"'{candidate}'" for candidate in near)
        raise UsageError(f"unknown recipe '{recipe}'. Did you mean {hint}? All of them: {', '.join(recipe_names())}")
    return found


def recipe_names() -> list[str]:
    """All names: the shared ones, then those of the benchmarks by folder."""
    import pkgutil

    folders = sorted(module.name for module in pkgutil.iter_modules(_benchmarks().__path__) if module.ispkg)
    return [*SHARED, *(name for folder in folders for name in _of_folder(folder))]


def _benchmarks() -> Any:
    from importlib import import_module

    return import_module("fullmarks.protocols")


def _of_folder(folder: str) -> Mapping[str, Recipe]:
    """What the rules of a benchmark offer; nothing where there is no such folder or it has none."""
    from importlib import import_module

    place = f"fullmarks.protocols.{folder}"
    try:
        rules = import_module(f"{place}.rules")
    except ModuleNotFoundError as error:
        if error.name is not None and f"{place}.rules".startswith(error.name):
            return {}
        raise
    recipes: Mapping[str, Recipe] = getattr(rules, "RECIPES", {})
    return recipes
