"""What a copy tells of clocks, and of the files that it was made of."""

import io
import json
import tarfile
from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final

import pytest

from numalens.jobs.reading import read_inputs
from numalens.store.options import Cut
from tests import perfetto_traces as traces
from tests.perfetto_traces import Event
from tests.recordings import FIXTURES, SMALL

BEGIN: Final = 5_000_000_000
STEP: Final = 10_000_000
MOMENTS: Final = tuple(BEGIN + at * STEP for at in range(10))
HOUR: Final = 3_600_000_000_000


def cut(**what: Any) -> Cut:
    return Cut("the source", **what)


def read(
    folder: Path, files: Iterable[tuple[str, Path]], of: Cut | None = None, offsets: dict[str, int] | None = None
) -> dict[str, Any]:
    """The manifest of a bundle of these files, or of a copy."""
    inputs = [(name, str(path)) for name, path in files]
    out, scratch = folder / "out", folder / "scratch"
    manifest: dict[str, Any] = json.loads(read_inputs(inputs, out, scratch, cut=of, offsets=offsets))
    assert manifest == json.loads((folder / "out" / "manifest.json").read_text())
    return manifest


def trace_with(folder: Path, *real: tuple[int, int]) -> Path:
    """A Perfetto trace with an event at each moment, and the wall clock read at some of them."""
    trace = traces.Trace()
    for at, answer in real:
        traces.clocks(trace, at, (traces.REALTIME, answer))
    args: dict[str, int | str] = {"comm": "a", "pid": 8, "prio": 120, "target_cpu": 1}
    traces.bundles(trace, [Event(at, 0, 7, "sched_waking", args) for at in MOMENTS])
    path = folder / "made.pftrace"
    path.write_bytes(trace.encode())
    return path


# The wall clock is set in between: whichever pair is taken, its order is part of what it shows.
READ: Final = tuple((MOMENTS[at], traces.REAL + at * STEP + (HOUR if at >= 6 else 0)) for at in (0, 3, 6, 9))


@pytest.mark.parametrize(
    ("of", "left"),
    [
        (None, 4),
        (cut(pseudonyms=True), 4),
        (cut(from_ns=MOMENTS[4], to_ns=MOMENTS[5]), 2),
        (cut(to_ns=MOMENTS[6]), 3),
        (cut(to_ns=MOMENTS[6] - 1), 2),
        # Without one from before the span, nothing would show when it was.
        (cut(from_ns=MOMENTS[7]), 4),
    ],
)
def test_readings_of_the_wall_clock_stay_in_order_up_to_the_end_of_a_stretch(
    tmp_path: Path, of: Cut | None, left: int
) -> None:
    (answer,) = read(tmp_path, [("a.pftrace", trace_with(tmp_path, *READ))], of)["inputs"]
    pairs = [(pair["trace_ns"], pair["real_ns"]) for pair in answer["clock_pairs"]]
    assert pairs == list(READ[:left])


def test_readings_of_a_moved_recording_are_cut_by_the_time_that_they_were_moved_to(tmp_path: Path) -> None:
    moved = {"a.pftrace": HOUR}
    of = cut(from_ns=MOMENTS[4] + HOUR, to_ns=MOMENTS[5] + HOUR)
    (answer,) = read(tmp_path, [("a.pftrace", trace_with(tmp_path, *READ))], of, moved)["inputs"]
    assert answer["events"] == 2
    assert [pair["trace_ns"] for pair in answer["clock_pairs"]] == [at for at, _ in READ[:2]]


def test_samples_are_placed_before_what_placed_them_is_left_out(tmp_path: Path) -> None:
    recording = trace_with(tmp_path, READ[9 // 3])
    offset = READ[9 // 3][1] - READ[9 // 3][0]
    pressure = "some avg10=0.00 avg60=0.00 avg300=0.00 total={}\n"
    lines = ({"real_ns": at + offset, "cpu": pressure.format(at)} for at in MOMENTS)
    samples = tmp_path / "psi.jsonl"
    samples.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    files = [("a.pftrace", recording), ("psi.jsonl", samples)]
    whole = read(tmp_path / "whole", files)
    assert (whole["samples"][0]["from_ns"], whole["samples"][0]["placed"]) == (MOMENTS[0], len(MOMENTS))
    short = read(tmp_path / "short", files, cut(from_ns=MOMENTS[2], to_ns=MOMENTS[4]))
    assert short["inputs"][0]["clock_pairs"] == []
    assert short["inputs"][1]["alignment"] == whole["inputs"][1]["alignment"]
    assert (short["samples"][0]["from_ns"], short["samples"][0]["to_ns"]) == (MOMENTS[0], MOMENTS[4])


def named_files(folder: Path) -> list[tuple[str, Path]]:
    """Files of somebody's, of all of which there is something to say."""
    packed = folder / "acme.tar"
    with tarfile.open(packed, "w") as archive:
        for name, content in (
            ("psi.cpu.txt", b"some avg10=0.00 avg60=0.00 avg300=0.00 total=1\n"),
            ("acme-plan.txt", b"a plan\n"),
        ):
            member = tarfile.TarInfo(name)
            member.size = len(content)
            archive.addfile(member, io.BytesIO(content))
    unknown = folder / "command.txt"
    unknown.write_text("trace-cmd record -e sched\n")
    return [
        ("acme-one.dat", SMALL),
        ("acme-latency.txt.zst", FIXTURES / "text" / "ftrace-mono.latency-format.trace.6000.txt.zst"),
        ("acme-perf.data.zst", FIXTURES / "perf" / "perf-sched-all-defclock.data.zst"),
        ("acme-lscpu.txt", FIXTURES / "sidecars" / "1x2.lscpu-p.txt"),
        ("acme-other.txt", FIXTURES / "sidecars" / "2x4.lscpu-p.txt"),
        ("acme.tar", packed),
        ("acme-command.txt", unknown),
    ]


SAID: Final = (
    "acme-latency.txt.zst: Timestamps of the latency format",
    "acme-perf.data.zst: its clock cannot be aligned",
    "acme-other.txt places CPUs on other nodes than acme-lscpu.txt",
    "1 file of acme.tar is of an unknown kind: acme-plan",
    "not read: acme-command.txt",
)


def test_notes_that_name_files_stay_in_a_copy_with_names(tmp_path: Path) -> None:
    files = named_files(tmp_path)
    for at, of in enumerate((None, cut(tasks=[1]))):
        notes = read(tmp_path / str(at), files, of)["notes"]
        for said in SAID:
            assert [note for note in notes if note.startswith(said)], (said, of)


def test_notes_that_name_files_are_not_in_a_copy_with_pseudonyms(tmp_path: Path) -> None:
    manifest = read(tmp_path, named_files(tmp_path), cut(pseudonyms=True))
    assert "acme" not in json.dumps(manifest)
    # What is still to say is said of what the files are called now.
    assert [note for note in manifest["notes"] if "places CPUs on other nodes than topology" in note]
    assert [note for note in manifest["notes"] if note.startswith("This is a redacted copy: it has ")]


@pytest.mark.parametrize("of", [cut(pseudonyms=True), cut(from_ns=MOMENTS[2]), cut(tasks=[7])])
def test_a_copy_has_no_log_of_requests_and_says_so(tmp_path: Path, of: Cut) -> None:
    log = tmp_path / "client.csv"
    log.write_text(f"start_ns,duration_ns,name\n{MOMENTS[1]},{STEP},/of/customer\n")
    files = [("a.pftrace", trace_with(tmp_path)), ("client.csv", log)]
    (tmp_path / "copy").mkdir()
    whole, copy = read(tmp_path, files), read(tmp_path / "copy", files, of)
    assert [table["table"] for table in whole["samples"]] == ["requests"]
    assert copy["samples"] == []
    assert [note for note in copy["notes"] if "log of requests" in note]
    assert b"customer" not in b"".join(each.read_bytes() for each in (tmp_path / "copy" / "out").rglob("*.*"))
