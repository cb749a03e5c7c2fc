"""Where input comes from: a path or address, standard input, a file object, a data frame or a plain object, read the
same way.

A folder or a pattern stands for the files of one table. Compressed files (.gz, .zst) are opened as what they hold; a
UTF-8 byte-order mark is dropped.
"""

from __future__ import annotations

import codecs
import io
import os
import stat
import sys
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO, TYPE_CHECKING, Any, BinaryIO

from fullmarks.checks import is_address
from fullmarks.errors import InputError
from fullmarks.readers.limits import (
    join_blocks,
    read_whole,
)

if TYPE_CHECKING:
    from fullmarks.readers.frames.frame import Frame
    from fullmarks.readers.listing import File
    from fullmarks.readers.shards import Reading

BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")
JSON_LINES = (".jsonl", ".ndjson")
ARCHIVE_ENDING = ".eval"
"""What the names of logs of Inspect end in that are archives."""
WORKBOOKS = (".xlsx", ".xlsm")
_ZIP = b"PK\x03\x04"
_OTHER_KINDS = {
    b"PAR1": ("a Parquet file", "Name it so that it ends in .parquet."),
    b"\xd0\xcf\x11\xe0": (
        "an old or password-protected Excel workbook",
        "Save it as .xlsx without a password, or the sheet as CSV UTF-8, and pass that file.",
    ),
    b"%PDF": ("a PDF document", "Pass the file that the answers are in."),
}
"""What the first bytes of files tell that are taken for tables, and what to do with them."""
STANDARD_INPUT = "standard input"
COMPRESSIONS = {".gz": "gzip", ".zst": "zstandard"}
BLOCK = 1 << 18
"""Bytes per block of lines: what is made of them still fits a processor's cache, and that nearly halves the time."""
_PIECE = 1 << 13
_PATTERN = frozenset("*?[")
_PLAIN = frozenset((list, dict, tuple, type(None)))


class Source:
    """One input: its name for messages, its kind of file, and its bytes or its object."""

    def __init__(self, origin: Any, role: str) -> None:
        self.role = role
        self.path: str | None = None
        self.frame: Frame | None = None
        """The table of another library, where that was given."""
        self._object: Any = None
        self.sheet: str | None = None
        """Which sheet of a workbook is meant; None for its first."""
        self.reading: Reading | None = None
        """Which part of a file is read, where it is one of several."""
        self.footer: Any = None
        """What a Parquet file says of itself at its end, once that is known: elsewhere it costs a request."""
        self._stream: IO[Any] | None = None
        self._left_open: IO[Any] | None = None
        self._data: bytes | None = None
        self._kept: list[tuple[Any, Any]] | None = None
        self._is_many: bool | None = None
        self._files: list[File] | None = None
        if isinstance(origin, (str, os.PathLike)):
            self.name = os.fspath(origin)
            if self.name == "-":
                self.name = STANDARD_INPUT
                self._stream = getattr(sys.stdin, "buffer", sys.stdin)
            else:
                self.path = self.name
                if "#" in self.path and not os.path.exists(self.path):
                    self._take_sheet(self.path)
                if is_address(self.path):
                    from fullmarks.remote_file import shown

                    self.name = shown(self.path)
        elif type(origin) in _PLAIN:
            self._object = origin
            self.name = role
        else:
            self._take(origin)

    def _take(self, origin: Any) -> None:
        """Tell what an object of any class is: a table of another library, a stream, or an object as it is."""
        from fullmarks.readers.frames.frame import Frame
        from fullmarks.readers.frames.telling import table_in

        self.name = self.role
        found = table_in(origin, self.role)  # first, for a column of a data frame may be called "read"
        if isinstance(found, Frame):
            self.frame = found
        elif hasattr(origin, "read"):
            self._stream = origin
            self.name = str(getattr(origin, "name", self.role))
        else:
            self._object = found

    def _take_sheet(self, path: str) -> None:
        """Take a path such as book.xlsx#Answers apart into the workbook and the name of its sheet."""
        book, _, sheet = path.partition("#")
        if book.lower().endswith(WORKBOOKS) and sheet:
            self.path = self.name = book
            self.sheet = sheet

    @property
    def is_object(self) -> bool:
        """Whether this is a Python object rather than a file."""
        return self.path is None and self._stream is None

    @property
    def given(self) -> Any:
        """The plain object that was given, to be asked what it is; None for files and data frames."""
        return self._object if self.frame is None else None

    @property
    def object(self) -> Any:
        """The plain object; of a data frame the list of its records, made when somebody asks for them."""
        if self.frame is not None and self._object is None:
            from fullmarks.readers.tables.frame_blocks import frame_records

            self.hold()
            self._object = frame_records(self.frame, self.name)
        return self._object

    def hold(self) -> None:
        """Keep what can be read only once, a stream of records, so that it can be read again."""
        if self.frame is not None:
            self.frame = self.frame.held()
        elif isinstance(self._object, Iterator):
            self._object = list(self._object)

    @property
    def is_json_lines(self) -> bool:
        """Whether the file name says that every line is a JSON document."""
        return self.ending in JSON_LINES

    @property
    def is_compressed(self) -> bool:
        """Whether the file name says that the file is compressed."""
        return os.path.splitext(self.name.lower())[1] in COMPRESSIONS

    @property
    def is_plain_file(self) -> bool:
        """Whether these are files that can be read from any place, again and by others: no pipe, no device."""
        if self.path is None or "\0" in self.path:
            return False
        return self.is_many or self.is_remote or os.path.isfile(self.path)

    @property
    def is_folder(self) -> bool:
        """Whether this is a folder, whose files are then sources of their own."""
        if self.path is None or "\0" in self.path:
            return False
        if not self.is_remote:
            return os.path.isdir(self.path)
        from fullmarks.readers.listing import is_folder

        return is_folder(self.path)

    def files(self) -> list[Source]:
        """The files of a folder, by name; neither folders in it nor hidden files."""
        from fullmarks.readers.listing import entries_of

        return [Source(file.path, self.role) for file in entries_of(self.path or "")]

    @property
    def is_remote(self) -> bool:
        """Whether the path is an address."""
        return is_address(self.path)

    @property
    def is_many(self) -> bool:
        """Whether this is a folder or a pattern: where a table is expected, its files are the parts of one."""
        if self.path is None or "\0" in self.path:
            return False
        if self._is_many is None:
            if self.is_remote or not _PATTERN.isdisjoint(self.path):
                from fullmarks.readers.listing import stands_for_many

                self._is_many = stands_for_many(self.path)
            else:
                self._is_many = os.path.isdir(self.path)
        return self._is_many

    def table_files(self) -> list[File]:
        """The files that a path, a folder or a pattern stands for, in the order of their names; listed once."""
        if self._files is None:
            from fullmarks.readers.listing import files_of

            self._files = files_of(self.path or "")
        return self._files

    def parts(self) -> list[Source]:
        """The same, each to be read."""
        return [Source(file.path, self.role) for file in self.table_files()]

    @property
    def is_repeatable(self) -> bool:
        """Whether the same can be read again from the start."""
        if self.frame is not None:
            return self.frame.is_repeatable
        is_held = isinstance(self._object, (list, tuple, dict)) or hasattr(self._object, "is_repeatable")
        return self.path is not None or is_held

    @property
    def ending(self) -> str:
        """The file name's ending in lower case, without that of a compression; empty when there is none.

        That of a folder or pattern is the ending of its first file.
        """
        return ending_of(self.parts()[0].name if self.is_many else self.name)

    def read(self) -> bytes:
        """The whole content as valid UTF-8 without a byte-order mark; read once, however often it is asked for."""
        if self._data is None and self.is_many and self.is_json_lines:
            self._data = join_blocks((_ended(part.read()) for part in self.parts()), self.name)
        if self._data is None:
            with self.stream() as stream:
                data = read_whole(stream, self.name)
            if isinstance(data, str):
                data = data.encode("utf-8", "surrogatepass")
            self._data = check_encoding(bytes(data), self.name)
        return self._data

    def shared(self) -> Source:
        """The same, to be read for several systems by one protocol: what is made of it is kept."""
        self.hold()
        self._kept = []
        return self

    @property
    def is_shared(self) -> bool:
        """Whether it is read for several systems."""
        return self._kept is not None

    def keep(self, key: Any, made: Any) -> None:
        """Keep what was made of it under a key, where it is shared."""
        if self._kept is not None:
            self._kept.append((key, made))

    def kept(self, key: Any) -> Any:
        """What was kept under an equal key; None where nothing was."""
        return next((made for known, made in self._kept or () if known == key), None)

    def holding(self, value: Any) -> Source:
        """A source of the same name that holds this object instead of a file."""
        is_text = isinstance(value, (str, os.PathLike))  # what stands in a file is never the path of another one
        other = Source({} if is_text else value, self.role)
        if is_text:
            other._object = value
        other.name = self.name
        return other

    @contextmanager
    def stream(self, *, ranged: bool = False) -> Iterator[IO[Any]]:
        """The decompressed content as a file object, closed at the end if it was opened here.

        With `ranged`, nothing is read ahead of a file elsewhere: for who reads parts of it here and there.
        """
        with reported(self.name, self.path):
            stream = self._open(ranged=ranged)
            try:
                yield stream
            finally:
                self._close(stream)

    @contextmanager
    def glance(self) -> Iterator[IO[Any]]:
        """The same for a look at its beginning: a file elsewhere stays open for whoever reads it next, so that its
        first bytes come once.
        """
        with reported(self.name, self.path):
            stream = self._open(ranged=False)
            try:
                yield stream
                if self.is_remote and not self.is_compressed:
                    stream.seek(0)
                    self._left_open = stream
            finally:
                if stream is not self._left_open:
                    self._close(stream)

    def blocks(self, size: int = BLOCK, *, may_be_document: bool = False) -> Iterator[bytes]:
        """The content in blocks of whole lines, so that memory does not grow with the file.

        With `may_be_document`, what begins otherwise than an object may be one long line.
        """
        from fullmarks.readers.line_blocks import LineRange, line_blocks

        if self._data is not None:
            yield from line_blocks(io.BytesIO(self._data), size, self.name, may_be_document)
            return
        with self.stream() as stream:
            part: Any = stream
            if self.reading is not None and self.reading.shard.unit == "bytes":
                part = LineRange(stream, self.reading.shard.start, self.reading.shard.stop)
            yield from line_blocks(part, size, self.name, may_be_document)

    def _open(self, *, ranged: bool) -> Any:
        if self._stream is not None:
            if getattr(self._stream, "closed", False):
                raise InputError(self.name, "this file object is closed", "Open it anew, or pass its path.")
            return self._stream
        if self._left_open is not None and not ranged:
            left, self._left_open = self._left_open, None
            return left
        path = self._existing_path()
        if is_address(path):
            from fullmarks.remote_file import open_file

            file: Any = open_file(path, ranged=ranged and not self.is_compressed)
        else:
            file = open(path, "rb")  # noqa: SIM115 - closed by whoever asked for it
        if not self.is_compressed:
            return file
        from fullmarks.readers.compressed import decompressed

        return decompressed(file, os.path.splitext(self.name.lower())[1], self.name)

    def _existing_path(self) -> str:
        path = self.path
        if path is None:
            raise InputError(self.name, f"the {self.role} is not a file", "Pass a path or a file object.")
        if "\0" in self.name:
            raise InputError(repr(self.name), f"this is not a path (the {self.role})", "Check the path.")
        if self.is_many and not self.is_folder:
            files = self.parts()
            if len(files) > 1:
                problem = f"these are {len(files)} files, expected one {self.role} file"
                raise InputError(self.name, problem, "Name one of them; only tables may be many files.")
            return files[0].path or path
        if self.is_many if self.is_remote else self._is_directory(path):
            raise InputError(self.name, f"this is a directory, expected the {self.role} file", "Name the file in it.")
        return path

    def _is_directory(self, path: str) -> bool:
        try:
            return stat.S_ISDIR(os.stat(path).st_mode)
        except (FileNotFoundError, NotADirectoryError):
            raise InputError(self.name, f"there is no such file (the {self.role})", "Check the path.") from None

    def _close(self, stream: IO[Any] | BinaryIO) -> None:
        if stream is not self._stream:
            stream.close()


def ending_of(name: str) -> str:
    """A name's ending in lower case, without that of a compression; empty when there is none."""
    stem, ending = os.path.splitext(name.lower())
    return os.path.splitext(stem)[1] if ending in COMPRESSIONS else ending


def _ended(data: bytes) -> bytes:
    """Lines of which the last is ended like the others."""
    return data if data.endswith(b"\n") else data + b"\n"


def check_encoding(data: bytes, name: str, *, offset: int = 0, line: int = 1) -> bytes:
    """The bytes without their byte-order mark; an error when they are not UTF-8.

    Of a part of a file, `offset` and `line` say where in it the bytes begin.
    """
    if offset == 0:
        check_beginning(data, name)
    if data.startswith(BYTE_ORDER_MARK):
        data = data[len(BYTE_ORDER_MARK) :]
    if not data.isascii():
        wrong = _first_wrong_byte(data)
        if wrong is not None:
            at_line = line + data.count(b"\n", 0, wrong)
            place = f"offset {offset + wrong} (line {at_line})"
            found = f"byte 0x{data[wrong]:02x} at {place} is not UTF-8"
            raise InputError(name, found, "Save the file as UTF-8.")
    return data


def check_beginning(data: bytes, name: str) -> None:
    """An error if the first bytes of a file are those of UTF-16 or of compressed data."""
    compression = compression_of(data)
    if compression:
        problem = f"this is {COMPRESSIONS[compression]} data, expected text"
        raise InputError(name, problem, naming_advice(name, compression))
    for start, (found, advice) in _OTHER_KINDS.items():
        if data.startswith(start):
            raise InputError(name, f"this is {found}, expected text", advice)
    if data.startswith(_ZIP):
        found, advice = _kind_of_archive(data, name)
        raise InputError(name, f"this is {found}, expected text", advice)
    if data.startswith(_UTF16_MARKS):
        raise InputError(name, "this is UTF-16 text, expected UTF-8", "Convert it: iconv -f UTF-16 -t UTF-8.")


def _kind_of_archive(data: bytes, name: str) -> tuple[str, str]:
    """What a ZIP archive is, by its name or its first entries, and what to do with it."""
    head = data[:_PIECE]
    if name.lower().endswith(WORKBOOKS) or b"[Content_Types].xml" in head:
        return "an Excel workbook", "Pass it as a file that ends in .xlsx, or save the sheet as CSV UTF-8."
    if name.lower().endswith(ARCHIVE_ENDING) or b"_journal/" in head:
        return "a packed log of Inspect", "Pass it as a file that ends in .eval where a table or predictions may stand."
    return "a ZIP archive", "Unpack it, and pass the file that it holds."


def compression_of(data: bytes) -> str:
    """The ending for what compressed these data, told from their first bytes; empty for none that is known."""
    if data[:2] == b"\x1f\x8b":
        return ".gz"
    is_skipped_frame = 0x50 <= data[0] <= 0x5F and data[1:4] == b"\x2a\x4d\x18" if data else False
    return ".zst" if is_skipped_frame or data[:4] == b"\x28\xb5\x2f\xfd" else ""


def naming_advice(name: str, ending: str) -> str:
    """What to do with compressed data that were taken for plain ones."""
    plain = os.path.basename(name)
    if plain.lower().endswith(ending):  # the name says it, so only an open file can have been given
        return "Pass its path, or a file object that decompresses it."
    return f"Name it {plain}{ending}, or decompress it." if "." in plain else "Decompress it first."


def _first_wrong_byte(data: bytes) -> int | None:
    """Where the bytes stop being UTF-8; None if they never do. In pieces that fit a processor's cache."""
    start = 0
    while start < len(data):
        piece = data[start : start + _PIECE]
        try:
            start += codecs.utf_8_decode(piece, "strict", start + len(piece) == len(data))[1]
        except UnicodeDecodeError as error:
            return start + error.start
    return None


class reported:  # noqa: N801 - reads as a statement: with reported(name, path)
    """Turns the errors of opening and reading into ours; what is read by a path is named without its secrets."""

    def __init__(self, name: str, path: str | None) -> None:
        self.name = name
        self.path = path

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if error is None or isinstance(error, InputError):
            return
        if isinstance(error, PermissionError) and not is_address(self.path):
            raise InputError(self.name, "not allowed to read this file", "Check its permissions.") from error
        damaged = isinstance(error, (EOFError, zlib.error)) or type(error).__name__ in (
            "ZstdError",
            "BadGzipFile",
        )
        if damaged:
            raise InputError(self.name, f"the compressed data is damaged ({error})", "Compress it anew.") from error
        if isinstance(error, UnicodeDecodeError):
            found = f"byte 0x{error.object[error.start]:02x} at offset {error.start} is not {error.encoding}"
            raise InputError(self.name, found, "Open it in binary mode, or save it as UTF-8.") from error
        if isinstance(error, OSError) and self.path is not None and is_address(self.path):
            from fullmarks.remote_file import told

            problem = told(error, self.path)
            raise InputError(self.name, problem.problem, problem.advice) from None
        if isinstance(error, OSError):
            reason = error.strerror or str(error)
            raise InputError(self.name, f"cannot be read ({reason})", "Check the path and the disk.") from error
