"""A Perfetto trace that we write is one that we read, whatever the times of what was recorded."""

import json
import tempfile
from pathlib import Path

import numalens_native as native
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.exported import came_back, export, read_back, recorded

LATEST_NS = 1 << 62
EDGES = st.sampled_from(
    [0, 1, 999, 1 << 32, (1 << 53) + 1, LATEST_NS - 1_000_001, LATEST_NS - 1, LATEST_NS, (1 << 63) - 1]
)
TIMES = EDGES | st.integers(0, (1 << 63) - 1)


def text_of(times: list[int]) -> str:
    """Switches of CPU 0 between two tasks."""
    lines = ["# tracer: nop", "#"]
    for at, ns in enumerate(sorted(times)):
        gone, come = (0, 7) if at % 2 == 0 else (7, 0)
        names = {0: "swapper/0", 7: "worker"}
        lines.append(
            f"  {names[gone]}-{gone} [000] d..2. {ns // 1_000_000_000}.{ns % 1_000_000_000:09}: sched_switch: "
            f"prev_comm={names[gone]} prev_pid={gone} prev_prio=120 prev_state=S ==> "
            f"next_comm={names[come]} next_pid={come} next_prio=120"
        )
    return "\n".join(lines) + "\n"


def sample_of(ns: int) -> str:
    line = "some avg10=0.00 avg60=0.00 avg300=0.00 total=5\nfull avg10=0.00 avg60=0.00 avg300=0.00 total=0\n"
    return json.dumps({"idx": 0, "mono_ns": ns, "real_ns": ns, "boot_ns": ns, "cpu": line}) + "\n"


@settings(max_examples=25, deadline=None)
@given(times=st.lists(TIMES, min_size=2, max_size=6, unique=True), sampled=st.none() | TIMES)
def test_what_is_written_is_read_again(times: list[int], sampled: int | None) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        files = [folder / "trace.txt"]
        files[0].write_text(text_of(times), encoding="ascii")
        if sampled is not None:
            files.append(folder / "psi.jsonl")
            files[1].write_text(sample_of(sampled), encoding="ascii")
        if max([*times, sampled or 0]) >= LATEST_NS:
            with pytest.raises(native.InputError, match="expected times"):
                export(folder / "bundle", *files)
            return
        out = export(folder / "bundle", *files)
        (folder / "again").mkdir()
        again = read_back(out.trace, folder / "again")
        assert came_back(recorded(out.bundle), recorded(again))
