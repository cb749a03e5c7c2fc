"""Where things are in the repository: its root, and the golden files, decompressed once for all tests."""

from __future__ import annotations

import gzip
import hashlib
import shutil
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
PACKED = ROOT / "tests" / "golden"


def golden_folder() -> Path:
    """A folder with every golden file decompressed, below `build`.

    It is named after the compressed files' contents and made in one step, so that test processes can share it.
    """
    packed = sorted(path for path in PACKED.rglob("*") if path.suffix == ".gz")
    if not packed:
        raise FileNotFoundError(f"{PACKED} holds no golden files. They are part of the repository: check it out again.")
    digest = hashlib.sha256()
    for path in packed:
        digest.update(str(path.relative_to(PACKED)).encode() + path.read_bytes())
    folder = ROOT / "build" / f"golden-{digest.hexdigest()[:16]}"
    if not folder.is_dir():
        folder.parent.mkdir(exist_ok=True)
        made = Path(tempfile.mkdtemp(dir=folder.parent, prefix="golden-new-"))
        for path in packed:
            target = made / path.relative_to(PACKED).with_suffix("")
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_bytes(gzip.decompress(path.read_bytes()))
        try:
            made.rename(folder)
        except OSError:  # another process was quicker
            shutil.rmtree(made)
    return folder
