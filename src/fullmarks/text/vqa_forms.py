"""The normal forms of VQA and EvalAI as the kernel makes them, each with its table of words, made once."""

from __future__ import annotations

from functools import cache

from fullmarks.text.kernel import VqaForm
from fullmarks.text.tables import table
from fullmarks.text.vqa import changed_words


@cache
def vqa_form() -> VqaForm:
    """What `trim` and `normalize_vqa` make of a text.

    >>> vqa_form()(" The two dogs. ")
    '2 dogs'
    """
    return VqaForm(changed_words(table("vqa")["contractions"]))


@cache
def evalai_form() -> VqaForm:
    """What `normalize_evalai` makes of a text.

    >>> evalai_form()("The dog's two toys.")
    "dog 's 2 toys"
    """
    return VqaForm(changed_words(table("vqa")["contractions"]), is_opened=True)
