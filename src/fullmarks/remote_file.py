"""Files behind an address such as s3://bucket/key: opened, looked at, listed and written.

pyarrow reaches S3, Google's, Azure's and Hadoop's storage; fsspec all others that it knows (hf, memory, https ...).
Credentials are those that these libraries find. What an address may hold of them, before an @ or after a question mark,
is in no message: `shown` is the address without it. A key is written as it is, never percent-encoded.
"""

from __future__ import annotations

import io
import os
import re
from collections.abc import Callable
from functools import lru_cache
from typing import Any, BinaryIO, NamedTuple, TypeVar

from fullmarks.errors import MissingDependencyError, UsageError
from fullmarks.optional import require

T = TypeVar("T")

_NATIVE = {"s3": "s3", "s3a": "s3", "s3n": "s3", "gs": "gs", "gcs": "gs", "abfs": "abfs", "abfss": "abfss"}
_NATIVE |= {"hdfs": "hdfs", "viewfs": "viewfs"}
"""The schemes that pyarrow reaches, under the names it has for them."""
_OF_EXTRA = ("pyarrow", "fsspec", "huggingface_hub")
_READ_AHEAD = 4 << 20
"""Bytes per request of what is read from its beginning: a request takes as long as it takes to send so many."""
_MOST_OF_A_REASON = 160
_NO_ACCESS = re.compile(
    r"ACCESS_DENIED|AccessDenied|INVALID_ACCESS_KEY|InvalidAccessKey|SIGNATURE_DOES_NOT_MATCH|SignatureDoesNotMatch|"
    r"EXPIRED_TOKEN|ExpiredToken|INVALID_CLIENT_TOKEN|INVALID_TOKEN|UNAUTHENTICATED|UNAUTHORIZED|PERMISSION_DENIED|"
    r"AuthenticationFailed|AuthorizationFailure|MISSING_AUTHENTICATION|credentials|\b40[13]\b|Unauthorized|Forbidden"
)
_NO_NETWORK = re.compile(
    r"NETWORK_CONNECTION|REQUEST_TIMEOUT|SERVICE_UNAVAILABLE|curlCode|[Cc]ould not (connect|resolve)|[Tt]imed? ?out|"
    r"UNAVAILABLE|Connection (refused|reset|error)|Name or service not known|getaddrinfo|Max retries exceeded"
)
_NO_BUCKET = re.compile(r"NO_SUCH_BUCKET|NoSuchBucket|bucket does not exist|ContainerNotFound")
_CREDENTIALS = "Check the credentials in the environment or in the configuration of the storage's own tools."
_PROBLEMS: tuple[tuple[tuple[type[BaseException], ...], re.Pattern[str] | None, str, str], ...] = (
    ((), _NO_BUCKET, "there is no such bucket", "Check the address."),
    ((FileNotFoundError, NotADirectoryError), None, "there is no such file", "Check the address."),
    ((IsADirectoryError,), None, "this is a folder, expected a file", "Name the file in it."),
    ((PermissionError,), _NO_ACCESS, "no access with the credentials that were found", _CREDENTIALS),
    (
        (ConnectionError, TimeoutError),
        _NO_NETWORK,
        "the storage cannot be reached",
        "Check the network and the endpoint, and try again.",
    ),
)
"""What the classes and words of the libraries' errors mean, the first that fits."""


class RemoteError(OSError):
    """What is wrong with an address, in words without its secrets, and what to do."""

    def __init__(self, problem: str, advice: str) -> None:
        super().__init__(problem)
        self.problem = problem
        self.advice = advice


class RemoteEntry(NamedTuple):
    """What stands at an address."""

    address: str
    is_folder: bool
    size: int
    stamp: str
    """What changes with the content: an entity tag, else the time of the last change in ns; empty where neither is."""


class _Parts(NamedTuple):
    scheme: str
    user: str
    host: str
    path: str
    """From its first slash on, without redundant ones."""
    query: str


def parts_of(address: str) -> _Parts:
    """The parts of an address. A question mark begins a query only where an equals sign follows, or on the web.

    >>> parts_of("s3://me:word@bucket//a/b?.csv?region=x")
    _Parts(scheme='s3', user='me:word', host='bucket', path='/a/b?.csv', query='?region=x')
    """
    scheme, _, rest = address.partition("://")
    scheme = scheme.lower()
    host, slash, path = rest.partition("/")
    cut = _query_start(path if slash else host, scheme)
    query = (path if slash else host)[cut:]
    path, host = (path[:cut], host) if slash else ("", host[:cut])
    user, _, host = host.rpartition("@")
    return _Parts(scheme, user, host, re.sub("//+", "/", slash + path), query)


def _query_start(text: str, scheme: str) -> int:
    if scheme.startswith("http"):
        return len(text.partition("?")[0])
    found = re.search(r"\?[\w.-]+=", text)
    return len(text) if found is None else found.start()


def shown(address: str) -> str:
    """The address without what may be secret.

    >>> shown("s3://me:word@bucket/a.json?session_token=word")
    's3://bucket/a.json'
    >>> shown("abfs://data:word@account.dfs.core.windows.net/a.json")
    'abfs://data@account.dfs.core.windows.net/a.json'
    """
    parts = parts_of(address)
    container = parts.user.partition(":")[0] if parts.scheme in ("abfs", "abfss") else ""
    return f"{parts.scheme}://{container}{'@' if container else ''}{parts.host}{parts.path}"


def at_path(address: str, path: str) -> str:
    """The address of another path in the same storage."""
    parts = parts_of(address)
    user = f"{parts.user}@" if parts.user else ""
    return f"{parts.scheme}://{user}{parts.host}{path}{parts.query}"


def same_place(address: str) -> str:
    """What two addresses of the same file have in common."""
    parts = parts_of(shown(address))
    return f"{_NATIVE.get(parts.scheme, parts.scheme)}://{parts.user}@{(parts.host + parts.path).strip('/')}"


def status(address: str) -> RemoteEntry | None:
    """What stands at an address; None for nothing."""
    found: RemoteEntry | None = _asked(address, lambda place: place.status())
    return found


def entries(address: str, *, recursive: bool = False) -> list[RemoteEntry]:
    """What stands in a folder, folders included; nothing where there is no such folder."""
    return _asked(address, lambda place: place.entries(recursive))


def open_file(address: str, *, ranged: bool = False) -> BinaryIO:
    """A seekable stream of the content, read ahead of; `ranged` for who reads parts of it here and there."""
    opened: BinaryIO = _asked(address, lambda place: place.open(ranged))
    return opened


def check_place(address: str) -> None:
    """An error if nothing can be written to an address, as far as that is known before."""
    if not parts_of(address).path.strip("/"):
        raise RemoteError("the address names no file", "Add its name.")
    found = _asked(address, lambda place: place.status_for_writing())
    if found is not None and found.is_folder:
        raise RemoteError("this is a folder", "Name a file.")


def upload(local: str | os.PathLike[str], address: str) -> None:
    """Make a local file the content of an address, whole or not at all."""
    _asked(address, lambda place: place.put(os.fspath(local)))


def remove_folder(address: str) -> None:
    """Remove all that is under an address; nothing where nothing is."""
    _asked(address, lambda place: place.remove())


def told(error: BaseException, address: str) -> RemoteError:
    """An error of the libraries in our words, without what may be secret."""
    if isinstance(error, RemoteError):
        return error
    text = f"{type(error).__name__} {error}"
    for kinds, words, problem, advice in _PROBLEMS:
        if isinstance(error, kinds) or (words is not None and words.search(text)):
            return RemoteError(problem, advice)
    return RemoteError(f"the storage says: {_without_secrets(str(error), address)}", "Check the address.")


def _without_secrets(text: str, address: str) -> str:
    """The first line of a message, short, without userinfo and queries, be they of this address or of others."""
    parts = parts_of(address)
    line = next(iter(text.strip().splitlines()), "") or "nothing more"
    for secret in filter(None, (*parts.user.split(":")[1:], parts.user, parts.query, *_values(parts.query))):
        line = line.replace(secret, "...")
    line = re.sub(r"://[^/\s@]*@", "://", line)
    line = re.sub(r"\?[^\s'\"]*", "", line)
    return line if len(line) <= _MOST_OF_A_REASON else f"{line[: _MOST_OF_A_REASON - 4]} ..."


def _values(query: str) -> list[str]:
    return [pair.partition("=")[2] for pair in query[1:].split("&")]


def _asked(address: str, work: Callable[[Any], T]) -> T:
    """What a storage answers; its errors as ours."""
    try:
        return work(_place(address))
    except (MissingDependencyError, UsageError, RemoteError, TypeError, AttributeError, NameError):  # or defects
        raise
    except ImportError as error:
        raise _missing(parts_of(address).scheme, error) from None
    except Exception as error:  # noqa: BLE001 - every library has exceptions of its own
        raise told(error, address) from None


def _missing(scheme: str, error: BaseException) -> MissingDependencyError:
    """The package that an import failed for: fsspec wraps that error in others, or only tells what to install."""
    first: BaseException | None = error
    while first is not None and getattr(first, "name", None) is None:
        first = first.__cause__ or first.__context__
    if first is None:
        return MissingDependencyError(f"{scheme}:// needs a package that is not installed: {error}")
    package = str(getattr(first, "name", "")).partition(".")[0]
    line = "'fullmarks[cloud]'" if package in _OF_EXTRA else package
    return MissingDependencyError(f"{scheme}:// needs '{package}', which is not installed: pip install {line}")


def _place(address: str) -> _Native | _Other:
    parts = parts_of(address)
    if parts.scheme in _NATIVE:
        found = _native(address)
        if found is not None:
            return found
    return _Other(address, parts)


def _native(address: str) -> _Native | None:
    """The address by pyarrow; None where this pyarrow was built without its kind of storage."""
    parts = parts_of(address)
    arrow = require("pyarrow", needed_by=f"{parts.scheme}://", extra="cloud")
    files = require("pyarrow.fs", needed_by=f"{parts.scheme}://", extra="cloud")
    try:
        system, base = _system(
            os.getpid(), files.FileSystem, _NATIVE[parts.scheme] + at_path(address, "/x").removeprefix(parts.scheme)
        )
    except arrow.ArrowNotImplementedError:
        return None
    except arrow.ArrowInvalid as error:
        if "Unrecognized filesystem" in str(error):
            return None
        if "account name" in str(error):
            advice = f"Write it as in {parts.scheme}://CONTAINER@ACCOUNT.dfs.core.windows.net/PATH."
            raise RemoteError("the address names no storage account", advice) from None
        raise
    return _Native(files, system, base.removesuffix("x"), address)


@lru_cache(maxsize=16)
def _system(process: int, kind: Any, address: str) -> tuple[Any, str]:
    """The file system of an address and the path in it, made once: making one may ask where a bucket lies.

    A process that was forked makes its own: connections of its parent are not to be shared.
    """
    del process
    found: tuple[Any, str] = kind.from_uri(address)
    return found


class _Native:
    """An address in a storage that pyarrow reaches."""

    def __init__(self, files: Any, system: Any, base: str, address: str) -> None:
        self._files = files
        self._system = system
        self._base = base
        self._address = address
        self._path = base + parts_of(address).path.strip("/")

    def status(self) -> RemoteEntry | None:
        found = self._system.get_file_info(self._path)
        return None if found.type == self._files.FileType.NotFound else self._entry(found)

    def status_for_writing(self) -> RemoteEntry | None:
        found = self.status()
        if found is None:
            self._check_bucket()
        return found

    def entries(self, recursive: bool) -> list[RemoteEntry]:
        folder = self._files.FileSelector(self._path.rstrip("/"), allow_not_found=True, recursive=recursive)
        return [self._entry(found) for found in self._system.get_file_info(folder)]

    def open(self, ranged: bool) -> Any:
        try:
            file = self._system.open_input_file(self._path)
        except FileNotFoundError:
            self._check_bucket()
            raise
        return file if ranged else io.BufferedReader(file, _READ_AHEAD)

    def put(self, local: str) -> None:
        """In one piece of work: whatever ends it, the storage has either been given all of the content or nothing."""
        arrow = require("pyarrow", needed_by="Writing to an address", extra="cloud")
        with arrow.memory_map(local) if os.path.getsize(local) else arrow.BufferReader(b"") as content:
            everything = content.read_buffer()
            stream = self._system.open_output_stream(self._path, compression=None)
            stream.write(everything)
            stream.close()

    def remove(self) -> None:
        if self.status() is not None:
            self._system.delete_dir(self._path)

    def _check_bucket(self) -> None:
        bucket = self._system.get_file_info(self._path.partition("/")[0])
        if self._path[:1] != "/" and bucket.type == self._files.FileType.NotFound:
            raise RemoteError("there is no such bucket", "Check the address.")

    def _entry(self, found: Any) -> RemoteEntry:
        address = at_path(self._address, f"/{found.path.removeprefix(self._base)}")
        stamp = "" if found.mtime_ns is None else str(found.mtime_ns)
        return RemoteEntry(address, found.type == self._files.FileType.Directory, found.size or 0, stamp)


class _Other:
    """An address in a storage that fsspec knows."""

    def __init__(self, address: str, parts: _Parts) -> None:
        library = require("fsspec", needed_by=f"{parts.scheme}://", extra="cloud")
        self._address = address
        try:
            self._system, self._path = library.url_to_fs(address)
        except ValueError as error:
            if "Protocol not known" not in str(error):
                raise
            known = "s3://, gs://, abfs://, hf:// and those of fsspec are"
            raise RemoteError(
                f"no storage of the kind {parts.scheme}:// is known", f"Check the address: {known}."
            ) from None

    def status(self) -> RemoteEntry | None:
        try:
            return self._entry(self._system.info(self._path))
        except FileNotFoundError:
            return None

    status_for_writing = status

    def entries(self, recursive: bool) -> list[RemoteEntry]:
        path = self._path.rstrip("/")
        try:
            found = self._system.find(path, detail=True).values() if recursive else self._system.ls(path, detail=True)
        except FileNotFoundError:
            return []
        return [self._entry(each) for each in found if each["name"].strip("/") != path.strip("/")]

    def open(self, ranged: bool) -> Any:
        asked = {"cache_type": "none"} if ranged else {}
        return io.BufferedReader(_Guarded(self._system.open(self._path, "rb", **asked), self._address))

    def put(self, local: str) -> None:
        self._system.put_file(local, self._path)

    def remove(self) -> None:
        if self.status() is not None:
            self._system.rm(self._path, recursive=True)

    def _entry(self, found: dict[str, Any]) -> RemoteEntry:
        inside, own = found["name"].strip("/"), self._path.strip("/")
        if inside.startswith(own):  # in the words that were given: many names are one storage's
            address = self._address.rstrip("/") + inside[len(own) :]
        else:
            address = self._system.unstrip_protocol(found["name"])
        tag = next((found[name] for name in ("ETag", "etag", "blob_id") if found.get(name)), None)
        return RemoteEntry(address, found["type"] == "directory", found.get("size") or 0, str(tag or _changed(found)))


def _changed(found: dict[str, Any]) -> Any:
    """When a file was changed, in ns where it is told as a time; empty where it is not told."""
    changed = next((found[name] for name in ("mtime", "LastModified", "last_modified", "created") if name in found), "")
    moment = changed.timestamp() if hasattr(changed, "timestamp") else changed
    return round(moment * 1e9) if isinstance(moment, (int, float)) else moment


class _Guarded(io.RawIOBase):
    """A file of fsspec whose errors are ours: every library behind it has exceptions of its own."""

    def __init__(self, file: Any, address: str) -> None:
        self._file = file
        self._address = address

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return bool(self._file.seekable())

    def readinto(self, buffer: Any) -> int:
        piece = self._guarded(lambda: self._file.read(len(buffer)))
        buffer[: len(piece)] = piece
        return len(piece)

    def seek(self, offset: int, whence: int = 0) -> int:
        place: int = self._guarded(lambda: self._file.seek(offset, whence))
        return place

    def tell(self) -> int:
        place: int = self._file.tell()
        return place

    def close(self) -> None:
        if not self.closed:
            self._file.close()
        super().close()

    def _guarded(self, work: Callable[[], T]) -> T:
        try:
            return work()
        except Exception as error:  # noqa: BLE001 - every library has exceptions of its own
            raise told(error, self._address) from None
