"""What may be odd about the samples of a log."""

from __future__ import annotations

from fullmarks.types import FindingKind

WITHOUT_TEXT = FindingKind(
    "samples-without-text",
    "samples of another tool without a text",
    "Only tasks that generate text can be scored; leave the others out of the log",
)
PERTURBED = FindingKind("perturbed-copies", "perturbed copies of instances")
FAILED_RUN = FindingKind(
    "failed-run", "runs of another tool that did not succeed", "Run it again, for what failed is missing"
)
WITHOUT_TARGET = FindingKind(
    "samples-without-target", "samples of another tool without a right answer", "Score them with a gold file"
)
NO_ANSWER = FindingKind(
    "targets-without-answer",
    "samples of another tool whose target says that there is no answer",
    "Check that these questions have no answer, or score them with a gold file",
)
NO_ANSWER_GIVEN = FindingKind(
    "answers-that-say-none", "answers that are the tool's own word for no answer, scored as empty answers"
)
NOT_WANTED = FindingKind("samples-not-asked-for", "samples that were not asked for")
CHOSEN = FindingKind("chosen-by-likelihood", "answers that are the likeliest of those given")
FURTHER = FindingKind("further-answers", "further answers to the same request, of which the first counts")
