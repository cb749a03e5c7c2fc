"""Images from strangers: names that climb out, bombs, broken and odd files."""

from __future__ import annotations

import io
import os
import struct
import tracemalloc
import zlib
from pathlib import Path

import pytest

from fullmarks.backends.images import (
    RESIZE_RULE,
    UnreadableImage,
    content_digest,
    load_image,
    path_inside,
    resize_for_fid,
)
from fullmarks.errors import InputError

Image = pytest.importorskip("PIL.Image", reason="needs Pillow: make install")


def picture(mode: str = "RGB", size: tuple[int, int] = (40, 30)) -> Image.Image:
    return Image.linear_gradient("L").resize(size).convert(mode)


@pytest.mark.parametrize("name", ["a.png", "sub/a.png", "./a.png", "a..b.png", "..a/b.png"])
def test_names_inside(tmp_path: Path, name: str) -> None:
    assert path_inside(tmp_path, name) == tmp_path / name


@pytest.mark.parametrize(
    "name",
    ["../a.png", "sub/../../a.png", "/etc/passwd", "..", "C:\\a.png", "..\\a.png", "\\\\host\\a", "", "a\0b"],
)
def test_names_that_leave_are_refused(tmp_path: Path, name: str) -> None:
    with pytest.raises(InputError, match=r"leaves the folder|no file name"):
        path_inside(tmp_path, name)


def test_links_that_leave_are_refused(tmp_path: Path) -> None:
    folder = tmp_path / "images"
    folder.mkdir()
    (tmp_path / "secret.png").write_bytes(b"x")
    (folder / "link.png").symlink_to(tmp_path / "secret.png")
    (folder / "up").symlink_to(tmp_path)
    (folder / "real.png").write_bytes(b"x")
    (folder / "inner.png").symlink_to(folder / "real.png")
    for name in ("link.png", "up/secret.png"):
        with pytest.raises(InputError, match="leads out of"):
            path_inside(folder, name)
    assert path_inside(folder, "inner.png") == folder / "inner.png"


@pytest.mark.parametrize("mode", ["RGB", "L", "RGBA", "P", "CMYK", "1", "I;16", "LA"])
def test_every_mode_becomes_rgb(tmp_path: Path, mode: str) -> None:
    path = tmp_path / ("a.tiff" if mode == "CMYK" else "a.png")
    source = picture().convert("P") if mode == "P" else picture(mode if mode != "I;16" else "L")
    if mode == "I;16":
        source = source.convert("I").convert("I;16")
    source.save(path)
    image = load_image(path)
    assert not isinstance(image, UnreadableImage)
    assert image.mode == "RGB"
    assert image.size == (40, 30)


def test_palette_with_transparency_does_not_warn(tmp_path: Path) -> None:
    path = tmp_path / "a.png"
    picture().convert("P").save(path, transparency=bytes(range(256)))
    assert not isinstance(load_image(path), UnreadableImage)


def test_pixels_are_pillow_s_own(tmp_path: Path) -> None:
    path = tmp_path / "a.jpg"
    picture().save(path)
    image = load_image(path)
    assert not isinstance(image, UnreadableImage)
    with Image.open(path) as expected:
        assert image.tobytes() == expected.convert("RGB").tobytes()


def png_chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def png_bomb(width: int, height: int) -> bytes:
    """A valid PNG header of that size with one compressed block of zeros: small on disk, huge in memory."""
    header = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    body = zlib.compress(bytes(10_000_000), 9)
    return b"\x89PNG\r\n\x1a\n" + png_chunk(b"IHDR", header) + png_chunk(b"IDAT", body) + png_chunk(b"IEND", b"")


@pytest.mark.parametrize("side", [8_001, 10_000, 60_000])
def test_a_bomb_is_named_and_never_decoded(tmp_path: Path, side: int) -> None:
    """Sides below and above the limits at which Pillow itself warns and refuses."""
    path = tmp_path / "bomb.png"
    path.write_bytes(png_bomb(side, side))
    tracemalloc.start()
    result = load_image(path)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert isinstance(result, UnreadableImage)
    assert "too many pixels" in result.reason
    assert peak < 20_000_000


def test_the_limit_is_exact(tmp_path: Path) -> None:
    path = tmp_path / "a.png"
    picture().save(path)
    assert not isinstance(load_image(path, max_pixels=1200), UnreadableImage)
    assert isinstance(load_image(path, max_pixels=1199), UnreadableImage)


def broken_files() -> dict[str, bytes]:
    whole = {}
    for kind in ("PNG", "JPEG", "GIF", "WEBP", "TIFF", "BMP"):
        buffer = io.BytesIO()
        picture(size=(200, 200)).save(buffer, kind)
        whole[kind] = buffer.getvalue()
    cut = {f"cut.{kind.lower()}": data[: len(data) // 2] for kind, data in whole.items()}
    head = {f"head.{kind.lower()}": data[:20] for kind, data in whole.items()}
    flipped = whole["PNG"][:60] + bytes(byte ^ 255 for byte in whole["PNG"][60:80]) + whole["PNG"][80:]
    postscript = b"%!PS-Adobe-3.0 EPSF-3.0\n%%BoundingBox: 0 0 9 9\n"
    return {
        **cut,
        **head,
        "flipped.png": flipped,
        "empty.png": b"",
        "text.png": b"hello",
        "a.eps": postscript,
    }


@pytest.mark.parametrize("name", sorted(broken_files()))
def test_broken_files_are_named(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    path.write_bytes(broken_files()[name])
    result = load_image(path)
    assert isinstance(result, UnreadableImage)
    assert result.name == str(path)
    assert "cannot be decoded" in result.reason


def test_missing_file_and_folder(tmp_path: Path) -> None:
    for path, reason in ((tmp_path / "absent.png", "there is no such file"), (tmp_path, "is no plain file")):
        result = load_image(path)
        assert isinstance(result, UnreadableImage)
        assert result.reason.startswith(reason)


def test_resize_is_what_its_name_says() -> None:
    assert RESIZE_RULE == "rgb,256x256,bilinear"
    expected = picture("L", (300, 100)).convert("RGB").resize((256, 256), Image.Resampling.BILINEAR)
    assert resize_for_fid(picture("L", (300, 100))).tobytes() == expected.tobytes()


def test_digest_is_of_content(tmp_path: Path) -> None:
    for name in ("a.png", "b.png"):
        picture().save(tmp_path / name)
    picture(size=(30, 40)).save(tmp_path / "c.png")
    assert content_digest(tmp_path / "a.png") == content_digest(str(tmp_path / "b.png"))
    assert content_digest(tmp_path / "a.png") != content_digest(tmp_path / "c.png")
    assert content_digest(picture()) == content_digest(picture())
    assert content_digest(picture()) != content_digest(picture("L"))


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
@pytest.mark.usefixtures("one_minute")
def test_a_pipe_is_not_waited_for(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe.png"
    os.mkfifo(pipe)
    found = load_image(pipe)
    assert isinstance(found, UnreadableImage)
    assert "no plain file" in found.reason
    with pytest.raises(OSError, match="no plain file"):
        content_digest(pipe)


def test_a_huge_file_is_refused_by_its_size(tmp_path: Path) -> None:
    path = tmp_path / "huge.png"
    picture().save(path)
    with path.open("r+b") as file:
        file.truncate(3 << 30)  # takes no room on disk
    found = load_image(path)
    assert isinstance(found, UnreadableImage)
    assert "too large: 3,221,225,472 bytes" in found.reason
    with pytest.raises(OSError, match="too large"):
        content_digest(path)
