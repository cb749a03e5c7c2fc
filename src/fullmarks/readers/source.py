"""Where input comes from: a path, standard input, a file object or a plain Python object, read the same way.

Compressed files (.gz, .zst) are opened as what they hold; a UTF-8 byte-order mark is dropped.
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
from typing import IO, Any, BinaryIO

from fullmarks.errors import InputError
from fullmarks.readers.limits import CountedFile, Gauge, current_limits, read_whole, too_large_document, too_long_record

BYTE_ORDER_MARK = b"\xef\xbb\xbf"
_UTF16_MARKS = (b"\xff\xfe", b"\xfe\xff")
JSON_LINES = (".jsonl", ".ndjson")
_ZIP = b"PK\x03\x04"
_OTHER_KINDS = {
    b"PAR1": ("a Parquet file", "Name it so that it ends in .parquet."),
    b"\xd0\xcf\x11\xe0": ("an old Excel workbook", "Save the sheet as CSV UTF-8, and pass that file."),
    b"%PDF": ("a PDF document", "Pass the file that the answers are in."),
}
"""What the first bytes of files tell that are taken for tables, and what to do with them."""
STANDARD_INPUT = "standard input"
_COMPRESSIONS = {".gz": "gzip", ".zst": "zstandard"}
_BLOCK = 1 << 18
"""Bytes per block of lines: what is made of them still fits a processor's cache, and that nearly halves the time."""
_PIECE = 1 << 13


class Source:
    """One input: its name for messages, its kind of file, and its bytes or its object."""

    def __init__(self, origin: Any, role: str) -> None:
        self.role = role
        self.path: str | None = None
        self.object: Any = None
        self._stream: IO[Any] | None = None
        self._data: bytes | None = None
        self._kept: list[tuple[Any, Any]] | None = None
        if isinstance(origin, (str, os.PathLike)):
            self.name = os.fspath(origin)
            if self.name == "-":
                self.name = STANDARD_INPUT
                self._stream = getattr(sys.stdin, "buffer", sys.stdin)
            else:
                self.path = self.name
        elif hasattr(origin, "read"):
            self._stream = origin
            self.name = str(getattr(origin, "name", role))
        else:
            self.object = origin
            self.name = role

    @property
    def is_object(self) -> bool:
        """Whether this is a plain Python object rather than a file."""
        return self.path is None and self._stream is None

    @property
    def is_json_lines(self) -> bool:
        """Whether the file name says that every line is a JSON document."""
        return self.ending in JSON_LINES

    @property
    def is_folder(self) -> bool:
        """Whether this is a folder, whose files are then sources of their own."""
        return self.path is not None and "\0" not in self.path and os.path.isdir(self.path)

    def files(self) -> list[Source]:
        """The files of a folder, by name; neither folders in it nor hidden files."""
        with _reported(self.name), os.scandir(self.path) as found:
            names = sorted(entry.name for entry in found if entry.is_file() and not entry.name.startswith("."))
        return [Source(os.path.join(self.name, name), self.role) for name in names]

    @property
    def is_repeatable(self) -> bool:
        """Whether the same can be read again from the start."""
        return self.path is not None or isinstance(self.object, (list, tuple, dict))

    @property
    def ending(self) -> str:
        """The file name's ending in lower case, without that of a compression; empty when there is none."""
        stem, ending = os.path.splitext(self.name.lower())
        return os.path.splitext(stem)[1] if ending in _COMPRESSIONS else ending

    def read(self) -> bytes:
        """The whole content as valid UTF-8 without a byte-order mark; read once, however often it is asked for."""
        if self._data is None:
            with self.stream() as stream:
                data = read_whole(stream, self.name)
            if isinstance(data, str):
                data = data.encode("utf-8", "surrogatepass")
            self._data = check_encoding(bytes(data), self.name)
        return self._data

    def shared(self) -> Source:
        """The same, to be read for several systems by one protocol: what is made of it is kept."""
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
        other = Source(value, self.role)
        other.name = self.name
        return other

    @contextmanager
    def stream(self) -> Iterator[IO[Any]]:
        """The decompressed content as a file object, closed at the end if it was opened here."""
        with _reported(self.name):
            stream = self._open()
            try:
                yield stream
            finally:
                self._close(stream)

    def blocks(self, size: int = _BLOCK, *, may_be_document: bool = False) -> Iterator[bytes]:
        """The content in blocks of whole lines, so that memory does not grow with the file.

        With `may_be_document`, what begins otherwise than an object may be one long line.
        """
        if self._data is not None:
            yield from _line_blocks(io.BytesIO(self._data), size, self.name, may_be_document)
            return
        with self.stream() as stream:
            yield from _line_blocks(stream, size, self.name, may_be_document)

    def _open(self) -> Any:
        if self._stream is not None:
            if getattr(self._stream, "closed", False):
                raise InputError(self.name, "this file object is closed", "Open it anew, or pass its path.")
            return self._stream
        path = self._existing_path()
        compression = os.path.splitext(path.lower())[1]
        if compression in _COMPRESSIONS:
            _check_compression(path, compression)
        file = open(path, "rb")  # noqa: SIM115 - closed by whoever asked for it
        return _decompressed(file, compression, self.name) if compression in _COMPRESSIONS else file

    def _existing_path(self) -> str:
        path = self.path
        if path is None:
            raise InputError(self.name, f"the {self.role} is not a file", "Pass a path or a file object.")
        if "\0" in self.name:
            raise InputError(repr(self.name), f"this is not a path (the {self.role})", "Check the path.")
        try:
            is_directory = stat.S_ISDIR(os.stat(path).st_mode)
        except (FileNotFoundError, NotADirectoryError):
            raise InputError(self.name, f"there is no such file (the {self.role})", "Check the path.") from None
        if is_directory:
            raise InputError(self.name, f"this is a directory, expected the {self.role} file", "Name the file in it.")
        return path

    def _close(self, stream: IO[Any] | BinaryIO) -> None:
        if stream is not self._stream:
            stream.close()


def _decompressed(file: BinaryIO, compression: str, name: str) -> io.BufferedReader:
    """What a compressed file holds, as a stream that raises at a limit."""
    counted: Any = CountedFile(file)
    content: Any
    if compression == ".gz":
        import gzip

        content = gzip.GzipFile(fileobj=counted)
    else:
        from fullmarks.readers.zstandard_stream import ZstandardStream

        content = io.BufferedReader(ZstandardStream(counted, name), _BLOCK)
    return _ClosingReader(Gauge(content, name, counted), file)


class _ClosingReader(io.BufferedReader):
    """A buffered stream that closes the file below as well."""

    def __init__(self, raw: Gauge, file: BinaryIO) -> None:
        super().__init__(raw, _BLOCK)
        self._file = file

    def close(self) -> None:
        """Close both."""
        super().close()
        self._file.close()


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
    compression = _compression_of(data)
    if compression:
        problem = f"this is {_COMPRESSIONS[compression]} data, expected text"
        raise InputError(name, problem, _naming_advice(name, compression))
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
    if name.lower().endswith((".xlsx", ".xlsm")) or b"[Content_Types].xml" in head:
        return "an Excel workbook", "Save the sheet as CSV UTF-8, and pass that file."
    if name.lower().endswith(".eval") or b"_journal/" in head:
        shown = os.path.basename(name)
        advice = f"Write it as JSON, and pass that: inspect log convert {shown} --to json --output-dir DIR."
        return "a packed log of Inspect", advice
    return "a ZIP archive", "Unpack it, and pass the file that it holds."


def _check_compression(path: str, ending: str) -> None:
    """An error if a file is not compressed as its name says; a file cut off in its head is for the reader to tell."""
    if not os.path.isfile(path):  # a pipe would lose what is looked at
        return
    with open(path, "rb") as file:
        head = file.read(4)
    found = _compression_of(head)
    if found == ending or len(head) < 4:
        return
    if found:
        problem = f"this is {_COMPRESSIONS[found]} data, though its name ends in {ending}"
        raise InputError(path, problem, _naming_advice(path[: -len(ending)], found))
    plain = os.path.basename(path)[: -len(ending)]
    problem = f"this is not {_COMPRESSIONS[ending]} data, though its name ends in {ending}"
    raise InputError(path, problem, f"If it is not compressed, name it {plain}; if it was, write it anew.")


def _compression_of(data: bytes) -> str:
    """The ending for what compressed these data, told from their first bytes; empty for none that is known."""
    if data[:2] == b"\x1f\x8b":
        return ".gz"
    is_skipped_frame = 0x50 <= data[0] <= 0x5F and data[1:4] == b"\x2a\x4d\x18" if data else False
    return ".zst" if is_skipped_frame or data[:4] == b"\x28\xb5\x2f\xfd" else ""


def _naming_advice(name: str, ending: str) -> str:
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


def _line_blocks(stream: IO[Any], size: int, name: str, may_be_document: bool) -> Iterator[bytes]:
    unfinished: list[bytes] = []
    limits = current_limits()
    longest, length, too_long = limits.record, 0, too_long_record
    first = True
    while piece := stream.read(size):
        if isinstance(piece, str):
            piece = piece.encode("utf-8", "surrogatepass")
        if first and piece.startswith(BYTE_ORDER_MARK):
            piece = piece[len(BYTE_ORDER_MARK) :]
        if first and may_be_document and not piece.lstrip().startswith(b"{"):
            longest, too_long = limits.document, too_large_document
        first = False
        cut = piece.rfind(b"\n") + 1
        if cut:
            block = b"".join([*unfinished, piece[:cut]])
            if longest < size and max(map(len, block.split(b"\n"))) > longest:
                raise too_long(name, longest)
            yield block
            unfinished, length = [], 0
        unfinished.append(piece[cut:])
        length += len(piece) - cut
        if length > longest:
            raise too_long(name, longest)
    if any(unfinished):
        yield b"".join(unfinished)


class _reported:  # noqa: N801 - reads as a statement: with _reported(name)
    """Turns the errors of opening and reading into ours."""

    def __init__(self, name: str) -> None:
        self.name = name

    def __enter__(self) -> None:
        return None

    def __exit__(self, kind: object, error: BaseException | None, trace: object) -> None:
        if error is None or isinstance(error, InputError):
            return
        if isinstance(error, PermissionError):
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
        if isinstance(error, OSError):
            reason = error.strerror or str(error)
            raise InputError(self.name, f"cannot be read ({reason})", "Check the path and the disk.") from error
