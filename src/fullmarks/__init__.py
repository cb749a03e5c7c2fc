"""fullmarks scores question-answering models exactly as each published benchmark scores them.

The names below are imported when they are first used, so that `import fullmarks` costs nothing.
(For pytest, which we have a plugin for: PYTEST_DONT_REWRITE, there is no assertion here.)
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from fullmarks.version import __version__

if TYPE_CHECKING:
    from fullmarks.analysis.compare import compare
    from fullmarks.analysis.comparison import Comparison
    from fullmarks.analysis.crosscheck import crosscheck
    from fullmarks.analysis.intervals import Sampling, confidence
    from fullmarks.analysis.judged import JudgedMean, ppi
    from fullmarks.analysis.power import PowerAnalysis, power
    from fullmarks.analysis.saved import load_run, save_run
    from fullmarks.errors import (
        FullmarksError,
        InputError,
        MismatchError,
        MissingDependencyError,
        UsageError,
        WorkerError,
    )
    from fullmarks.evaluate import explain, score, validate
    from fullmarks.metrics.loading import load
    from fullmarks.metrics.metric import Metric
    from fullmarks.metrics.scorer import Scorer
    from fullmarks.protocols.protocol import Protocol
    from fullmarks.result import Result
    from fullmarks.text.answers import exact_match, token_f1
    from fullmarks.text.squad import normalize_answer
    from fullmarks.types import Audit, Example, Examples, Explanation, Finding, FindingKind, Total

_HOMES = {
    "Audit": "fullmarks.types",
    "Comparison": "fullmarks.analysis.comparison",
    "Example": "fullmarks.types",
    "Examples": "fullmarks.types",
    "Explanation": "fullmarks.types",
    "Finding": "fullmarks.types",
    "FindingKind": "fullmarks.types",
    "FullmarksError": "fullmarks.errors",
    "InputError": "fullmarks.errors",
    "JudgedMean": "fullmarks.analysis.judged",
    "Metric": "fullmarks.metrics.metric",
    "MismatchError": "fullmarks.errors",
    "MissingDependencyError": "fullmarks.errors",
    "PowerAnalysis": "fullmarks.analysis.power",
    "Protocol": "fullmarks.protocols.protocol",
    "Result": "fullmarks.result",
    "Sampling": "fullmarks.analysis.intervals",
    "Scorer": "fullmarks.metrics.scorer",
    "Total": "fullmarks.types",
    "UsageError": "fullmarks.errors",
    "WorkerError": "fullmarks.errors",
    "compare": "fullmarks.analysis.compare",
    "confidence": "fullmarks.analysis.intervals",
    "crosscheck": "fullmarks.analysis.crosscheck",
    "exact_match": "fullmarks.text.answers",
    "explain": "fullmarks.evaluate",
    "load": "fullmarks.metrics.loading",
    "load_run": "fullmarks.analysis.saved",
    "normalize_answer": "fullmarks.text.squad",
    "power": "fullmarks.analysis.power",
    "ppi": "fullmarks.analysis.judged",
    "save_run": "fullmarks.analysis.saved",
    "score": "fullmarks.evaluate",
    "token_f1": "fullmarks.text.answers",
    "validate": "fullmarks.evaluate",
}

__all__ = [
    "Audit",
    "Comparison",
    "Example",
    "Examples",
    "Explanation",
    "Finding",
    "FindingKind",
    "FullmarksError",
    "InputError",
    "JudgedMean",
    "Metric",
    "MismatchError",
    "MissingDependencyError",
    "PowerAnalysis",
    "Protocol",
    "Result",
    "Sampling",
    "Scorer",
    "Total",
    "UsageError",
    "WorkerError",
    "__version__",
    "compare",
    "confidence",
    "crosscheck",
    "exact_match",
    "explain",
    "load",
    "load_run",
    "normalize_answer",
    "power",
    "ppi",
    "save_run",
    "score",
    "token_f1",
    "validate",
]


def __getattr__(name: str) -> Any:
    if name not in _HOMES:
        raise AttributeError(f"module 'fullmarks' has no attribute '{name}'")
    import importlib

    value = getattr(importlib.import_module(_HOMES[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(__all__)
