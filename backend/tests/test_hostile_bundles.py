"""Bundles that somebody changed, as those of a bucket may be: each answer is one sentence, and the server goes on."""

from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pyarrow as pa
import pytest

from tests.conftest import running_service
from tests.recordings import LSCPU, NUMA
from tests.service import Service, sentence
from tests.test_sections import NAMES

NO_SUCH: Final = 0xFFFF_FFF0
"""A number that no task and no cgroup has; a table with so many rows would take 343 GB."""
LATE: Final = (1 << 63) + 7

CHANGES: Final = (
    ("waits/waits.arrow", "task", NO_SUCH),
    ("waits/waits.arrow", "group", NO_SUCH),
    ("waits/waits.arrow", "start_ns", LATE),
    ("waits/waits.arrow", "end_ns", 1),
    ("waits/causes.arrow", "ns", LATE),
    ("states/machine.arrow", "ts_ns", LATE),
    ("states/machine.arrow", "ts_ns", 1),
    ("numa/migrations.arrow", "task", NO_SUCH),
    ("numa/attempts.arrow", "end_ns", 1),
    ("timeline/slices.arrow", "task", NO_SUCH),
    ("timeline/slices.arrow", "end", LATE),
    ("timeline/runs.arrow", "len", 0xFFFF_FFFF),
)


@pytest.fixture(scope="module")
def read(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Service, str]]:
    with running_service(tmp_path_factory.mktemp("hostile")) as service:
        yield service, service.analyse(NUMA, LSCPU)


def put(file: Path, column: str, value: int) -> None:
    """Writes a value into the middle row of the last batch of an Arrow file."""
    with pa.memory_map(str(file)) as mapped:
        base = mapped.read_buffer().address
        reader = pa.ipc.open_file(mapped)
        values = reader.get_batch(reader.num_record_batches - 1).column(column)
        width = values.type.bit_width // 8
        at = values.buffers()[1].address - base + width * (len(values) // 2)
        assert values.buffers()[1].size >= width * len(values) > 0
        del values, reader
    with file.open("r+b") as out:
        out.seek(at)
        out.write(value.to_bytes(width, "little"))


@pytest.mark.parametrize(("file", "column", "value"), CHANGES)
def test_a_changed_log_is_answered_in_one_sentence(
    read: tuple[Service, str], file: str, column: str, value: int
) -> None:
    service, analysis_id = read
    path = service.services.folder.bundle(analysis_id) / file
    whole = path.read_bytes()
    # Instead of the file, as another user would: what was mapped stays as it was.
    changed = path.with_suffix(".changed")
    changed.write_bytes(whole)
    put(changed, column, value)
    try:
        changed.replace(path)
        service.services.forget(analysis_id)
        refused = 0
        questions = [f"sections/{name}?limit=5" if name == "waits" else f"sections/{name}" for name in NAMES]
        for question in (*questions, "timeline?from_ns=0&to_ns=9000000000000000000&lanes=cpu:0,node:0&px=100", "tasks"):
            answer = service.get(f"/analyses/{analysis_id}/{question}")
            if answer.status_code != 200:
                refused += "damaged" in sentence(answer, 409) or "import its files again" in sentence(answer, 409)
        assert refused, "nobody has met the change"
        assert service.client.get("/healthz").status_code == 200
    finally:
        changed.write_bytes(whole)
        changed.replace(path)
        service.services.forget(analysis_id)
    assert service.get(f"/analyses/{analysis_id}/sections/latency").status_code == 200
