"""Exact match and token F1 of one answer against one reference, as plain functions over raw texts."""

from __future__ import annotations

from fullmarks.checks import wrong_value
from fullmarks.errors import UsageError
from fullmarks.text.kernel import squad_exact, squad_f1


def exact_match(prediction: str, reference: str) -> float:
    """1.0 if both texts are equal after normalising, else 0.0. Source: SQuAD.

    >>> exact_match("The Eiffel Tower!", "eiffel tower")
    1.0
    """
    try:
        return squad_exact(prediction, reference)
    except TypeError:
        raise _not_texts(prediction, reference) from None


def token_f1(prediction: str, reference: str) -> float:
    """Harmonic mean of token precision and recall after normalising, counting repeats.

    Both empty gives 1.0, one empty 0.0. Source: SQuAD 2.0.

    >>> token_f1("Paris is the capital", "The capital of France is Paris")
    0.7499999999999999
    """
    try:
        return squad_f1(prediction, reference)
    except TypeError:
        raise _not_texts(prediction, reference) from None


def _not_texts(prediction: object, reference: object) -> UsageError:
    name, value = ("reference", reference) if isinstance(prediction, str) else ("prediction", prediction)
    advice = "For lists of them use fullmarks.load" if isinstance(value, (list, tuple)) else ""
    return wrong_value(name, "a text", value, advice)
