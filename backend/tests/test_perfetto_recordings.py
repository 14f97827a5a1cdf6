"""Recordings as Perfetto traces: the small ones of the repository, and those of a folder, `NUMALENS_RECORDINGS`.

The table of them all: `python -m tests.export_check FILE|FOLDER...` in `backend/`.
"""

import os
from pathlib import Path
from typing import Any

import pytest

from numalens.cli.inputs import RecordingFiles, recordings
from tests.export_check import of_recording, row
from tests.recordings import FIXTURES
from tests.scope import exhaustive

HERE = sorted([*FIXTURES.glob("*.dat"), *FIXTURES.glob("*.dat.zst"), *FIXTURES.glob("perf/*.data.zst")])
GIVEN = os.environ.get("NUMALENS_RECORDINGS")
THERE = list(recordings([Path(GIVEN)], sampled=False)) if GIVEN else []
NO_GAPS = ("cling", "idle")
"""Recordings of kernels that record every switch: nothing of them is disturbed."""


def _once(paths: list[Path]) -> list[Any]:
    """Of recordings with the same events in several formats the gate takes the first."""
    first = {path.name.partition(".v")[0]: path for path in reversed(paths)}
    return [path if path in first.values() else exhaustive(path) for path in paths]


@pytest.mark.parametrize("path", _once(HERE), ids=lambda path: path.name)
def test_a_recording_of_the_repository_is_exported_as_it_is(path: Path) -> None:
    found = of_recording(RecordingFiles(path))
    assert found.right, row(path.name, found)
    if path.name.startswith(NO_GAPS):
        assert not found.apart
        assert found.tasks


@pytest.mark.skipif(not THERE, reason="NUMALENS_RECORDINGS names no folder of recordings")
@pytest.mark.parametrize("files", THERE, ids=lambda files: "/".join(files.recording.parts[-2:]))
def test_a_recording_of_the_folder_is_exported_as_it_is(files: RecordingFiles) -> None:
    found = of_recording(files)
    print(row(files.recording.name, found))
    assert found.right, row(files.recording.name, found)
