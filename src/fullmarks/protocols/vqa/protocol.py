"""VQA accuracy with ten annotators, overall and by type of question and answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from fullmarks.protocols.vqa_protocol import VqaProtocol


@dataclass(frozen=True, kw_only=True)
class Vqa(VqaProtocol):
    """The VQA evaluation."""

    name: ClassVar[str] = "vqa"
    title: ClassVar[str] = "VQA accuracy with ten annotators"
