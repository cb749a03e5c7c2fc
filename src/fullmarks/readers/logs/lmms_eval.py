"""Samples of lmms-eval: as those of lm-evaluation-harness, with the `input` for the `doc`, and lists of one bare."""

from __future__ import annotations

from fullmarks.readers.logs.lm_eval import about_file, read_sample
from fullmarks.readers.logs.sample import LogFormat

LMMS_EVAL = (
    LogFormat(
        "lmms-eval",
        frozenset(("doc_id", "filtered_resps", "input")),
        read_sample,
        about=about_file,
        not_keys=frozenset(("arguments",)),
    ),
)
