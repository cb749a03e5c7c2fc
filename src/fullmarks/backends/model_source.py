"""Models of `transformers`: loaded by hub name or from a local directory, and named by their content.

Invariant: no code from a hub is ever run, nothing is printed while loading, and a model that cannot be had is an
`InputError` that says how to get it. A hub is asked only when the name is no local directory.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from fullmarks.backends.digests import directory_digest
from fullmarks.errors import InputError


def check_model_name(model: str | os.PathLike[str]) -> str:
    """The name as a string; an InputError when it looks like a path but is no directory with a config.json."""
    name = os.fspath(model)
    folder = Path(name)
    if folder.is_dir():
        if not (folder / "config.json").is_file():
            raise InputError(f"model {name}", "is a directory without config.json", "Save the whole model there")
    elif folder.exists() or folder.is_absolute() or name.startswith((".", "~")) or name.count("/") > 1:
        raise InputError(f"model {name}", "is no directory", "Give the model's directory, or its name on the hub")
    return name


def load_pretrained(transformers: Any, loader: Any, name: str, **options: Any) -> Any:
    """What `loader.from_pretrained` gives for the model, or an InputError that says what to do.

    A model that was fetched before is taken from the hub's cache without asking the hub again.
    """
    options["trust_remote_code"] = False
    try:
        with _quiet(transformers):
            try:
                return loader.from_pretrained(name, local_files_only=True, **options)
            except OSError:
                if Path(name).is_dir():
                    raise
                return loader.from_pretrained(name, **options)
    except (OSError, ValueError, KeyError, RuntimeError) as error:
        raise _not_loaded(name, error) from error


def _not_loaded(name: str, error: Exception) -> InputError:
    lines = str(error).strip().splitlines()
    reason = lines[0] if lines else type(error).__name__
    if Path(name).is_dir():
        advice = "Check that the directory holds the whole model: config, weights, tokeniser"
    else:
        advice = (
            f"Without network give a local directory, or fetch it once elsewhere (hf download {name}) "
            "and set HF_HOME to that cache"
        )
    return InputError(f"model {name}", f"could not be loaded ({reason})", advice)


def identify(name: str, config: Any) -> str:
    """The model's name for a signature: directory and content digest, or hub name and commit where known."""
    if Path(name).is_dir():
        return f"{Path(name).resolve().name}#{directory_digest(name)[:8]}"
    commit = getattr(config, "_commit_hash", None)
    return f"{name}@{commit[:8]}" if commit else name


@contextmanager
def _quiet(transformers: Any) -> Iterator[None]:
    """Hold back the progress bars and reports of the two libraries, and give back their settings afterwards."""
    settings, hub = transformers.utils.logging, logging.getLogger("huggingface_hub")
    verbosity, hub_level, bars = settings.get_verbosity(), hub.level, settings.is_progress_bar_enabled()
    settings.set_verbosity_error()
    settings.disable_progress_bar()
    hub.setLevel(logging.ERROR)
    try:
        yield
    finally:
        settings.set_verbosity(verbosity)
        hub.setLevel(hub_level)
        if bars:
            settings.enable_progress_bar()
