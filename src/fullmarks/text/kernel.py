"""The text kernel: the compiled functions where they were built, the Python ones otherwise.

Invariant: both give the same doubles for the same texts. FULLMARKS_KERNEL=python in the environment asks for
the Python ones.
"""

from __future__ import annotations

import os

TYPE_CHECKING = False  # typing's import takes longer than a small job

__all__ = [
    "IMPLEMENTATION",
    "Codebook",
    "Tokeniser",
    "VqaForm",
    "bleu_each",
    "bleu_rows",
    "choice_letters",
    "choice_rows",
    "cleaned_rows",
    "column_of",
    "contains_rows",
    "count_by",
    "fold",
    "fold_by",
    "id_hashes",
    "joint_rows",
    "mapped_codes",
    "meteor_rows",
    "number_rows",
    "overlap_each",
    "overlap_rows",
    "porter_stem",
    "relaxed_rows",
    "set_rows",
    "squad_each_reference",
    "squad_exact",
    "squad_f1",
    "squad_rows",
    "text_lists",
    "vote_rows",
    "yes_no_rows",
]


def _compiled() -> bool:
    """Whether the compiled kernel is here and wanted."""
    if os.environ.get("FULLMARKS_KERNEL") == "python":
        return False
    try:
        from fullmarks.text import _speed  # noqa: F401
    except ImportError:
        return False
    return True


IMPLEMENTATION: str = "c" if _compiled() else "python"

if TYPE_CHECKING or IMPLEMENTATION == "python":
    from fullmarks.text.bleu import bleu_each, bleu_rows
    from fullmarks.text.choice_readings import choice_letters, choice_rows
    from fullmarks.text.codes import Codebook
    from fullmarks.text.containment import cleaned_rows, contains_rows
    from fullmarks.text.folds import column_of, count_by, fold, fold_by, mapped_codes
    from fullmarks.text.hashes import id_hashes
    from fullmarks.text.inputs import text_lists
    from fullmarks.text.meteor import meteor_rows
    from fullmarks.text.number_readings import number_rows
    from fullmarks.text.overlap import Tokeniser, overlap_each, overlap_rows
    from fullmarks.text.porter import porter_stem
    from fullmarks.text.relaxed import relaxed_rows
    from fullmarks.text.sets import joint_rows, set_rows
    from fullmarks.text.squad import squad_each_reference, squad_exact, squad_f1, squad_rows
    from fullmarks.text.votes import VqaForm, vote_rows
    from fullmarks.text.yes_no import yes_no_rows
else:
    from fullmarks.text._speed import (
        Codebook,
        Tokeniser,
        VqaForm,
        bleu_each,
        bleu_rows,
        choice_letters,
        choice_rows,
        cleaned_rows,
        column_of,
        contains_rows,
        count_by,
        fold,
        fold_by,
        id_hashes,
        joint_rows,
        mapped_codes,
        meteor_rows,
        number_rows,
        overlap_each,
        overlap_rows,
        porter_stem,
        relaxed_rows,
        set_rows,
        squad_each_reference,
        squad_exact,
        squad_f1,
        squad_rows,
        text_lists,
        vote_rows,
        yes_no_rows,
    )
