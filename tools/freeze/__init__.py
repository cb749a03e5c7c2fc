"""A frozen record of every number that fullmarks computes: `make freeze` writes it, `make test` compares with it.

`tests/frozen_record.jsonl.xz` holds one line per case, sorted by name. A case is

- one run of a benchmark: its sample or a golden set, unchanged, by another variant, or with one option changed,
- the crosscheck of a sample with the rules of other tools,
- a metric of `fullmarks.load`, with its defaults or one option changed,
- an extractor of `--extract`.

Kept are official results, signatures without the version, the named scores of every example, slices, findings, and the
steps of some explanations; where a case is an error, the class and message of the error.

`bart_score`, `clip_score` and `fid` are left out, and so is what they add to WebQA and FusionBrain. They need neural
networks; with ready embeddings, too, the last digits depend on the linear algebra of the machine. A case whose optional
package is not installed is skipped and reported with the line to install.

    python -m tools.freeze compare [--only NAME] [--quick] [--most N]
    python -m tools.freeze write [--only NAME] [--most N]
"""
