"""The two lines for TensorBoard that the page shows, with its real files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from tensorboard.backend.event_processing.event_accumulator import EventAccumulator

from tests.adapters.answered import snippets


def test_the_page_shows_what_comes_out(result: Any, here: Path) -> None:
    class SummaryWriter:
        """That of torch, which is not in this environment: the same call, by TensorBoard's own writer."""

        def __init__(self, folder: str) -> None:
            from tensorboard.summary.writer.event_file_writer import EventFileWriter

            self.writer = EventFileWriter(folder)

        def add_scalar(self, tag: str, value: float, step: int) -> None:
            from tensorboard.compat.proto import event_pb2, summary_pb2

            summary = summary_pb2.Summary(value=[summary_pb2.Summary.Value(tag=tag, simple_value=value)])
            self.writer.add_event(event_pb2.Event(step=step, summary=summary))

        def close(self) -> None:
            self.writer.close()

    for snippet in snippets("TensorBoard"):
        exec(snippet, {"result": result, "writer": (writer := SummaryWriter("runs"))})
        writer.close()
        events = EventAccumulator("runs").Reload()
        assert events.Scalars("vqa/overall")[0].value == 50.0
        assert events.Scalars("vqa/perAnswerType.yes_no")[0].value == 100.0
