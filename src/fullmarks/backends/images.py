"""Opening image files that somebody else sent in.

Invariant: no name leads out of its folder, only plain files of at most `MAX_BYTES` are read, nothing larger than
`MAX_PIXELS` is ever decoded, and a file that cannot be read comes back as an `UnreadableImage` with the reason, never
as an exception of Pillow.
"""

from __future__ import annotations

import hashlib
import os
import struct
import warnings
import zlib
from dataclasses import dataclass
from pathlib import Path, PurePosixPath, PureWindowsPath
from typing import TYPE_CHECKING, Any, BinaryIO, TypeAlias

from fullmarks.backends.digests import stream_digest
from fullmarks.errors import InputError
from fullmarks.optional import require
from fullmarks.regular_file import UnusableFileError, open_regular

if TYPE_CHECKING:
    from PIL.Image import Image

    ImageSource: TypeAlias = str | os.PathLike[str] | Image

MAX_PIXELS = 64_000_000
"""Larger images count as unreadable: decoded in RGB this is 192 MB."""

MAX_BYTES = 300_000_000
"""Larger files count as unreadable: `MAX_PIXELS` take less, even where nothing is compressed."""

FORMATS = ("PNG", "JPEG", "WEBP", "GIF", "BMP", "TIFF", "PPM")
"""What is tried; formats that call other programs (EPS) or hold whole other files (ICNS, PDF) are not."""

RESIZE_RULE = "rgb,256x256,bilinear"
"""The FusionBrain contest's resize by torchvision, as it stands in a signature; a network's own comes after it."""


@dataclass(frozen=True)
class UnreadableImage:
    """An image that could not be used, and why."""

    name: str
    reason: str


def path_inside(folder: str | os.PathLike[str], name: str) -> Path:
    """The path of `name` in the folder; an InputError when it is absolute, climbs or links out of it."""
    where = f"image {name!r}"
    windows = PureWindowsPath(name)
    parts = {*PurePosixPath(name).parts, *windows.parts}
    if not name or "\0" in name:
        raise InputError(where, "is no file name; expected a path inside the images folder", "Name the file")
    if PurePosixPath(name).is_absolute() or windows.drive or windows.root or ".." in parts:
        raise InputError(
            where,
            f"leaves the folder {os.fspath(folder)}; expected a relative path without '..'",
            "Rename it",
        )
    path = Path(folder, name)
    try:
        leads_to = path.resolve()
    except (OSError, RuntimeError, ValueError):  # no file can have this name, or its links go round in a circle
        return path
    if not leads_to.is_relative_to(Path(folder).resolve()):
        raise InputError(where, f"is a link that leads out of {os.fspath(folder)}", "Put the file itself there")
    return path


def is_file(path: str | os.PathLike[str]) -> bool:
    """Whether there is such a file; a name that no file can have is no error."""
    try:
        return Path(path).is_file()
    except (OSError, ValueError):
        return False


def load_image(
    path: str | os.PathLike[str], *, max_pixels: int = MAX_PIXELS, name: str | None = None
) -> Image | UnreadableImage:
    """The first frame in RGB (transparency dropped, as Pillow's convert does), or the reason why not.

    `name` is what an unreadable image is called, by default its path.
    """
    require("PIL.Image", needed_by="reading images", extra="vision")
    name = os.fspath(path) if name is None else name
    try:
        file = open_regular(path, MAX_BYTES)
    except UnusableFileError as error:
        return UnreadableImage(name, str(error))
    with file:
        return decode_image(file, name, max_pixels=max_pixels)


def decode_image(file: BinaryIO, name: str, *, max_pixels: int = MAX_PIXELS) -> Image | UnreadableImage:
    """The first frame in RGB of an image in an open file, or the reason why not."""
    image_module = require("PIL.Image", needed_by="reading images", extra="vision")
    unreadable = (OSError, SyntaxError, ValueError, EOFError, struct.error, zlib.error, IndexError, TypeError)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            warnings.simplefilter("error", image_module.DecompressionBombWarning)
            return _decode(image_module, file, name, max_pixels)
    except (image_module.DecompressionBombError, image_module.DecompressionBombWarning) as error:
        return UnreadableImage(name, f"too many pixels ({error})")
    except MemoryError:
        return UnreadableImage(name, "does not fit into memory")
    except unreadable as error:
        # Pillow names the open file, which has another number in every process.
        told = str(error).replace(repr(file), Path(name).name)
        return UnreadableImage(name, f"cannot be decoded ({type(error).__name__}: {told})")


def _decode(image_module: Any, file: BinaryIO, name: str, max_pixels: int) -> Image | UnreadableImage:
    image_module.init()
    formats = [kind for kind in FORMATS if kind in image_module.OPEN]
    with image_module.open(file, formats=formats) as image:
        width, height = image.size
        if width * height > max_pixels:
            return UnreadableImage(name, f"too many pixels: {width} x {height}, at most {max_pixels} are decoded")
        image.load()
        converted: Image = image.convert("RGB")
        return converted


def resize_for_fid(image: Image) -> Image:
    """The image in RGB at 256 x 256, as `RESIZE_RULE` names it."""
    image_module = require("PIL.Image", needed_by="resizing images", extra="vision")
    return image.convert("RGB").resize((256, 256), image_module.Resampling.BILINEAR)


def content_digest(source: ImageSource) -> str:
    """A SHA-256 of what is seen: of the file's bytes, or of an open image's mode, size and pixels.

    An OSError where the file is not one that is read.
    """
    if isinstance(source, (str, os.PathLike)):
        with open_regular(source, MAX_BYTES) as file:
            return stream_digest(file)
    return hashlib.sha256(f"{source.mode}{source.size}".encode() + source.tobytes()).hexdigest()
