"""The images of the FusionBrain contest: found, checked, and compared with texts (CLIP) and with each other (FID).

Invariant: no name leads out of its folder. A predicted image that cannot be read scores 0 and is named; an image of
the contest's own that cannot be read is an error.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from fullmarks.checks import check_local
from fullmarks.errors import InputError, MissingDependencyError, UsageError
from fullmarks.metrics.clip_score import ClipScore
from fullmarks.metrics.fid import Fid
from fullmarks.protocols.fusionbrain.pairing import IMAGE, PROMPT
from fullmarks.protocols.fusionbrain.subtasks import (
    CAPTIONING,
    CLIP,
    COMPARED,
    FID,
    GENERATION,
    INFLUENCE,
    TASK,
    WORST_FID,
)
from fullmarks.types import Audit, Examples, FindingKind

PATH, READABLE, GOLD_PATHS = "path", "readable", "gold_paths"
"""The parts: where an example's image is and whether it can be read; the fact: where the gold images are."""
UNREADABLE = FindingKind(
    "unreadable-images", "images that cannot be read", "Check --images, and write these images again"
)
INPUT_UNREADABLE = FindingKind(
    "unreadable-input-images", "input images that cannot be read", "Check --input-images, and get these images again"
)
OUTSIDE = FindingKind(
    "images-outside", "image paths that leave their folder", "Name images by their path inside the folder"
)
CUT = FindingKind("cut-texts", "texts cut at the CLIP model's limit")
FEW = FindingKind("few-images", "image statistics from few images")
GOLD_UNREADABLE = FindingKind(
    "unreadable-gold-images", "gold images that cannot be read", "Check --gold-images, and get these images again"
)
NO_GOLD_IMAGES = FindingKind(
    "missing-gold-images",
    "questions without a gold image",
    "Add one for each, or pass ready statistics: --gold-images FILE.npz",
)
NO_IMAGES = FindingKind("no-predicted-images", "FID without images", "Check --images")
READY = FindingKind("ready-statistics", "FID from ready statistics")


@dataclass(frozen=True)
class Places:
    """Where images are: three folders, or a file of ready statistics for either side of FID; None if unknown."""

    predicted: str | None
    gold: str | None
    asked: str | None


@dataclass(frozen=True)
class ContestImages:
    """How images are judged; None leaves a part out."""

    clip: ClipScore | None
    fid: Fid | None
    save_stats: str | None = None

    def find(self, examples: Examples, places: Places, audit: Audit, gold_name: str, name: str) -> None:
        """Add the paths of all images that will be needed; unusable ones go into the audit under these files' names."""
        from_files = self.clip is not None and not self.clip.is_ready
        tasks = examples.columns[TASK]
        generated = [at for at, task in enumerate(tasks) if task == GENERATION and at not in examples.unanswered]
        described = [at for at, task in enumerate(tasks) if task == CAPTIONING]
        finder = _Finder(examples, audit)
        if generated and (from_files or (self.fid is not None and not is_statistics(places.predicted))):
            finder.find(generated, _folder(places.predicted, "--images"), name, is_answer=True)
        if described and from_files:
            finder.find(described, _folder(places.asked, "--input-images"), "input", is_answer=False)
        examples.parts.update({PATH: finder.paths, READABLE: finder.readable})
        _take_texts_before(examples)
        if GENERATION in tasks and self.fid is not None and not is_statistics(places.gold):
            folder = _folder(places.gold, "--gold-images")
            own = [at for at, task in enumerate(tasks) if task == GENERATION]
            examples.facts[GOLD_PATHS] = finder.find_gold(own, folder, gold_name)

    def add_cosines(self, examples: Examples, audit: Audit) -> None:
        """Add the cosine of text and image to all examples of the two sub-tasks, all embedded in one go."""
        if self.clip is None:
            return
        tasks = examples.columns[TASK]
        wanted = [at for at in range(len(tasks)) if _is_compared(examples, at) and at not in examples.unanswered]
        texts = [examples.facts[PROMPT][at] if tasks[at] == GENERATION else examples.predictions[at] for at in wanted]
        images = examples.columns[IMAGE] if self.clip.is_ready else examples.parts[PATH]
        found = self.clip.pairs(texts, [images[at] for at in wanted])
        cosines: list[float | None] = [0.0 if task in (GENERATION, CAPTIONING) else None for task in tasks]
        for at, value in zip(wanted, found.values, strict=True):
            cosines[at] = value
        examples.parts[CLIP] = cosines
        if found.truncated:
            audit.add(CUT, "note", [examples.ids[wanted[at]] for at in found.truncated])
        for at, reason in found.unreadable.items():
            audit.add(UNREADABLE, "warning", [examples.ids[wanted[at]]], detail=f"they score 0; {reason}")

    def add_distance(self, examples: Examples, places: Places, audit: Audit) -> None:
        """Add the distance between the predicted and the gold images to all examples of the sub-task, and to each
        how far its own images move it.
        """
        if self.fid is None or GENERATION not in examples.columns[TASK]:
            return
        own = [at for at, task in enumerate(examples.columns[TASK]) if task == GENERATION]
        predicted = _Images(examples.parts[PATH], own)
        gold = _Images(examples.facts.get(GOLD_PATHS, [None] * len(examples)), own)
        gold_set = self.fid.feature_set(_side(places.gold, gold.paths), "gold images")
        if self.save_stats is not None:
            gold_set.statistics.save(self.save_stats)
        distance, influence = WORST_FID, dict.fromkeys(own, 0.0)
        if is_statistics(places.predicted) or len(predicted.paths) >= 2:
            predicted_set = self.fid.feature_set(_side(places.predicted, predicted.paths), "predicted images")
            distance = self._distance(predicted_set, gold_set, audit)
            moved = self.fid.influences(predicted_set, gold_set)
            for images, values in ((predicted, moved.a), (gold, moved.b)):
                images.add_to(influence, values)
        else:
            detail = f"a distance needs two images, {len(predicted.paths)} can be read; it counts as {WORST_FID:g}"
            audit.add(NO_IMAGES, "warning", count=1, detail=detail)
        examples.parts[FID] = [distance if at in influence else None for at in range(len(examples))]
        examples.parts[INFLUENCE] = [influence.get(at) for at in range(len(examples))]

    @staticmethod
    def _distance(predicted: Any, gold: Any, audit: Audit) -> float:
        found = Fid.distance(predicted.statistics, gold.statistics)
        if found.warnings:
            audit.add(FEW, "warning", count=len(found.warnings), detail="; ".join(found.warnings))
        if predicted.features is None and gold.features is None:
            audit.add(READY, "note", count=1, detail="intervals and tests hold it fixed")
        return found.value

    def identity(self, places_known: bool) -> dict[str, str]:
        """The models by content, for the signature; `places_known` says that both sides of FID are statistics."""
        parts = {"clip": "none" if self.clip is None else self.clip.model_identity}
        if self.fid is None:
            return {**parts, "fid": "none"}
        return {**parts, "fid": "statistics" if places_known else self.fid.extractor_identity}


def _is_compared(examples: Examples, at: int) -> bool:
    return bool(examples.parts[COMPARED][at] and examples.parts[READABLE][at])


def _take_texts_before(examples: Examples) -> None:
    """Give questions without a text to draw that of the question before, as the contest's program does.

    Its variable still holds that text, which it sets once an image could be opened; without one the cosine is 0.
    """
    before = None
    for at, task in enumerate(examples.columns[TASK]):
        if task != GENERATION or not _is_compared(examples, at):
            continue
        if examples.facts[PROMPT][at] is None:
            examples.facts[PROMPT][at] = before
            examples.parts[COMPARED][at] = before is not None
        before = examples.facts[PROMPT][at]


class _Images:
    """The images of one side, in the order of their examples: one, several or none for each."""

    def __init__(self, column: Sequence[Any], own: Sequence[int]) -> None:
        self._examples = len(own)
        self.paths: list[str] = []
        self._owners: list[int] = []
        for at in own:
            found = [column[at]] if isinstance(column[at], str) else column[at] or []
            self.paths += found
            self._owners += [at] * len(found)

    def add_to(self, influence: dict[int, float], values: Any) -> None:
        """Add what each image's weight in its set does to what its example's weight does; nothing without values."""
        if values is None:
            return
        share = self._examples / len(self.paths)
        for at, value in zip(self._owners, values.tolist(), strict=True):
            influence[at] += share * value


class _Finder:
    """Looks up the images of examples one group after the other."""

    def __init__(self, examples: Examples, audit: Audit) -> None:
        self._examples = examples
        self._audit = audit
        self.paths: list[str | None] = [None] * len(examples)
        self.readable = [bool(name) for name in examples.columns.get(IMAGE, [None] * len(examples))]

    def find(self, positions: Sequence[int], folder: Path, name: str, *, is_answer: bool) -> None:
        """The paths of the images at these positions; what cannot be read is 0 for answers, else an error."""
        from fullmarks.backends.images import is_file

        images, absent = self._examples.columns[IMAGE], 0
        named = [at for at in positions if images[at]]
        for at, image, path, reason in self._tried([(at, images[at]) for at in named], folder, name):
            if not reason:
                self.paths[at] = str(path)
                continue
            self.readable[at] = False
            absent += not is_file(path)
            advice = "they score 0; " if is_answer else ""
            detail = f"{advice}{image}: {reason}"
            self._audit.add(
                UNREADABLE if is_answer else INPUT_UNREADABLE,
                "warning" if is_answer else "error",
                [self._examples.ids[at]],
                detail=detail,
                where=name,
            )
        if named and absent == len(named):
            flag = "--images" if is_answer else "--input-images"
            raise InputError(str(folder), f"holds none of the {absent} images that {name} names", f"Check {flag}.")

    def find_gold(self, positions: Sequence[int], folder: Path, name: str) -> list[list[str]]:
        """The paths of the gold images of the examples at these positions; one that cannot be read is an error."""
        found: list[list[str]] = [[] for _ in range(len(self._examples))]
        owned = [(at, image) for at in positions for image in self._examples.references[at]]
        for at, image, path, reason in self._tried(owned, folder, name):
            if reason:
                detail = f"{image} in {folder}: {reason}"
                self._audit.add(GOLD_UNREADABLE, "error", [self._examples.ids[at]], detail=detail, where=name)
            else:
                found[at].append(str(path))
        without = [self._examples.ids[at] for at in positions if not self._examples.references[at]]
        named = sum(len(self._examples.references[at]) for at in positions)
        if named < 2:
            problem = (
                f"FID needs at least two gold images, found {named}" if named else f"names no image for {GENERATION}"
            )
            raise InputError(name, problem, "Or pass ready statistics: --gold-images FILE.npz.")
        if without:
            self._audit.add(NO_GOLD_IMAGES, "error", without, where=name)
        return found

    def _tried(self, owned: Sequence[tuple[int, str]], folder: Path, name: str) -> Iterator[tuple[int, str, Path, str]]:
        """The images inside the folder: whose and which each is, its path, why it cannot be read, empty if it can."""
        from fullmarks.backends.sent_images import why_unreadable

        places = [_inside(folder, image) for _, image in owned]
        reasons = why_unreadable([place for place in places if isinstance(place, Path)])
        for (at, image), place in zip(owned, places, strict=True):
            if isinstance(place, Path):
                yield at, image, place, next(reasons)
            else:
                self._audit.add(OUTSIDE, "error", [self._examples.ids[at]], detail=str(place), where=name)


def _inside(folder: Path, image: str) -> Path | InputError:
    """Where the image is, or the error that it is not in the folder."""
    try:
        return image_path(folder, image)
    except InputError as error:
        return error


def image_path(folder: Path, name: str) -> Path:
    """Where the image is in the folder; `images/a.png` is also found in a folder that is itself called images."""
    from fullmarks.backends.images import is_file, path_inside

    path = path_inside(folder, name)
    parts = PurePosixPath(name).parts
    if len(parts) > 1 and not is_file(path) and parts[0] == folder.resolve().name:
        other = path_inside(folder, str(PurePosixPath(*parts[1:])))
        return other if is_file(other) else path
    return path


def missing_part(error: MissingDependencyError) -> MissingDependencyError:
    """The error with the ways around what is missing."""
    return MissingDependencyError(
        f"{error}. Other ways: --clip with a model's folder or ready embeddings (.npz); --inception FILE, or ready "
        "statistics (.npz) as --images and --gold-images; --task NAME for the sub-tasks without images; "
        "--clip none or --inception none to leave a part out"
    )


def is_statistics(place: str | None) -> bool:
    """Whether this is a file of ready statistics rather than a folder of images."""
    return place is not None and place.endswith(".npz")


def _side(place: str | None, paths: list[str]) -> str | list[str]:
    return place if place is not None and is_statistics(place) else paths


def _folder(place: str | None, flag: str) -> Path:
    if place is None:
        raise UsageError(f"where are the images? They are looked for beside their file; here, pass {flag} DIR")
    if is_statistics(place):
        raise UsageError(f"{flag} {place} holds statistics, but the images themselves are needed. Pass their folder")
    check_local(f"the folder of {flag}", place)
    folder = Path(place)
    if not folder.is_dir():
        raise InputError(place, "there is no such folder of images", f"Check {flag}.")
    return folder
