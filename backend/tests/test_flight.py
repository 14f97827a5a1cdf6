"""The flight recorder's parts: cutting pages, remembering samples, reading what was asked."""

import os
import select
import socket
import struct
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import datetime
from pathlib import Path

import pytest

from numalens.cli.record import thresholds
from numalens.cli.usage import UsageError, moment
from numalens.flight import snap
from numalens.flight.memory import MemorySink
from numalens.flight.ring import MISSED, cut_page, cut_pages
from numalens.flight.snap import Door, ask, running
from numalens.flight.triggers import Threshold, slowest_wakeup, wakeup_refusal
from numalens.recorder.instance import parse_stats
from numalens.recorder.sampler import Instant
from numalens.recorder.trace_dat import PageLayout
from numalens.recorder.watchdog import remove_wakeup

LAYOUT = PageLayout(256, 8)
little = pytest.mark.skipif(sys.byteorder != "little", reason="the records are written in little order")


def word(kind: int, delta: int) -> bytes:
    return struct.pack("<I", kind | delta << 5)


def record(delta: int, number: int) -> bytes:
    """A record of 8 bytes of data."""
    return word(2, delta) + struct.pack("<Q", number)


def page(stamp: int, *records: bytes, flags: int = 0) -> bytes:
    data = b"".join(records)
    return (struct.pack("<QQ", stamp, len(data) | flags) + data).ljust(LAYOUT.page_size, b"\0")


@little
def test_earlier_records_are_taken_out_of_a_page() -> None:
    whole = page(1000, record(0, 1), record(10, 2), record(5, 3), flags=MISSED)
    # The first of those that stay has the same time as before: 1015 is 1010 and 5.
    assert cut_page(whole, LAYOUT, 1011) == page(1010, record(5, 3))
    assert cut_page(whole, LAYOUT, 1010) == page(1000, record(10, 2), record(5, 3))
    # Nothing is before it but the mark of what the ring has forgotten.
    assert cut_page(whole, LAYOUT, 5) == page(1000, record(0, 1), record(10, 2), record(5, 3))
    assert cut_page(whole, LAYOUT, 2000) == page(1015)


@little
def test_long_times_and_long_records_are_followed() -> None:
    extend = word(30, 7) + struct.pack("<I", 3)
    absolute = word(31, 5) + struct.pack("<I", 1 << 8)
    long = word(0, 2) + struct.pack("<I", 20) + bytes(16)
    padding = word(29, 1) + struct.pack("<I", 12) + bytes(8)
    later = 100 + (3 << 27) + 7
    whole = page(100, record(0, 1), extend, long, padding, record(4, 2))
    assert cut_page(whole, LAYOUT, later + 3) == page(later + 2, padding, record(4, 2))
    assert cut_page(page(100, absolute, record(4, 2)), LAYOUT, (1 << 35) + 6) == page((1 << 35) + 5, record(4, 2))
    # The rest of a page that the kernel did not fill.
    assert cut_page(page(100, record(0, 1), word(29, 0), b"rest"), LAYOUT, 500)[:16] == struct.pack("<QQ", 100, 8)


@little
def test_whole_pages_before_the_time_are_left_out(tmp_path: Path) -> None:
    spool = tmp_path / "cpu0.pages"
    pages = [page(1000 * number, record(0, number), record(500, 0)) for number in range(1, 9)]
    spool.write_bytes(b"".join(pages))
    part = cut_pages(spool, len(pages) * LAYOUT.page_size, LAYOUT, 4400)
    assert (part.offset, part.size) == (3 * LAYOUT.page_size, 5 * LAYOUT.page_size)
    kept = spool.read_bytes()[part.offset :]
    assert kept == page(4000, record(500, 0)) + b"".join(pages[4:])
    spool.write_bytes(b"".join(pages))
    assert cut_pages(spool, len(pages) * LAYOUT.page_size, LAYOUT, 0).offset == 0


def instant(idx: int, seconds: float, *, edge: bool = False) -> Instant:
    ns = int(seconds * 1e9)
    return Instant(idx, ns, ns, ns, edge)


def test_memory_begins_with_a_whole_sample_and_forgets() -> None:
    partly = MemorySink("tasks.jsonl", 10.0, quick=False)
    wholly = MemorySink("psi.jsonl", 10.0, quick=True)
    for sink in (partly, wholly):
        for second in range(60):
            sink.put(instant(second, second, edge=second % 10 == 0), f"{second}\n")
    assert partly.since(45 * 10**9)[0] == b"40\n"
    assert wholly.since(45 * 10**9)[0] == b"45\n"
    assert partly.since(45 * 10**9)[-1] == b"59\n"
    # Twice the time is kept, no more.
    assert wholly.since(0)[0] == b"39\n"


def test_memory_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("numalens.flight.memory.MOST_BYTES", 100)
    sink = MemorySink("tasks.jsonl", 1000.0, quick=True)
    for second in range(60):
        sink.put(instant(second, second), "ten bytes\n")
    assert len(sink) == 100
    assert len(sink.since(0)) == 10


def test_oldest_event_of_a_ring() -> None:
    stats = parse_stats(1, "entries: 5\noverrun: 7\nbytes: 812\noldest event ts:  2085.232001\nnow ts:  2086.000009\n")
    assert (stats.oldest_ns, stats.now_ns, stats.bytes) == (2085232001000, 2086000009000, 812)
    assert parse_stats(1, "entries: 0\noldest event ts: 123456\n").oldest_ns == 0


def test_thresholds() -> None:
    assert thresholds("off") == ()
    assert thresholds("cpu=150, io.full=50.5") == (Threshold("cpu", "some", 150.0), Threshold("io", "full", 50.5))
    for wrong in ("", "cpu", "cpu=0", "cpu=1001", "disk=5", "cpu.most=5", "cpu=x", "cpu=nan", "cpu=5,"):
        with pytest.raises(UsageError, match="is not a threshold"):
            thresholds(wrong)


def test_times() -> None:
    now_s = datetime(2026, 11, 25, 14, 0, 0).astimezone().timestamp()
    assert moment("14:05", now_s) == now_s + 300
    assert moment("14:00:07", now_s) == now_s + 7
    # One that is over today is meant for tomorrow.
    assert moment("13:59:00", now_s) == now_s + 86400 - 60
    assert moment("2027-01-01T00:00:00+00:00", now_s) == 1798761600
    assert moment(f"@{now_s + 1}", now_s) == now_s + 1
    for over in ("2026-01-01T00:00:00+00:00", "@5"):
        with pytest.raises(UsageError, match="is in the past"):
            moment(over, now_s)
    for wrong in ("soon", "25:00", "@x", "@inf", "@nan", ""):
        with pytest.raises(UsageError):
            moment(wrong, now_s)


def test_the_slowest_wakeup_is_found() -> None:
    line = "          <idle>-0       [000] d..5.    12.62: numalens_wakeup_5: us={} pid={} comm={}\n"
    text = line.format(1176, 164, "sh") + line.format(50012, 18, "kworker/u8:3 x") + line.format(107, 168, "sh")
    assert slowest_wakeup(text) == "wakeup of kworker/u8:3 x (18) took 50.0 ms"
    assert slowest_wakeup("CPU:0 [LOST 5 EVENTS]\n") is None


def test_a_kernel_without_histograms_is_refused(tmp_path: Path) -> None:
    (tmp_path / "synthetic_events").touch()
    assert "CONFIG_HIST_TRIGGERS off" in str(wakeup_refusal(tmp_path))
    (tmp_path / "events/sched/sched_switch").mkdir(parents=True)
    (tmp_path / "events/sched/sched_switch/hist").touch()
    assert wakeup_refusal(tmp_path) is None


def test_what_watches_wakeups_is_removed_in_order(tmp_path: Path) -> None:
    instance = tmp_path / "instances" / "numalens-7-wakeup"
    sched = instance / "events" / "sched"
    for event, line in (
        ("sched_switch", "hist:keys=next_pid:us=x-$woken:size=1:onmatch(a).trace(b) if next_pid != 0"),
        ("sched_waking", "hist:keys=pid:woken=x:size=1"),
    ):
        (sched / event).mkdir(parents=True)
        (sched / event / "trigger").write_text(f"# Available triggers:\n{line} [active]\n")
    synthetic = tmp_path / "synthetic_events"
    synthetic.write_text("numalens_wakeup_77\tu64 us\nnumalens_wakeup_7\tu64 us\n")
    remove_wakeup(instance, "7", 0.0)
    switch = (sched / "sched_switch" / "trigger").read_text()
    assert switch.endswith("[active]\n!hist:keys=next_pid:us=x-$woken:size=1:onmatch(a).trace(b) if next_pid != 0")
    assert (sched / "sched_waking" / "trigger").read_text().endswith("\n!hist:keys=pid:woken=x:size=1")
    assert synthetic.read_text().endswith("\n!numalens_wakeup_7")


def test_a_recorder_answers_at_its_socket(tmp_path: Path) -> None:
    folder = tmp_path / "numalens"
    assert running(folder) == []
    with Door(folder) as door:
        (folder / "flight-0").touch()
        (folder / "flight-x").touch()
        (folder / "flight-²").touch()
        assert running(folder) == [os.getpid()]
        with ThreadPoolExecutor() as pool:
            path = pool.submit(ask, os.getpid(), 10.0, folder)
            select.select([door], [], [])
            (answer,) = door.accept()
            answer.give("/var/lib/x.tar.gz")
            assert path.result() == "/var/lib/x.tar.gz"
    assert running(folder) == []


def test_a_folder_that_others_can_write_to_is_not_trusted(tmp_path: Path) -> None:
    folder = tmp_path / "numalens"
    folder.mkdir(mode=0o777)
    folder.chmod(0o777)
    with pytest.raises(OSError, match="others can write to it"):
        Door(folder)
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(folder / f"flight-{os.getpid()}"))
        assert running(folder) == []
    link = tmp_path / "link"
    link.symlink_to(tmp_path)
    assert running(link) == []


@pytest.mark.parametrize(
    "answer",
    [b"\xff\xfe", b"/x" * (1 << 20), b"x.tar.gz", b"/x\x1b[2J", b"/x\n/etc/passwd"],
    ids=["bytes", "long", "relative", "terminal", "lines"],
)
def test_an_answer_that_is_no_path_is_refused(tmp_path: Path, answer: bytes) -> None:
    def listen() -> None:
        connection, _ = listener.accept()
        with connection, suppress(OSError):
            connection.sendall(answer)

    with socket.socket(socket.AF_UNIX) as listener, ThreadPoolExecutor() as pool:
        listener.bind(str(tmp_path / "flight-7"))
        listener.listen()
        pool.submit(listen)
        with pytest.raises(OSError, match="process 7 does not answer as a flight recorder does"):
            ask(7, 10.0, tmp_path)


def test_another_users_listener_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(tmp_path / "flight-7"))
        listener.listen()
        monkeypatch.setattr(snap, "_user_of", lambda _connection: os.geteuid() + 1)
        with pytest.raises(PermissionError, match="another user's process listens instead of recorder 7"):
            ask(7, 10.0, tmp_path)
