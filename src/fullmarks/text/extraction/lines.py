"""The steps that leave wrapping away: reasoning traces, phrases before an answer, all lines but one.

Where there is nothing to leave away, the text goes on unchanged: it may well be the bare answer.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise

from fullmarks.text.extraction.found import Found, found
from fullmarks.text.extraction.markup import without_markup

_NAMES = "think|thinking|thought|thoughts|reasoning|reason|analysis|reflection|scratchpad"
_OPENING = rf"<(?:seed:)?(?:{_NAMES})>|\[think\]|◁think▷|<\|begin_of_thought\|>|<\|channel\|>analysis<\|message\|>"
_CLOSING = rf"</(?:seed:)?(?:{_NAMES})>|\[/think\]|◁/think▷|<\|end_of_thought\|>|<\|channel\|>final<\|message\|>"

_WORD = r"[^\W\d_]{1,20}"
_PAUSE = r"[\s*_`\"']{0,6}"
_ENGLISH = (r"answers?|ans\.?", r"is|are|was|would be|should be|must be|will be|might be|could be")
_ANSWERS = {
    r"antwort(?:en)?": r"ist|lautet|wäre|sind",
    r"réponses?": r"est|serait|sont",
    r"respuestas?": r"es|sería|son",
    r"respostas?": r"é|seria|são",
    r"rispost[ae]": r"è|sarebbe|sono",
    r"antwoord": r"is|luidt",
    r"odpowied[źz]": r"to|brzmi|jest",
    r"svar(?:et)?": r"är|er",
    r"ответ": r"это|будет|является",
    r"відповідь": r"це|буде",
    r"đáp án|câu trả lời": r"là",
    r"jawaban(?:nya)?": r"adalah|ialah",
    r"cevap|cevabı|yanıt": r"şudur",
    r"الإجابة|الاجابة|إجابة|الجواب|جواب": r"هي|هو",
    r"उत्तर|जवाब|پاسخ": r"है|است",
}
"""The word for an answer, and the words that may join it to what the answer is; a colon or a dash always may."""
_UNSPACED = r"(?:答案|正解|正确选项|答え|回答|答|정답|답)"
_UNSPACED_JOINTS = r"(?:应该是|应该为|應該是|应为|應為|就是|选择|選擇|选|選|是|为|為|は|은|는|:|：)"

_ABBREVIATIONS = (
    " mr mrs ms dr st jr sr prof gen col capt lt sgt rev hon gov sen rep inc ltd co corp bros vs etc mt ft ave blvd "
    "dept est fig vol art approx ca cf hr min sec oz lb nr mme mlle sig dott ул им стр гг руб тыс млн млрд др пр см "
)
"""Words after which a full stop does not end a sentence."""
_ENDS = (".", "!", "?", "。", "！", "？", "\n", "\r")
_SENTENCE_END = re.compile(r"[.!?](?=[\"'”’*_)\]]{0,4}\s)|[。！？]")


def after_think(text: str) -> Found:
    """What follows the last closing mark of a reasoning trace.

    A trace that was opened and never closed holds no answer: nothing goes on.
    """
    marks = list(_trace_marks().finditer(text))
    closing = [mark for mark in marks if mark.lastgroup == "closing"]
    if closing:
        return found(text[closing[-1].end() :].strip(), len(closing) > 1)
    return Found("" if marks else text, "none")


def first_line(text: str) -> Found:
    """The first line that is not blank."""
    return _line(text, 0)


def last_line(text: str) -> Found:
    """The last line that is not blank."""
    return _line(text, -1)


def _line(text: str, place: int) -> Found:
    lines = text.strip().splitlines()
    return Found(lines[place].strip()) if lines else Found("", "none")


def final_answer(text: str) -> Found:
    """What follows the last "answer is", "answer:" and the like, to the end of its sentence or line, without markup."""
    marks = list(_answer_marks().finditer(text))
    if not marks:
        return Found(text, "none")
    last = _sentence_after(text, marks[-1].end(), len(text))
    return found(last, any(told not in ("", last) for told in _told_before(text, marks)))


def answer_places(text: str) -> list[int]:
    """The positions after every phrase that announces an answer."""
    return [mark.end() for mark in _answer_marks().finditer(text)]


def _told_before(text: str, marks: list[re.Match[str]]) -> Iterator[str]:
    """The answers after all marks but the last; a mark that runs into the next one announces nothing of its own."""
    for mark, following in pairwise(marks):
        between = text[mark.end() : following.start()].lstrip().rstrip(" \t*_`")
        if between.endswith(_ENDS) or len(_first_sentence(between)) < len(between):
            yield _sentence_after(text, mark.end(), following.start())


def _sentence_after(text: str, start: int, stop: int) -> str:
    """The first line that is not blank from a position on, up to the end of its first sentence."""
    while start < stop and (text[start].isspace() or text[start] in "*_`>#"):
        start += 1
    return without_markup(_first_sentence(text[start:stop])).removesuffix("입니다").removesuffix("です")


def _first_sentence(text: str) -> str:
    """The first line, up to the end of its first sentence or of the element that holds an answer."""
    line, *_ = text.splitlines() or [""]
    line = line.partition("</answer>")[0]
    for end in _SENTENCE_END.finditer(line):
        if end[0] != "." or _ends_sentence(line, end.start()):
            return line[: end.end()]
    return line


def _ends_sentence(line: str, dot: int) -> bool:
    """Whether a full stop before a blank ends a sentence, and not a title, an initial or another abbreviation."""
    word = line[max(0, dot - 20) : dot].rpartition(" ")[2].strip("\"'“”‘’*_()[]")
    following = line[dot + 1 : dot + 12].lstrip("\"'”’*_)] ")[:1]
    if (
        ("." in word and word[-1].isalpha())
        or f" {word.lower()} " in _ABBREVIATIONS
        or following.islower()
        or following.isdigit()
    ):
        return False
    return not (len(word) == 1 and word.isalpha() and dot > len(word))


@lru_cache(maxsize=1)
def _trace_marks() -> re.Pattern[str]:
    return re.compile(rf"(?P<closing>{_CLOSING})|(?P<opening>{_OPENING})", re.IGNORECASE)


@lru_cache(maxsize=1)
def _answer_marks() -> re.Pattern[str]:
    """Every part is bounded, so that a search costs no more than a constant at each position."""
    # The English word is a verb as well ("I cannot answer this as it is ..."), so little may stand between.
    spaced = [_announced(*_ENGLISH, rf"(?:[ \t](?:to|for|of|here)\b(?:[ \t]{_WORD}){{0,6}}?)?")]
    spaced += [_announced(noun, joint, rf"(?:[ \t]{_WORD}){{0,4}}?") for noun, joint in _ANSWERS.items()]
    heading = r"^[#*_ \t]{0,8}(?:final[ \t]{1,3})?answer[*_ \t]{0,8}$"
    unspaced = rf"{_UNSPACED}[^\W\d_]{{0,4}}?{_PAUSE}{_UNSPACED_JOINTS}[:：]?"
    return re.compile(
        rf"\b(?:{'|'.join(spaced)})|{unspaced}|####(?=[ \t])|<answer>|{heading}", re.IGNORECASE | re.MULTILINE
    )


def _announced(noun: str, joint: str, between: str) -> str:
    return rf"(?:{noun}){between}{_PAUSE}(?:[:=：]|(?<=[ \t])[—–-](?=[ \t])|(?<=[\s*_])(?:{joint})\b[ \t]{{0,3}}:?)"
