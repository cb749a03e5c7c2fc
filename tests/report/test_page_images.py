"""Pictures for the page: which files are taken, and which are refused."""

from __future__ import annotations

import os
import tracemalloc

import pytest

from fullmarks.errors import InputError, UsageError
from fullmarks.report import page_images
from fullmarks.report.page_images import find_images

PNG, JPEG, GIF = b"\x89PNG\r\n\x1a\n1", b"\xff\xd8\xff\xe0", b"GIF89a"
WEBP = b"RIFF\x00\x00\x00\x00WEBP"


@pytest.fixture
def folder(tmp_path):
    inside = tmp_path / "pictures"
    inside.mkdir()
    for name, data in {"a.png": PNG, "b.jpg": JPEG, "c.gif": GIF, "d.webp": WEBP, "e.txt": b"text"}.items():
        (inside / name).write_bytes(data)
    (tmp_path / "outside.png").write_bytes(PNG)
    return inside


def test_each_picture_once_and_in_the_order_of_the_examples(folder):
    found = find_images({"image": ["b.jpg", None, ["a.png", "b.jpg"], "c.gif", "d.webp"]}, folder)
    assert [file.kind for file in found.files] == ["image/jpeg", "image/png", "image/gif", "image/webp"]
    assert found.of_example == [[0], [], [1, 0], [2], [3]]
    assert found.files[1].data == PNG


@pytest.mark.parametrize("path", ["../outside.png", "/etc/hostname"])
def test_files_outside_of_the_folder_are_refused(folder, path):
    with pytest.raises(InputError, match="outside of"):
        find_images({"image": [path]}, folder)


def test_a_link_does_not_lead_out_of_the_folder(folder):
    (folder / "link.png").symlink_to(folder.parent / "outside.png")
    with pytest.raises(InputError, match="outside of"):
        find_images({"image": ["link.png"]}, folder)


def test_other_files_and_missing_ones_are_refused(folder):
    with pytest.raises(InputError, match=r"no PNG, JPEG, GIF or WebP"):
        find_images({"image": ["e.txt"]}, folder)
    with pytest.raises(InputError, match=r"cannot be read .*--images"):
        find_images({"image": ["none.png"]}, folder)


def test_without_a_column_for_pictures(folder):
    with pytest.raises(UsageError, match="no example names a picture"):
        find_images({"title": ["a.png"]}, folder)


def test_too_heavy_for_a_page(folder, monkeypatch):
    monkeypatch.setattr(page_images, "MOST_BYTES", len(PNG) + 1)
    assert len(find_images({"image": ["a.png", "a.png"]}, folder).files) == 1
    with pytest.raises(UsageError, match="weigh more than"):
        find_images({"image": ["a.png", "b.jpg"]}, folder)


def test_pictures_by_id(folder):
    (folder / "COCO_val2014_000000000042.jpg").write_bytes(JPEG)
    (folder / "003a8ae2ef43b901.png").write_bytes(PNG)
    found = find_images({"image_id": [42, "003a8ae2ef43b901"]}, folder)
    assert [file.kind for file in found.files] == ["image/jpeg", "image/png"]
    with pytest.raises(InputError, match="cannot be read"):
        find_images({"image_id": [43]}, folder)


@pytest.mark.parametrize("name", ["a\0b.png", "half \ud800.png", "loop.png", "loop.png/a.png", "sub", "x" * 300])
def test_names_that_no_picture_can_have(folder, name):
    (folder / "loop.png").symlink_to(folder / "loop.png")
    (folder / "sub").mkdir()
    with pytest.raises(InputError, match="the picture cannot be read"):
        find_images({"image": [name]}, folder)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="this system has no named pipes")
@pytest.mark.usefixtures("one_minute")
def test_a_pipe_is_not_waited_for(folder):
    os.mkfifo(folder / "pipe.png")
    with pytest.raises(InputError, match="no plain file"):
        find_images({"image": ["pipe.png"]}, folder)


def test_a_huge_picture_is_refused_before_it_is_read(folder):
    with (folder / "huge.png").open("wb") as file:
        file.write(PNG)
        file.truncate(3 << 30)  # takes no room on disk
    tracemalloc.start()
    try:
        with pytest.raises(UsageError, match="weigh more than 64 MB"):
            find_images({"image": ["huge.png"]}, folder)
        assert tracemalloc.get_traced_memory()[1] < 2 * page_images.MOST_BYTES
    finally:
        tracemalloc.stop()
