"""Which numbers are better the smaller they are."""

from __future__ import annotations

LOWER_IS_BETTER = frozenset({"fid", "cer", "wer"})
"""The last part of such a number's name, in lower case."""


def less_is_better(name: str) -> bool:
    """Whether the score or official number of this name is better the smaller it is.

    >>> less_is_better("ImageGeneration.FID"), less_is_better("f1")
    (True, False)
    """
    return name.lower().rpartition(".")[2] in LOWER_IS_BETTER
