"""LongBench's rule for its data sets of questions: token F1 after SQuAD's normaliser, or over jieba's words in Chinese.

The other data sets of LongBench have other rules (ROUGE, classes, counts, edit distance) and are named to be refused.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from fullmarks.optional import require
from fullmarks.text.recipes import SQUAD, Recipe
from fullmarks.text.steps import ASCII_PUNCTUATION, Apply, Characters

if TYPE_CHECKING:
    from fullmarks.text import squad_rule

CHINESE_PUNCTUATION = (
    "！？｡。＂＃＄％＆＇（）＊＋，－／：；＜＝＞＠［＼］＾＿｀｛｜｝～｟｠｢｣､、〃》「」『』【】〔〕〖〗〘〙〚〛〜〝〞〟〰〾〿"
    "–—‘’‛“”„‟…‧﹏."
)
"""As the benchmark lists them: 《 is not among them."""
NO_CHINESE_PUNCTUATION = Characters("ASCII and listed Chinese punctuation", ASCII_PUNCTUATION + CHINESE_PUNCTUATION)


def chinese_words(text: str) -> str:
    """The words that jieba finds, each in lower case without punctuation and white space, joined by one blank."""
    words = ("".join(NO_CHINESE_PUNCTUATION(word.lower()).split()) for word in _jieba().cut(text))
    return " ".join(word for word in words if word)


@lru_cache(maxsize=1)
def _jieba() -> Any:
    jieba = require("jieba", needed_by="the recipe longbench-zh", extra="zh")
    jieba.setLogLevel("WARNING")  # it reports the loading of its dictionary otherwise
    return jieba


RECIPE = Recipe("longbench", SQUAD.order)
CHINESE = Recipe("longbench-zh", (Apply("words of jieba in lower case without punctuation", chinese_words),))
RECIPES = {recipe.name: recipe for recipe in (RECIPE, CHINESE)}

ENGLISH_TASKS = ("narrativeqa", "qasper", "multifieldqa_en", "hotpotqa", "2wikimqa", "musique", "triviaqa")
CHINESE_TASKS = ("multifieldqa_zh",)
TASKS = (*ENGLISH_TASKS, *CHINESE_TASKS)
FIRST_LINE_TASKS = ("triviaqa",)
"""Where only the first line of a prediction counts: models go on with further questions there."""
OTHER_TASKS = {
    **dict.fromkeys(("gov_report", "qmsum", "multi_news", "samsum"), "ROUGE-L"),
    **dict.fromkeys(("dureader", "vcsum"), "ROUGE-L over Chinese words"),
    **dict.fromkeys(("trec", "lsht"), "the class that is named"),
    **dict.fromkeys(("passage_retrieval_en", "passage_retrieval_zh"), "the number of a paragraph"),
    "passage_count": "a count",
    **dict.fromkeys(("lcc", "repobench-p"), "the edit distance of code"),
}
"""LongBench's data sets that are not of questions and short answers, with what they are scored by."""

LENGTHS = ("0-4k", "4-8k", "8k+")


def length_class(length: float) -> str:
    """The class of LongBench-E that a text of so many words belongs to.

    >>> length_class(3999), length_class(4000), length_class(8000)
    ('0-4k', '4-8k', '8k+')
    """
    return LENGTHS[0] if length < 4000 else LENGTHS[1] if length < 8000 else LENGTHS[2]


def first_line(prediction: str) -> str:
    """The text up to its first line feed, those at its beginning aside; a line of blanks is a line.

    >>> first_line("\\n\\nParis\\nQuestion: ..."), first_line(" \\nParis")
    ('Paris', ' ')
    """
    return prediction.lstrip("\n").split("\n")[0]


def line_before_stop(prediction: str) -> str:
    """lm-evaluation-harness: what stands before the first line feed, where generation stops."""
    return prediction.split("\n", maxsplit=1)[0]


def recipe_of(task: str) -> Recipe:
    """The normaliser of a data set."""
    return CHINESE if task in CHINESE_TASKS else RECIPE


@dataclass(frozen=True)
class Judgement:
    """The score of one answer, what of the prediction counted, and how that meets the references."""

    f1: float
    counted: str
    overlap: squad_rule.Judgement


def judge(task: str, prediction: str, golds: Sequence[str]) -> Judgement:
    """The best F1 over the references, 0 where there is none; two texts without a token share nothing.

    >>> judge("triviaqa", "x\\ny", ["x"]).f1, judge("hotpotqa", "x\\ny", ["x"]).f1
    (1.0, 0.6666666666666666)
    """
    counted = first_line(prediction) if task in FIRST_LINE_TASKS else prediction
    overlap = recipe_of(task).judge(counted, golds)
    return Judgement(overlap.f1, counted, overlap)
