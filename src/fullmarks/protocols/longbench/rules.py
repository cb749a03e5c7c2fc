"""LongBench's normalisers: SQuAD's for English tasks; for Chinese ones the words that jieba finds."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from fullmarks.optional import require
from fullmarks.text.recipes import SQUAD, Recipe
from fullmarks.text.steps import ASCII_PUNCTUATION, Apply, Characters

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
