"""The pictures of examples, read from one folder to be put into the report page.

Only files inside of the folder that are PNG, JPEG, GIF or WebP by their content are taken: a run that someone else
saved cannot make the page carry any other file.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fullmarks.errors import InputError, UsageError
from fullmarks.regular_file import UnusableFileError, open_regular

PATHS = ("image", "image_path", "images", "picture")
"""The columns that name pictures by their path inside of the folder."""

IDENTIFIERS = ("image_id",)
"""The columns that name pictures by an id, which is the file's name, or its end as in COCO_val2014_000000000042.jpg."""

ENDINGS = (".jpg", ".jpeg", ".png", ".webp", ".gif")

MOST_BYTES = 64_000_000
"""What all pictures of a page may weigh together: beyond this browsers open it too slowly."""


@dataclass(frozen=True)
class ImageFile:
    """One picture, ready to be embedded."""

    kind: str
    data: bytes


@dataclass(frozen=True)
class Images:
    """The distinct pictures, and for each example the positions of its own; empty lists without pictures."""

    files: list[ImageFile]
    of_example: list[list[int]]


NO_IMAGES = Images([], [])


def find_images(columns: Mapping[str, Sequence[Any]], folder: Path) -> Images:
    """The pictures that the examples name in a column for it; one that is missing is an error."""
    named = next((name for name in (*PATHS, *IDENTIFIERS) if name in columns), None)
    if named is None:
        known = ", ".join((*PATHS, *IDENTIFIERS))
        raise UsageError(
            f"no example names a picture: pictures are looked for in the columns {known}. "
            "A table's own column is kept in a run that is scored with --by, as in --by image"
        )
    by_id = _by_id(folder) if named in IDENTIFIERS else {}
    files: list[ImageFile] = []
    places: dict[str, int] = {}
    of_example = []
    for cell in columns[named]:
        names = [str(name) for name in (cell if isinstance(cell, (list, tuple)) else [cell]) if name is not None]
        of_example.append([_place(by_id.get(name, name), folder, files, places) for name in names])
    return Images(files, of_example)


def _by_id(folder: Path) -> dict[str, str]:
    """The folder's pictures by the ids that their names can stand for."""
    found: dict[str, str] = {}
    try:
        paths = sorted(folder.iterdir())
    except OSError:  # each picture that is looked for then says so
        return found
    for path in paths:
        if path.suffix.lower() in ENDINGS:
            last = path.stem.rpartition("_")[2]
            if last.isdigit():
                found.setdefault(last.lstrip("0") or "0", path.name)
            found[path.stem] = path.name
    return found


def _place(path: str, folder: Path, files: list[ImageFile], places: dict[str, int]) -> int:
    if path not in places:
        room = MOST_BYTES - sum(len(file.data) for file in files)
        files.append(_read(folder, path, room))
        places[path] = len(files) - 1
    return places[path]


def _read(folder: Path, name: str, room: int) -> ImageFile:
    """The picture of this name, of which no more than `room` bytes are read."""
    path = _inside(folder, name)
    try:
        with open_regular(path, 1 << 62) as file:
            data = file.read(room + 1)
    except UnusableFileError as error:
        raise _unreadable(str(path), str(error)) from error
    except OSError as error:
        raise _unreadable(str(path), error.strerror or str(error)) from error
    if len(data) > room:
        raise UsageError(
            f"the pictures weigh more than {MOST_BYTES // 1_000_000} MB together, too much for one page. "
            "Put smaller copies of them into a folder, or report fewer examples (score with --limit)"
        )
    return ImageFile(_kind(data, str(path)), data)


def _inside(folder: Path, name: str) -> Path:
    """Where the picture is, links followed; an error if that is outside of the folder, or nowhere."""
    try:
        path = (folder / name).resolve()
        is_inside = path.is_relative_to(folder.resolve())
    except (OSError, RuntimeError) as error:
        raise _unreadable(name, "its links go round in a circle") from error
    except ValueError as error:  # a NUL, or half a character
        raise _unreadable(name, "no file can have this name") from error
    if not is_inside:
        raise InputError(name, f"the picture is outside of {folder}", "Name the folder that holds all pictures.")
    return path


def _unreadable(name: str, reason: str) -> InputError:
    return InputError(name, f"the picture cannot be read ({reason})", "Check the folder given by --images.")


def _kind(data: bytes, name: str) -> str:
    """The type that the first bytes tell."""
    if data.startswith(b"\x89PNG\r\n\x1a\n"):
        return "image/png"
    if data.startswith(b"\xff\xd8\xff"):
        return "image/jpeg"
    if data.startswith((b"GIF87a", b"GIF89a")):
        return "image/gif"
    if data.startswith(b"RIFF") and data[8:12] == b"WEBP":
        return "image/webp"
    raise InputError(name, "this is no PNG, JPEG, GIF or WebP picture", "Convert it to one of these.")
