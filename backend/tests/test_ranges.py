"""What a window makes the compiled module ask for of a bundle whose bytes are elsewhere: its own parts, and no more.

The answers are those of a bundle that is here, whatever was asked for before.
"""

import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

import numalens_native
import pyarrow as pa
import pyarrow.ipc
import pytest

from tests.recordings import LSCPU, SAMPLE

MS: Final = 1_000_000
FILTER: Final = "event == sched_switch && prev_comm ~ swapper"
SECTIONS: Final = (
    *(
        "psi",
        "utilisation",
        "residency",
        "latency",
        "wait_windows",
        "wait_heat",
        "waits",
        "waste",
        "numa_balancing",
        "cling",
    ),
    *("vmstat", "schedstat", "page_migration", "placement", "idle_balancing", "findings", "sampled"),
)


Ask = Callable[[numalens_native.Bundle], Any]


class Away:
    """A bundle of which only those bytes are in its folder that were asked for."""

    def __init__(self, bundle: Path, folder: Path) -> None:
        self._bundle = bundle
        self._folder = folder
        self.requests: list[tuple[str, int, int]] = []
        self.broken = False
        for path in sorted(bundle.rglob("*")):
            if path.is_file():
                copy = folder / path.relative_to(bundle)
                copy.parent.mkdir(parents=True, exist_ok=True)
                with copy.open("xb") as file:
                    file.truncate(path.stat().st_size)
        self.engine = numalens_native.Bundle(str(folder), self.fetch)

    def fetch(self, name: str, begin: int, end: int) -> None:
        if self.broken:
            raise ConnectionError("the store is away")
        self.requests.append((name, begin, end))
        with (self._bundle / name).open("rb") as source, (self._folder / name).open("r+b") as copy:
            os.pwrite(copy.fileno(), os.pread(source.fileno(), end - begin, begin), begin)

    def bytes(self, ask: Ask, below: str = "") -> int:
        """How many bytes of the files below a folder a question makes it ask for; those that it asks for twice count once."""
        self.requests.clear()
        ask(self.engine)
        return sum(end - begin for name, begin, end in set(self.requests) if name.startswith(below))


class Made:
    """The sample's bundle, and questions about it."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "bundle"
        inputs = [("trace.dat", str(SAMPLE / "trace.dat")), ("lscpu-p.txt", str(LSCPU))]
        self.manifest: dict[str, Any] = json.loads(numalens_native.ingest(inputs, str(self.path)))
        self.engine = numalens_native.Bundle(str(self.path))
        self.origin, self.end = self.manifest["origin_ns"], self.manifest["end_ns"]
        span = self.end - self.origin
        self.early = (self.origin + span // 20, self.origin + span // 20 + 20 * MS)
        self.late = (self.origin + span * 19 // 20, self.origin + span * 19 // 20 + 20 * MS)

    def size(self, below: str) -> int:
        return sum(path.stat().st_size for path in (self.path / below).rglob("*") if path.is_file())


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Made:
    return Made(tmp_path_factory.mktemp("ranges"))


@pytest.fixture
def away(made: Made, tmp_path: Path) -> Away:
    return Away(made.path, tmp_path / "away")


def page(window: tuple[int, int], wanted: str = "", after: tuple[int, int, int] | None = None) -> Ask:
    return lambda engine: json.loads(engine.events_page(wanted, *window, after=after, limit=50))


def drawn(window: tuple[int, int], *lanes: tuple[str, int]) -> Ask:
    return lambda engine: engine.timeline(list(lanes), *window, 1000)


def section(name: str, window: tuple[int, int]) -> Ask:
    return lambda engine: json.loads(engine.analysis(name, *window))


def slices(at: int) -> Ask:
    return lambda engine: [engine.slice_at(2, at), engine.next_slice(0, at, True), engine.next_slice(2, at, False)]


def exports(window: tuple[int, int]) -> Ask:
    def ask(engine: numalens_native.Bundle) -> bytes:
        parts: list[bytes] = []
        engine.export_events("sched_switch", "csv", parts.append, *window)
        engine.export_found(FILTER, "ndjson", parts.append, *window)
        engine.export_trace(parts.append, *window)
        return b"".join(parts)

    return ask


def questions(made: Made) -> list[Ask]:
    """What a page asks; of late windows first, so that nothing is there yet."""
    queries: list[Ask] = []
    for window in (made.late, made.early, (made.origin, made.end + 1)):
        queries += [page(window), page(window, FILTER), page(window, "cpu == 1 && ts_ns > 0")]
        queries += [drawn(window, ("cpu", 0), ("cpu", 7), ("node", 0), ("node", 1)), slices(window[0] + MS)]
        queries += [section(name, window) for name in SECTIONS]
        queries += [exports((window[0], min(window[1], window[0] + 20 * MS)))]
    return queries


def test_answers_do_not_depend_on_where_the_bytes_are(made: Made, away: Away, tmp_path: Path) -> None:
    for number, ask in enumerate(questions(made)):
        answer = ask(made.engine)
        assert ask(away.engine) == answer, number
        if number % 7 == 0:
            # Nothing that was asked for before helps.
            assert ask(Away(made.path, tmp_path / f"fresh-{number}").engine) == answer, number


def test_a_late_window_of_events_asks_for_its_batches(made: Made, away: Away) -> None:
    window = made.late
    # The content of the window, by an independent count.
    needed = 0
    for table in made.manifest["tables"]:
        with pa.OSFile(str(made.path / table["file"])) as file:
            reader = pyarrow.ipc.open_file(file)
            for at in range(reader.num_record_batches):
                batch = reader.get_batch(at)
                times = batch.column("ts_ns")
                if times[0].as_py() < window[1] and times[-1].as_py() >= window[0]:
                    needed += batch.nbytes
    assert needed < made.size("events") // 4
    ends = away.bytes(lambda engine: engine.check_filter(""))
    assert ends < made.size("events") // 50
    assert away.bytes(page(window)) <= needed * 11 // 10
    # The ends of the tables are kept, and so is how many events a window has.
    assert away.bytes(lambda engine: engine.check_filter("")) == 0
    one = made.size("events") // 12
    late, early = (away.bytes(page(each, FILTER)) for each in (made.late, made.early))
    assert 0 < late < one
    assert 0 < early < one


def test_a_page_behind_another_asks_from_there_on(made: Made, away: Away) -> None:
    window = (made.origin, made.end + 1)
    first = page(window, FILTER)(away.engine)
    whole = away.bytes(page(window, "prev_comm ~ swapper"))
    second = away.bytes(page(window, FILTER, after=tuple(first["next"])))
    assert 0 < second < whole // 2
    found = page(window, FILTER, after=tuple(first["next"]))(away.engine)
    assert found["matched"] == first["matched"]
    assert found["events"] == page(window, FILTER, after=tuple(first["next"]))(made.engine)["events"]
    assert found["events"][0] != first["events"][0]


def test_all_events_are_counted_without_being_read(made: Made, away: Away) -> None:
    window = (made.origin, made.end + 1)
    assert away.bytes(page(window), "events/") < made.size("events") // 3
    assert page(window)(away.engine)["matched"] == sum(made.manifest["event_counts"].values())


def test_a_window_is_drawn_from_its_part_of_the_index(made: Made, away: Away) -> None:
    lanes = [("cpu", cpu) for cpu in range(8)]
    opened = sum(end - begin for _, begin, end in set(away.requests))
    assert opened < made.size("timeline") // 3
    for window in (made.late, made.early):
        assert 0 < away.bytes(drawn(window, *lanes)) < made.size("timeline") // 4


def test_sections_ask_for_their_part_of_the_logs(made: Made, away: Away) -> None:
    # What is small is read whole the first time.
    section("latency", made.early)(away.engine)
    for name in ("latency", "utilisation", "waste", "waits"):
        assert 0 <= away.bytes(section(name, made.late), "states/") < made.size("states") // 4
    fresh = {name for name, *_ in away.requests}
    assert not any(name.startswith("events/") for name in fresh)
    assert away.bytes(section("psi", made.late)) < made.size("states")


def test_what_a_fetch_raises_is_raised_and_tried_again(made: Made, away: Away) -> None:
    queries = (
        page(made.late),
        drawn(made.late, ("cpu", 0)),
        section("latency", made.late),
        section("numa_balancing", made.late),
    )
    away.broken = True
    for ask in queries:
        with pytest.raises(ConnectionError, match="the store is away"):
            ask(away.engine)
    away.broken = False
    for ask in queries:
        assert ask(away.engine) == ask(made.engine)
