"""What several_answers.yaml uses."""

from fullmarks.adapters.lm_eval import process_results_for

process_results = process_results_for(
    "squad2", references="answers", identifier="id", scores=["exact", "f1", "HasAns_f1"]
)
