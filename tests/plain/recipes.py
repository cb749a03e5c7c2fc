"""Every benchmark's normaliser as its definition states it: slow, plain, the oracle of the recipes.

SQuAD's and VQA's, on which others build, are those of the package's own plain rules; nothing else is shared with it but
word tables. As in the published programs, the others make their tables in each call (MLQA's set of punctuation apart,
which its program too makes once); the benchmarks measure against that.
"""

from __future__ import annotations

import json
import re
import string
import sys
import unicodedata
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path

from fullmarks.text import vqa_rule
from fullmarks.text.squad_rule import Rule
from fullmarks.text.squad_rule import normal_form as squad

Normal = Callable[[str], str]


def triviaqa(text: str) -> str:
    """As SQuAD's, but underscores, then ASCII punctuation and four more marks, become blanks."""
    excluded = set(string.punctuation + "".join(["\u2018", "\u2019", "\u00b4", "`"]))
    lowered = text.replace("_", " ").lower()
    blanked = "".join(character if character not in excluded else " " for character in lowered)
    return " ".join(re.sub(r"\b(a|an|the)\b", " ", blanked).split()).strip()


def nq_open(text: str) -> str:
    """SQuAD's after NFD."""
    return squad(unicodedata.normalize("NFD", text))


def twowiki_evidence(text: str) -> str:
    """SQuAD's with the articles kept."""
    excluded = set(string.punctuation)
    return " ".join("".join(character for character in text.lower() if character not in excluded).split())


@lru_cache(maxsize=1)
def all_punctuation() -> frozenset[str]:
    found = {chr(code) for code in range(sys.maxunicode) if unicodedata.category(chr(code)).startswith("P")}
    return frozenset(found.union(string.punctuation))


_ARTICLES = {
    "en": r"\b(a|an|the)\b",
    "es": r"\b(un|una|unos|unas|el|la|los|las)\b",
    "de": r"\b(ein|eine|einen|einem|eines|einer|der|die|das|den|dem|des)\b",
    "ar": "\u0627\u0644",
    "vi": "\\b(c\u1ee7a|l\u00e0|c\u00e1i|chi\u1ebfc|nh\u1eefng)\\b",
}


def mlqa(text: str, language: str) -> str:
    """Lower, all punctuation deleted, articles of the language to blank, single blanks, Chinese characters apart."""
    excluded = all_punctuation()
    bare = "".join(character for character in text.lower() if character not in excluded)
    if language in _ARTICLES:
        bare = re.sub(_ARTICLES[language], " ", bare)
    return " ".join(chinese_tokens(bare) if language == "zh" else bare.split())


def chinese_tokens(text: str) -> list[str]:
    """Characters U+4E00 to U+9FA5 one by one, the rest between them cut at white space."""
    tokens: list[str] = []
    waiting = ""
    for character in text:
        if re.search("[\u4e00-\u9fa5]", character):
            tokens += waiting.split()
            tokens.append(character)
            waiting = ""
        else:
            waiting += character
    return tokens + waiting.split()


def mlqa_arabic_at_starts(text: str) -> str:
    """MLQA's for Arabic, the article only where a word between white space begins."""
    bare = "".join(character for character in text.lower() if character not in all_punctuation())
    return " ".join(re.sub("(?:^|\\s)\u0627\u0644", " ", bare).split())


def triviaqa_lm_eval(text: str) -> str:
    """Lower, ASCII punctuation deleted, nothing else."""
    return "".join(character for character in text.lower() if character not in string.punctuation)


def nq_open_lm_eval(text: str) -> str:
    """Six spellings of articles deleted with the blank after them, then as for TriviaQA."""
    return triviaqa_lm_eval(re.sub(r"\b(?:The |the |An |A |The |a |an )", "", text))


def drop(text: str) -> str:
    """Pieces between blanks and hyphens, numbers as floats."""
    pieces = [_drop_piece(piece.lower()) for piece in re.split(" |-", text)]
    return " ".join(piece for piece in pieces if piece.strip()).strip()


def _drop_piece(piece: str) -> str:
    if not _is_number(piece):
        excluded = set(string.punctuation)
        piece = "".join(character for character in piece if character not in excluded)
    if _is_number(piece):
        piece = str(float(piece))
    return " ".join(re.sub(r"\b(a|an|the)\b", " ", piece).split())


def _is_number(text: str) -> bool:
    try:
        float(text)
        return True
    except ValueError:
        return False


def vqa(text: str) -> str:
    """VQA's, all of its steps."""
    return vqa_rule.normal_form(vqa_rule.trimmed(text))


def evalai(text: str) -> str:
    """VQA's after lower case, no commas and question marks, and a blank before 's."""
    lowered = "".join(character for character in text.lower() if character not in ",?")
    return vqa(re.sub("'s", " 's", lowered).strip())


def vizwiz(text: str) -> str:
    """VQA's with another table of contractions."""
    return vqa_rule.mapped_words(vqa_rule.without_punctuation(vqa_rule.trimmed(text)), vizwiz_contractions())


@lru_cache(maxsize=1)
def vizwiz_contractions() -> dict[str, str]:
    folder = Path(__file__).parents[2] / "src" / "fullmarks" / "protocols" / "vizwiz"
    found: dict[str, str] = json.loads((folder / "contractions.json").read_text(encoding="utf-8"))["contractions"]
    return found


def textvqa_vlmevalkit(text: str) -> str:
    """VQA's, a period beside a digit on either side being kept, at most 32 others deleted."""
    bare = vqa_rule.without_marks(vqa_rule.trimmed(text))
    kept, gone = [], 0
    for at, character in enumerate(bare):
        beside = bare[at - 1 : at] + bare[at + 1 : at + 2] if at else bare[1:2]
        if character == "." and gone < 32 and not any(neighbour.isdecimal() for neighbour in beside):
            gone += 1
        else:
            kept.append(character)
    return vqa_rule.mapped_words("".join(kept))


RULES: dict[str, Normal] = {
    **dict.fromkeys(("squad", "hotpotqa", "twowiki", "musique", "coqa", "xquad", "qasper", "longbench"), squad),
    "triviaqa": triviaqa,
    **dict.fromkeys(("triviaqa-lm-eval", "gqa-lmms-eval"), triviaqa_lm_eval),
    "nq_open": nq_open,
    "nq_open-lm-eval": nq_open_lm_eval,
    "twowiki-evidence": twowiki_evidence,
    **{
        f"mlqa-{language}": (lambda text, language=language: mlqa(text, language))
        for language in ("en", "es", "de", "ar", "hi", "vi", "zh")
    },
    "mlqa-ar-lm-eval": mlqa_arabic_at_starts,
    "xquad-zh": lambda text: mlqa(text, "zh"),
    "drop": drop,
    "vqa": vqa,
    "evalai": evalai,
    "vizwiz": vizwiz,
    "vizwiz-llava-upload": lambda text: vizwiz(evalai(text)),
    "textvqa-vlmevalkit": textvqa_vlmevalkit,
}
"""The rule behind every name."""

BOTH_EMPTY = {"squad": 1.0, "musique": 1.0, "coqa": 1.0}
WHOLE_ANSWERS = dict.fromkeys(("hotpotqa", "twowiki"), ("yes", "no", "noanswer"))


def scored(name: str) -> Rule:
    """How answers are judged after the normaliser of that name."""
    return Rule(RULES[name], BOTH_EMPTY.get(name, 0.0), whole_answers=WHOLE_ANSWERS.get(name, ()))
