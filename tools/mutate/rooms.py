"""Which tests hold a room's code to its behaviour: its own first, then those that reach it from outside."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from tools.kernel_build import ROOT

SOURCE = ROOT / "src" / "fullmarks"
KERNEL = "kernel"
NEURAL = ("bart_score", "clip_score", "fid")
"""Metrics whose tests need models."""
KERNEL_TESTS = (
    *("kernel_edges", "kernel", "token_overlap", "sets", "short_answers", "yes_no", "bleu_text", "recipes"),
    *("meteor_text", "porter"),
)
ELSEWHERE: dict[str, tuple[str, ...]] = {
    "text": ("tests/metrics", "tests/protocols"),
    "lexicons": ("tests/metrics", "tests/protocols"),
    "metrics": ("tests/protocols", "tests/analysis", "tests/test_qa_classes.py", "tests/test_wrong_types.py"),
    "readers": ("tests/whole/test_bad_input.py", "tests/protocols", "tests/analysis", "tests/test_wrong_types.py"),
    "protocols": ("tests/whole/test_bad_input.py", "tests/analysis", "tests/cli", "tests/test_evaluate.py"),
    "engines": ("tests/test_evaluate.py",),
    "stats": ("tests/analysis", "tests/protocols/fusionbrain/test_subtasks.py", "tests/test_bounds_of_options.py"),
    "analysis": ("tests/cli", "tests/report"),
    "report": ("tests/cli",),
    "cli": ("tests/test_documentation_snippets.py", "tests/whole/test_bad_input.py"),
    "single": ("tests/cli", "tests/analysis", "tests/whole/test_bad_input.py", "tests/metrics"),
}
"""The room "single" is that of the modules which are no folder."""
NAMED: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("character_plan", "memo", "steps", "evalai", "punctuation", "other_normalisers"), ("recipes",)),
    "choice_readings": ("choice_accuracy", "mmmu"),
    "number_readings": ("extraction", "extracting"),
    "containment": ("nq_open", "popqa"),
    "russian_stemmer": ("stemmers",),
    **dict.fromkeys(("json_lexicon", "synonyms", "recognise"), ("synonym_lexicons",)),
    "quick_spacy": ("spacy_lemmas",),
    **dict.fromkeys(("answer_scores", "answers", "parts", "set_metric"), ("metric_properties", "qa_classes")),
    **dict.fromkeys(("contains", "harness_match", "numeric_answer"), ("popqa", "triviaqa", "gsm8k")),
    **dict.fromkeys(("joint", "overlap_explanation"), ("hotpotqa", "explanations_give_the_score")),
    "meteor": ("meteor_text", "explanations_give_the_score"),
    "block": ("blocks",),
    "table": ("late_columns", "kinds_of_files"),
    "squad": ("squad1",),
    "yes_no": ("pope",),
    "votes": ("okvqa", "textvqa"),
    "overlap": ("recipes",),
    **dict.fromkeys(("cells", "parquet", "columns"), ("table_input", "late_columns")),
    **dict.fromkeys(("json_lines", "examples", "keyed_rows", "uniqueness"), ("records", "late_columns", "bad_input")),
    **dict.fromkeys(("predictions", "pairing", "complaints"), ("prediction_parts", "alignment", "blocks", "squad2")),
    "paths": ("scienceqa",),
    "zstandard_stream": ("source", "kinds_of_files"),
    "anls": ("docvqa", "stvqa"),
    "official": ("squad2", "hotpotqa", "coqa"),
    "with_parts": ("hotpotqa", "musique"),
    **dict.fromkeys(("choice", "parts"), ("parts", "chunks_here")),
    **dict.fromkeys(("numbers", "packing"), ("answers",)),
    **dict.fromkeys(("cores", "crew", "worker"), ("cores", "engine_contract", "lost_workers", "parts")),
    "standard_error": ("bootstrap", "slices"),
    **dict.fromkeys(("compact_json", "saved_format"), ("saved",)),
    **dict.fromkeys(("direction", "published"), ("compare", "gate", "crosscheck")),
    "figures": ("score_plots", "scaling_plots"),
    **dict.fromkeys(("sampling_line", "visible"), ("terminal", "markdown")),
    **dict.fromkeys(("verdict", "crosscheck_tables"), ("comparison_tables", "paper_tables")),
    "squad2": ("no_answer",),
    "infovqa": ("docvqa",),
    "keys": ("repeated_keys",),
    "speed": ("kernel_edges", "token_overlap", "recipes"),
    "speed_overlap": ("token_overlap", "recipes"),
    **dict.fromkeys(("speed_squad", "speed_text", "speed_bleu", "speed_ngrams"), ("kernel",)),
    "speed_sets": ("sets",),
    "speed_short": ("short_answers",),
    "speed_yes_no": ("yes_no", "short_answers"),
    "speed_meteor": ("meteor_text",),
    "speed_porter": ("porter",),
    "speed_relaxed": ("relaxed_accuracy",),
    "types": ("evaluate",),
    **dict.fromkeys(("checks", "errors"), ("wrong_types", "several_values", "bounds_of_options")),
}
"""Tests that are nearest to a file or a protocol and do not bear its name."""


class Room(NamedTuple):
    """A room's files and its tests: its own and those from elsewhere that reach it."""

    name: str
    files: list[Path]
    own: tuple[str, ...]
    elsewhere: tuple[str, ...] = ()

    def nearest(self, file: Path) -> list[str]:
        """The tests that are named for the file, or for its protocol; most mutants do not get past them."""
        parent = file.parent.name
        of_protocol = file.parent.parent.name == "protocols"
        word = parent if of_protocol or parent == "extraction" else file.stem.strip("_")
        words = [word, *NAMED.get(word, ()), *(("sample",) if of_protocol else ())]
        named = {
            test
            for test in self._every()
            if any(f"_{each}_" in f"{test.stem}_" or each == test.parent.name for each in words)
        }
        return sorted(str(path.relative_to(ROOT)) for path in named)

    def stages(self, file: Path, near: bool = False) -> list[list[str]]:
        """The tests in the order in which they are tried: the nearest, the room's own, those from elsewhere."""
        nearest = self.nearest(file)
        return [nearest or list(self.own)] if near else [nearest, list(self.own), list(self.elsewhere)]

    def _every(self) -> list[Path]:
        paths = [ROOT / test for test in (*self.own, *self.elsewhere)]
        return [each for path in paths for each in (sorted(path.rglob("test_*.py")) if path.is_dir() else [path])]


def find_rooms() -> dict[str, Room]:
    """All rooms but the neural ones, whose tests need models; the C kernel is a room of its own."""
    rooms = {
        KERNEL: Room(
            KERNEL,
            [*sorted((SOURCE / "text").glob("_speed*.[ch]")), SOURCE / "readers" / "_keys.c"],
            (
                *(f"tests/text/test_{name}.py" for name in KERNEL_TESTS),
                "tests/metrics/test_relaxed_accuracy.py",
                "tests/readers/test_repeated_keys.py",
            ),
        )
    }
    for name, elsewhere in ELSEWHERE.items():
        if name == "single":
            files = [
                path for path in sorted(SOURCE.glob("*.py")) if path.stem not in ("__init__", "__main__", "version")
            ]
            own = tuple(str(path.relative_to(ROOT)) for path in sorted((ROOT / "tests").glob("test_*.py")))
            rooms[name] = Room(name, files, own, elsewhere)
            continue
        files = [path for path in sorted((SOURCE / name).rglob("*.py")) if path.stem not in ("__init__", *NEURAL)]
        rooms[name] = Room(name, files, (f"tests/{name}",), elsewhere)
    return rooms
