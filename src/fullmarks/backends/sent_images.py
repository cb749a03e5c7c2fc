"""Images on their way to a model that may run on another machine.

A file goes there by its path. The other side takes it only if size and time of change are what they are here; where
they are not, because the machines share no disk, the caller reads the files and sends their bytes from then on.
Invariant: an image is the same, and so is the reason why it cannot be read, whichever way it came.
"""

from __future__ import annotations

import hashlib
import io
import os
import stat
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from fullmarks.backends.batches import Model, Opener, Outcome, cut, opened
from fullmarks.backends.images import (
    MAX_BYTES,
    UnreadableImage,
    content_digest,
    decode_image,
    load_image,
)
from fullmarks.regular_file import UnusableFileError, open_regular

if TYPE_CHECKING:
    from PIL.Image import Image

    from fullmarks.backends.images import ImageSource


class StampedFile(NamedTuple):
    """A file by its path, its size and when it was changed, in nanoseconds; `name` is what the caller calls it."""

    name: str
    path: str
    size: int
    changed: int

    @property
    def is_seen(self) -> bool:
        """Whether this very file is here too."""
        try:
            found = Path(self.path).stat()
        except OSError:
            return False
        return (found.st_size, found.st_mtime_ns) == (self.size, self.changed)


class FileContent(NamedTuple):
    """The bytes of a file, and what the caller calls it."""

    name: str
    content: bytes


CHECKED_AT_ONCE = 64
"""Files per batch when it is only tried whether they can be read."""

SentImage: TypeAlias = "ImageSource | StampedFile | FileContent | UnreadableImage"


class Reply(NamedTuple):
    """What came of a batch; nothing where a file of it was not seen."""

    is_seen: bool
    outcome: Any


def each_of_images(
    model: Model, work: Callable[[Any, Sequence[SentImage]], Outcome], batches: Iterable[Sequence[ImageSource]]
) -> Iterator[Outcome]:
    """What `work` makes of the network and every batch of images, in order; see `Model.each`."""
    return model.each(work, batches) if model.is_here else _Sending(model, work).each(batches)


class _Sending:
    """Sends batches by path as long as all files are seen, afterwards by content."""

    def __init__(self, model: Model, work: Callable[[Any, Sequence[SentImage]], Any]) -> None:
        self._model, self._work = model, partial(_where_seen, work)
        self._by_content = False
        self._under_way: deque[Sequence[ImageSource]] = deque()

    def each(self, batches: Iterable[Sequence[ImageSource]]) -> Iterator[Any]:
        for reply in self._model.each(self._work, self._outgoing(batches)):
            batch, found = self._under_way.popleft(), reply
            if not found.is_seen:
                self._by_content = True
                (found,) = self._model.each(self._work, [[_content(image) for image in batch]])
            yield found.outcome

    def _outgoing(self, batches: Iterable[Sequence[ImageSource]]) -> Iterator[list[SentImage]]:
        for batch in batches:
            self._under_way.append(batch)
            yield [_content(image) if self._by_content else _stamped(image) for image in batch]


def _where_seen(work: Callable[[Any, Any], Any], network: Any, sources: Sequence[SentImage]) -> Reply:
    if not all(source.is_seen for source in sources if isinstance(source, StampedFile)):
        return Reply(False, None)
    return Reply(True, work(network, sources))


def _stamped(image: ImageSource) -> SentImage:
    if not isinstance(image, (str, os.PathLike)):
        return image
    try:
        found = Path(image).stat()
    except (OSError, ValueError):
        return _content(image)
    if not stat.S_ISREG(found.st_mode) or found.st_size > MAX_BYTES:
        return _content(image)
    return StampedFile(os.fspath(image), str(Path(image).absolute()), found.st_size, found.st_mtime_ns)


def _content(image: ImageSource) -> SentImage:
    if not isinstance(image, (str, os.PathLike)):
        return image
    name = os.fspath(image)
    try:
        with open_regular(image, MAX_BYTES) as file:
            return FileContent(name, file.read())
    except UnusableFileError as error:
        return UnreadableImage(name, str(error))
    except OSError as error:
        return UnreadableImage(name, f"cannot be read ({error})")


def load_sent(source: SentImage) -> Image | UnreadableImage:
    """The image in RGB, or the reason why not."""
    if isinstance(source, UnreadableImage):
        return source
    if isinstance(source, FileContent):
        return decode_image(io.BytesIO(source.content), source.name)
    if isinstance(source, StampedFile):
        return load_image(source.path, name=source.name)
    if isinstance(source, (str, os.PathLike)):
        return load_image(source)
    return source.convert("RGB")


def digests_of(network: Any, sources: Sequence[SentImage]) -> list[tuple[str, str]]:
    """The digest of every image's content with "", or "" with the reason why it cannot be opened."""
    del network
    return [_digest(source) for source in sources]


def _digest(source: SentImage) -> tuple[str, str]:
    if isinstance(source, UnreadableImage):
        return "", source.reason
    if isinstance(source, FileContent):
        return hashlib.sha256(source.content).hexdigest(), ""
    try:
        return content_digest(source.path if isinstance(source, StampedFile) else source), ""
    except UnusableFileError as error:
        return "", str(error)
    except OSError as error:
        return "", f"cannot be read ({error})"


def why_unreadable(paths: Sequence[str | os.PathLike[str]]) -> Iterator[str]:
    """For each file the reason why it is no image that can be read, empty if it is; tried where models run."""
    model = opened(Opener(NoNetwork, is_neural=False))
    for reasons in each_of_images(model, _reasons, cut(paths, CHECKED_AT_ONCE)):
        yield from reasons


class NoNetwork:
    """Stands where a network would, for work on images that needs none."""

    def __init__(self, device: str | None = None) -> None:
        del device
        self.identity = "images"


def _reasons(network: Any, sources: Sequence[SentImage]) -> list[str]:
    del network
    found = map(load_sent, sources)
    return [image.reason if isinstance(image, UnreadableImage) else "" for image in found]
