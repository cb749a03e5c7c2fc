"""How the files of the FusionBrain contest come together: examples of all sub-tasks, each knowing its own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from fullmarks.errors import InputError, UsageError
from fullmarks.protocols.fusionbrain.files import Elements, first_of, read_elements, read_task_numbers
from fullmarks.protocols.fusionbrain.rules import after_first_sentence
from fullmarks.protocols.fusionbrain.subtasks import CAPTIONING, COMPARED, GENERATION, HIDDEN_TASKS, TASK, TASKS
from fullmarks.readers.alignment import REPEATED_GOLD, Gaps, align, note_without_references
from fullmarks.readers.predictions import TakenById, ids_like
from fullmarks.readers.source import Source
from fullmarks.types import Audit, Examples, FindingKind, Gold, Identifier

IMAGE, QUESTION, PROMPT = "image", "question", "prompt"
"""The columns of images and questions, and the fact with the text to draw."""
EMPTY_LIST = FindingKind("empty-lists", "predictions that are an empty list")
NO_ELEMENT = FindingKind(
    "missing-elements",
    "predictions without an element of the right type",
    "Write the type 'image' where one is to be drawn, else 'text'",
)
NO_GROUND_TRUTH = FindingKind(
    "missing-ground-truth", "ids without a ground truth", "Check that --ids belongs to this ground truth"
)
LEFT_OUT = FindingKind("other-sub-tasks", "questions of other sub-tasks left out")
BLANK_PROMPT = FindingKind("blank-prompts", "texts to draw that are blank", "Check these questions in the input file")
UNSEEN = FindingKind(
    "unseen-by-clip",
    "answers whose CLIP is 0, because the program reads another element",
    "Write a text and then the generated image, a caption first, the image asked about second; or pass "
    "--variant document, which takes the first image and the first text wherever they stand",
)
TEXT_BEFORE = FindingKind(
    "text-of-question-before",
    "questions that CLIP compares with the text of the question before",
    "Give them the text to draw as the second of two elements, or pass --variant document",
)
BY_LETTERS = FindingKind(
    "right-answers-by-letters",
    "questions whose right answers are one text, read letter by letter",
    "Write them as a list of texts, or pass --variant document",
)
_AS_EMPTY = "counted as an empty answer"


@dataclass(frozen=True)
class ContestFiles:
    """The four files; two of them are not always needed."""

    gold: Source
    predictions: Source
    input: Source | None
    ids: Source | None


@dataclass(frozen=True)
class ContestInput:
    """The rules of reading. Every question must have a sub-task, and every chosen sub-task a question."""

    tasks: tuple[str, ...]
    needs_input: bool
    """Whether the questions themselves are needed: the texts and images that answers are compared with."""
    gaps: Gaps
    is_positional: bool = False
    """Whether elements are read where the contest's program reads them; otherwise the first of the right type is."""

    def read(self, files: ContestFiles, audit: Audit) -> Examples:
        """All examples of the chosen sub-tasks in the order of the ground truth."""
        taken = TakenById(audit, "error", files.gold.name, REPEATED_GOLD)
        truth = read_elements(files.gold, taken, several=True)
        task_of = self._tasks_by_id(files, list(truth), audit)
        gold, others = self._gold(truth, task_of, audit, files.gold.name)
        answers, seen = self._answers(files.predictions, task_of, list(truth), audit)
        for identifier in others:
            answers.pop(identifier, None)
        examples = align(
            gold,
            answers,
            audit,
            self.gaps,
            gold_name=files.gold.name,
            name=files.predictions.name,
        )
        self._note(examples, gold, audit, files.gold.name)
        self._add_questions(examples, files, seen, audit)
        return examples

    def _tasks_by_id(self, files: ContestFiles, gold_ids: list[Identifier], audit: Audit) -> dict[Identifier, str]:
        if files.ids is None:
            if len(self.tasks) > 1:
                raise UsageError(
                    "fusionbrain needs the sub-task of every question: pass --ids ids.json, or score one sub-task "
                    "whose files are split off with --task NAME"
                )
            return dict.fromkeys(gold_ids, self.tasks[0])
        taken = TakenById(audit, "error", files.ids.name, REPEATED_GOLD)
        numbers = ids_like(gold_ids, read_task_numbers(files.ids, taken))
        named = {identifier: _task_name(value, identifier, files.ids.name) for identifier, value in numbers.items()}
        lost = [identifier for identifier in gold_ids if identifier not in named]
        if lost:
            raise InputError(
                files.ids.name,
                f"{len(lost)} questions of {files.gold.name} have no sub-task (first: {lost[0]!r})",
                "Add their numbers.",
            )
        known = set(gold_ids)
        unasked = [identifier for identifier, task in named.items() if task in self.tasks and identifier not in known]
        if unasked:
            audit.add(NO_GROUND_TRUTH, "error", unasked, where=files.ids.name)
        return named

    def _gold(
        self, truth: dict[Identifier, Elements], task_of: dict[Identifier, str], audit: Audit, name: str
    ) -> tuple[Gold, list[Identifier]]:
        """The questions of the chosen sub-tasks, and the ids of the others."""
        chosen = [identifier for identifier in truth if task_of[identifier] in self.tasks]
        others = [identifier for identifier in truth if task_of[identifier] not in self.tasks]
        if others:
            audit.add(LEFT_OUT, "note", count=len(others))
        references = []
        by_letters = []
        for identifier in chosen:
            kind, elements = TASKS[task_of[identifier]].answer, truth[identifier]
            is_first = self.is_positional and kind == "text"
            element = next(iter(elements), None) if is_first else first_of(elements, kind)
            references.append(element.content if element else [])
            if element is not None and is_first and not element.is_list:
                references[-1] = list(element.content[0])
                by_letters.append(identifier)
        if by_letters:
            audit.add(BY_LETTERS, "warning", by_letters, detail="as the contest's program does", where=name)
        return Gold(chosen, references, {TASK: [task_of[identifier] for identifier in chosen]}), others

    def _answers(
        self, source: Source, task_of: dict[Identifier, str], gold_ids: list[Identifier], audit: Audit
    ) -> tuple[dict[Identifier, Any], set[Identifier]]:
        """The text or image name of every prediction; "" where there is none, which is said. Then the ids of those
        that CLIP sees: in the program a generated image must be the second element, a caption the first.
        """
        taken = TakenById(audit, self.gaps.on_duplicate, source.name)
        read: dict[Identifier, Elements] = ids_like(gold_ids, read_elements(source, taken, several=False))
        answers: dict[Identifier, Any] = {}
        seen: set[Identifier] = set()
        for identifier, elements in read.items():
            task = task_of.get(identifier)
            element = first_of(elements, TASKS[task].answer if task in TASKS else "text")
            answers[identifier] = element.content[0] if element else ""
            place = 1 if task == GENERATION else 0
            if element is not None and (not self.is_positional or elements.index(element) == place):
                seen.add(identifier)
            if element is None and task in self.tasks:
                kind = NO_ELEMENT if elements else EMPTY_LIST
                audit.add(kind, "warning", [identifier], detail=_AS_EMPTY, where=source.name)
        return answers, seen

    def _note(self, examples: Examples, gold: Gold, audit: Audit, name: str) -> None:
        texts = [at for at, task in enumerate(examples.columns[TASK]) if TASKS[task].answer == "text"]
        without = [at for at in texts if not examples.references[at]]
        if without:
            plain = Examples([examples.ids[at] for at in without], [""] * len(without), [[]] * len(without))
            note_without_references(plain, audit, name)
        found = set(examples.columns[TASK])
        absent = [task for task in self.tasks if task not in found]
        if absent:
            present = ",".join(task for task in self.tasks if task in found)
            there = "there is" if set(absent).isdisjoint(gold.columns[TASK]) else "--limit or --on-missing skip leaves"
            advice = f"Score what there is: --task {present}." if present else "Check --limit and --on-missing."
            raise InputError(name, f"{there} no question of {', '.join(absent)}", advice)

    def _add_questions(self, examples: Examples, files: ContestFiles, seen: set[Identifier], audit: Audit) -> None:
        """What comes from the input file: texts to read, prompts and images to compare with."""
        asked: dict[Identifier, Elements] = {}
        if files.input is not None:
            taken = TakenById(audit, "error", files.input.name, REPEATED_GOLD)
            asked = ids_like(examples.ids, read_elements(files.input, taken, several=True))
            examples.columns[QUESTION] = [_text_of(asked.get(identifier, [])) for identifier in examples.ids]
        tasks = examples.columns[TASK]
        if GENERATION not in tasks and CAPTIONING not in tasks:
            return
        elements = [asked.get(identifier, []) for identifier in examples.ids]
        prompt = _prompt_by_place if self.is_positional else _prompt
        examples.facts[PROMPT] = [
            prompt(shown) if task == GENERATION else None for task, shown in zip(tasks, elements, strict=True)
        ]
        predicted = zip(tasks, elements, examples.predictions, strict=True)
        examples.columns[IMAGE] = [
            name or None if task == GENERATION else _image(shown) if task == CAPTIONING else None
            for task, shown, name in predicted
        ]
        examples.parts[COMPARED] = [
            task == GENERATION or (task == CAPTIONING and self._shows_image(shown))
            for task, shown in zip(tasks, elements, strict=True)
        ]
        for at, identifier in enumerate(examples.ids):
            examples.parts[COMPARED][at] = examples.parts[COMPARED][at] and identifier in seen
        if self.needs_input:
            self._check_compared(examples, files.input, asked, audit)
            self._note_unseen(examples, audit, files)

    def _shows_image(self, elements: Elements) -> bool:
        """Whether CLIP sees the image that is asked about: in the program it must be the second element."""
        return not self.is_positional or any(element.kind == "image" for element in elements[1:2])

    @staticmethod
    def _note_unseen(examples: Examples, audit: Audit, files: ContestFiles) -> None:
        tasks, without = examples.columns[TASK], set(examples.unanswered)
        judged = [at for at, task in enumerate(tasks) if task in (GENERATION, CAPTIONING) and at not in without]
        unseen = [examples.ids[at] for at in judged if not examples.parts[COMPARED][at] and examples.predictions[at]]
        if unseen:
            audit.add(UNSEEN, "warning", unseen, where=files.predictions.name)

    def _check_compared(
        self, examples: Examples, source: Source | None, asked: dict[Identifier, Elements], audit: Audit
    ) -> None:
        """What CLIP compares answers with must be there: the text to draw, the image to describe."""
        compared = {
            GENERATION: (examples.facts[PROMPT], "text to draw"),
            CAPTIONING: (examples.columns[IMAGE], "image to describe"),
        }
        for at, task in enumerate(examples.columns[TASK]):
            if task not in compared:
                continue
            if source is None:
                raise UsageError(
                    f"{task} compares texts with images by CLIP, and what was asked is in the input file: "
                    "pass --input input.json, or leave CLIP out with --clip none"
                )
            values, what = compared[task]
            if values[at] is None and self.is_positional and task == GENERATION and examples.ids[at] in asked:
                audit.add(TEXT_BEFORE, "warning", [examples.ids[at]], where=source.name)
                continue
            if values[at] is None:
                raise InputError(source.name, f"id {examples.ids[at]!r} ({task}) has no {what}", "Add it.")
            if task == GENERATION and not values[at].strip():
                detail = "CLIP compares with an empty text: it reads the second element, or what follows the first '. '"
                audit.add(BLANK_PROMPT, "warning", [examples.ids[at]], detail=detail, where=source.name)


def _prompt(elements: Elements) -> str | None:
    """The second element's text, or the only one's after its first sentence; None where there is no text."""
    if len(elements) > 1:
        second = elements[1]
        return second.content[0] if second.kind == "text" and second.content else None
    only = first_of(elements, "text")
    return after_first_sentence(only.content[0]) if only and only.content else None


def _prompt_by_place(elements: Elements) -> str | None:
    """What the contest's program takes: of two elements the second, whatever its type, of one what follows the first
    sentence; None where there are more or none, for which it has no rule.
    """
    content = elements[-1].content[:1] if len(elements) in (1, 2) else []
    if not content:
        return None
    return content[0] if len(elements) == 2 else after_first_sentence(content[0])


def _image(elements: Elements) -> str | None:
    shown = first_of(elements, "image")
    return shown.content[0] if shown and shown.content else None


def _text_of(elements: Elements) -> str:
    return " ".join(text for element in elements if element.kind == "text" for text in element.content)


def _task_name(value: int | str, identifier: Identifier, name: str) -> str:
    if str(value) in HIDDEN_TASKS or value in HIDDEN_TASKS.values():
        return HIDDEN_TASKS.get(str(value), str(value))
    try:
        return task_named(str(value))
    except UsageError as error:
        raise InputError(name, f"id {identifier!r}: {error}", "Correct its number.") from None


def task_named(text: str) -> str:
    """The sub-task that is called so, in any case, or has this number."""
    for task in TASKS.values():
        if text.strip().lower() in (task.name.lower(), str(task.number)):
            return task.name
    known = ", ".join(f"{task.name} ({task.number})" for task in TASKS.values())
    raise UsageError(f"there is no sub-task '{text}'. Known: {known}")
