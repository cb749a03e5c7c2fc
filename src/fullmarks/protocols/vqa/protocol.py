"""VQA accuracy with ten annotators, overall and by type of question and answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, ClassVar

from fullmarks.protocols.vqa_protocol import VqaProtocol

if TYPE_CHECKING:
    from fullmarks.protocols.other_rule import OtherRule


@dataclass(frozen=True, kw_only=True)
class Vqa(VqaProtocol):
    """The VQA evaluation."""

    name: ClassVar[str] = "vqa"
    title: ClassVar[str] = "VQA accuracy with ten annotators"

    def other_rules(self) -> Sequence[OtherRule]:
        """What other tools do."""
        from fullmarks.protocols.vqa.other_rules import other_rules

        return other_rules()
