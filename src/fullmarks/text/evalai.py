"""The answer normaliser of mmf's EvalAI evaluators (TextVQA, ST-VQA), taken over by LLaVA and lmms-eval.

It is VQA's with three steps before it, done always and to both sides. As no comma is left by then, the step for commas
in numbers never applies.
"""

from __future__ import annotations

from fullmarks.text.vqa import normalize_vqa, trim


def open_up(text: str) -> str:
    """Lower case without commas and question marks, a blank before every 's."""
    return text.lower().replace(",", "").replace("?", "").replace("'s", " 's").strip()


def normalize_evalai(text: str) -> str:
    """What answers are compared by; pure, so that callers keep the forms of texts that come again (`Memo`).

    >>> normalize_evalai("The dog's two toys.\\n"), normalize_evalai("10,5 a-b"), normalize_evalai("the")
    ("dog 's 2 toys", '105 b', '')
    """
    return normalize_vqa(trim(open_up(text)))
