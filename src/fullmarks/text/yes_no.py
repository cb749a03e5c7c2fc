"""How the answer to a yes-or-no question is read, by the rules of benchmarks and of the tools that run them.

Each rule is one function that gives "yes", "no" or "other" and the piece of the text that decided.
Invariant: the compiled kernel reads as `read_pope`, `read_mme` and `is_yes` do.
"""

from __future__ import annotations

from array import array

from fullmarks.text.inputs import check_texts

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

    Reading = Callable[[str], tuple[str, str]]

YES, NO, OTHER = "yes", "no", "other"
_DENIALS = ("No", "no", "not")
_PLACES = {(True, YES): 0, (False, YES): 1, (False, NO): 2, (True, NO): 3, (True, OTHER): 4, (False, OTHER): 5}
"""The column of a row that is 1, by what is right and what was answered."""
WIDTH = len(_PLACES)


def read_pope(text: str) -> tuple[str, str]:
    """No if a word before the first period is No, no or not, commas deleted first; otherwise yes, whatever it says.

    Only U+0020 parts words. Source: POPE.

    >>> read_pope("No, there is none."), read_pope("NO")
    (('no', 'No there is none'), ('yes', 'NO'))
    """
    start = text.split(".", 1)[0].replace(",", "")
    words = start.split(" ")
    return (NO if any(word in words for word in _DENIALS) else YES), start


def read_mme(text: str) -> tuple[str, str]:
    """What stands in the first four characters in lower case: yes before no; otherwise other. Source: MME.

    >>> read_mme("Noyes"), read_mme("I know"), read_mme("eyes")
    (('no', 'noye'), ('other', 'i kn'), ('yes', 'eyes'))
    """
    start = text.lower()[:4]
    return (YES if YES in start else NO if NO in start else OTHER), start


def read_strict(text: str) -> tuple[str, str]:
    """The whole text in lower case without white space around it, if it is yes or no. Source: POPE in lmms-eval.

    >>> read_strict(" Yes"), read_strict("Yes.")
    (('yes', 'yes'), ('other', 'yes.'))
    """
    whole = text.lower().strip()
    return (whole if whole in (YES, NO) else OTHER), whole


def read_letters(text: str) -> tuple[str, str]:
    """As `read_mme` without white space around it and periods anywhere; y and n alone count. Source: MME in lmms-eval.

    >>> read_letters("   n."), read_letters("e.g. no")
    (('no', 'n'), ('other', 'eg n'))
    """
    whole = text.lower().strip().replace(".", "")
    if len(whole) == 1:
        return {"y": YES, "n": NO}.get(whole, OTHER), whole
    return read_mme(whole)


def read_words(text: str) -> tuple[str, str]:
    """Yes where the words have yes and not no, no where they have no and not yes; punctuation as in VQA.

    Source: VLMEvalKit.

    >>> read_words("Yes! It is."), read_words("yes and no"), read_words("no: none")
    (('yes', 'yes it is'), ('other', 'yes and no'), ('other', 'no: none'))
    """
    from fullmarks.text.vqa import strip_punctuation

    words = strip_punctuation(text.lower()).split()
    has_yes, has_no = YES in words, NO in words
    return (OTHER if has_yes == has_no else YES if has_yes else NO), " ".join(words)


READINGS: dict[str, Reading] = {
    "pope": read_pope,
    "mme": read_mme,
    "strict": read_strict,
    "letters": read_letters,
    "words": read_words,
}


def is_yes(label: str, reading: str) -> bool:
    """Whether yes is right. By POPE's reading every label but exactly "no" says so; by others all else is an error.

    >>> is_yes("No", "pope"), is_yes("No", "mme")
    (True, False)
    """
    if reading == "pope":
        return label != NO
    if label.lower() not in (YES, NO):
        raise ValueError(f"expected yes or no as the right answer, found {label!r}")
    return label.lower() == YES


def yes_no_rows(predictions: list[str], references: list[list[str]], *, is_pope: bool) -> array[float]:
    """What each answer counts as, six doubles a row; by POPE's reading or by MME's."""
    return read_rows(predictions, references, "pope" if is_pope else "mme")


def read_rows(predictions: list[str], references: list[list[str]], reading: str) -> array[float]:
    """The same by any reading: right and wrong yes, right and wrong no, then answers that are neither, where yes or no
    is right. Each distinct text is read once; of several references the first counts."""
    check_texts(predictions, references)
    read, answers, labels = READINGS[reading], {}, {}
    rows = array("d", bytes(8 * WIDTH * len(predictions)))
    for at, (prediction, golds) in enumerate(zip(predictions, references, strict=True)):
        if not golds:
            raise ValueError("expected yes or no as the right answer, found none")
        if prediction not in answers:
            answers[prediction] = read(prediction)[0]
        if golds[0] not in labels:
            labels[golds[0]] = is_yes(golds[0], reading)
        rows[WIDTH * at + _PLACES[labels[golds[0]], answers[prediction]]] = 1.0
    return rows
