"""Merged summaries: the same answers as single ones, whatever is written, deleted or damaged meanwhile."""

import asyncio
import os
import random
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import timedelta
from fractions import Fraction
from pathlib import Path
from typing import Any

import duckdb
import pytest
from hypothesis import given
from hypothesis import strategies as st

from numalens.fleet import merge
from numalens.fleet.database import Entry, FleetDatabase, FleetError, GoneError, Source
from numalens.fleet.executor import Fleet, FleetExecutor, QueryLimits, Question
from numalens.fleet.merge import MergedFiles
from numalens.fleet.over_time import Series
from numalens.fleet.questions import GROUPS, MOST, PERIODS, Choices, Chosen, Findings, Machines, exact_sum
from numalens.fleet.select import select
from numalens.fleet.summary import keep_summary
from numalens.fleet.upgrade import Upgrade
from numalens.store.bundles import FolderBundles
from numalens.store.folder import MERGED
from numalens.store.summaries import Summaries
from numalens.store.summary_file import FILE
from tests.conftest import running_service
from tests.live import hooked
from tests.made_fleet import BEGIN, ask, files_of, made_fleet
from tests.recordings import LSCPU, NUMA, SMALL
from tests.servers import Gateway
from tests.service import API
from tests.until import until

COUNT = 30
AT_ONCE = 7
"""Summaries in a merged file here."""
SOME = Chosen(BEGIN + timedelta(days=7), BEGIN + timedelta(days=60), tag="web")
QUESTIONS: tuple[Question, ...] = (
    Choices(),
    Machines(Chosen()),
    Machines(SOME),
    Findings(Chosen(), "week"),
    Findings(SOME, "all"),
    *(Series("wakeup_p99", by, every, Chosen()) for by in GROUPS for every in PERIODS),  # type: ignore[arg-type]
    *(Series(name, "kernel", "month", SOME) for name in ("wakeup_p50", "failure_ratio", "flips", "busy", "cpu_some")),
    Upgrade(Chosen(), "6.12.61", "6.6.119"),
    Upgrade(Chosen()),
)
SQL = "SELECT machine, kernel, sum(value)::BIGINT AS flips FROM recordings JOIN facts USING (analysis) GROUP BY ALL ORDER BY ALL"
LIMITS = QueryLimits(60, 1 << 30)


@dataclass(frozen=True)
class Made:
    folder: Path
    entries: list[Entry]

    def copy(self, folder: Path) -> "Made":
        """The same, to be changed."""
        shutil.copytree(self.folder, folder)
        return replace(self, folder=folder)

    @contextmanager
    def cursor(self, merged: MergedFiles | None = None) -> Iterator[duckdb.DuckDBPyConnection]:
        files = files_of(self.folder, self.entries)
        database = FleetDatabase(Source(files) if merged is None else merged.source(files))
        with database.cursor(self.entries) as cursor:
            yield cursor
        database.close()

    def answers(self, merged: MergedFiles | None = None) -> list[Any]:
        with self.cursor(merged) as cursor:
            return [ask(cursor, question) for question in QUESTIONS]


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory, bundles: Path) -> Made:
    folder = tmp_path_factory.mktemp("merged")
    for name in ("numa", "small"):
        keep_summary(bundles / name)
    found = made_fleet(folder, [bundles / name / FILE for name in ("numa", "small")], COUNT)
    # Few machines, so that each has several kernels.
    return Made(folder, [entry._replace(tags=[*entry.tags, f"machine:m{at % 2}"]) for at, entry in enumerate(found)])


@pytest.fixture(scope="module")
def single(made: Made) -> list[Any]:
    return made.answers()


@pytest.fixture
def merged(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> MergedFiles:
    monkeypatch.setattr(merge, "AT_ONCE", AT_ONCE)
    return MergedFiles(tmp_path / MERGED)


def parts(merged: MergedFiles) -> list[Path]:
    return sorted(merged._folder.iterdir())


def test_merged_summaries_have_the_answers_of_single_ones(made: Made, single: list[Any], merged: MergedFiles) -> None:
    assert all(single)
    done = merged.merge(files_of(made.folder, made.entries))
    assert len(done) == COUNT // AT_ONCE * AT_ONCE
    for there in (merged, MergedFiles(merged._folder)):
        source = there.source(files_of(made.folder, made.entries))
        assert (len(source.files), len(source.merged), len(source.parts)) == (
            COUNT % AT_ONCE,
            len(done),
            COUNT // AT_ONCE,
        )
        assert made.answers(there) == single
    files = files_of(made.folder, made.entries)
    random.Random(1).shuffle(files)  # noqa: S311
    others = MergedFiles(merged._folder.with_name("others"))
    others.merge(files)
    assert made.answers(others) == single


def test_what_is_not_filed_is_in_no_answer(made: Made, merged: MergedFiles) -> None:
    merged.merge(files_of(made.folder, made.entries))
    fewer = replace(made, entries=made.entries[3:])
    assert fewer.answers(merged) == fewer.answers()
    with replace(made, entries=[]).cursor(merged) as cursor:
        assert ask(cursor, Machines(Chosen())) == []


def test_a_summary_that_was_written_anew_counts_and_the_merged_one_no_more(
    made: Made, merged: MergedFiles, tmp_path: Path
) -> None:
    mine = made.copy(tmp_path / "mine")
    merged.merge(files_of(mine.folder, mine.entries))
    before = mine.answers(merged)
    first, second = (mine.folder / entry.analysis / FILE for entry in mine.entries[:2])
    shutil.copyfile(second, first)
    os.utime(first, ns=(1, 1))
    assert mine.answers(merged) == mine.answers() != before
    first.unlink()
    assert mine.answers(merged) == mine.answers()


def test_of_what_is_removed_nothing_is_left_and_the_others_are_merged_again(made: Made, merged: MergedFiles) -> None:
    files = files_of(made.folder, made.entries)
    merged.merge(files)
    gone = made.entries[2].analysis
    merged.remove([gone, "unknown"])
    assert len(parts(merged)) == COUNT // AT_ONCE - 1
    for path in parts(merged):
        assert duckdb.execute(
            "SELECT count(*) FROM read_parquet($1) WHERE analysis = $2", [str(path), gone]
        ).fetchall() == [(0,)]
    left = replace(made, entries=[entry for entry in made.entries if entry.analysis != gone])
    assert left.answers(merged) == left.answers()
    merged.merge(merged.source(files_of(left.folder, left.entries)).files)
    assert len(parts(merged)) == (COUNT - 1) // AT_ONCE
    assert left.answers(merged) == left.answers()


def test_what_is_removed_while_it_is_merged_does_not_come_back(
    made: Made, merged: MergedFiles, monkeypatch: pytest.MonkeyPatch
) -> None:
    write = merge._write

    def removed_meanwhile(files: Any, path: Path) -> dict[str, str]:
        stamps = write(files, path)
        merged.remove([files[0].analysis])
        return stamps

    monkeypatch.setattr(merge, "_write", removed_meanwhile)
    assert merged.merge(files_of(made.folder, made.entries[:AT_ONCE])) == []
    assert parts(merged) == []


def test_damage_costs_time_only(made: Made, single: list[Any], merged: MergedFiles, tmp_path: Path) -> None:
    mine = made.copy(tmp_path / "mine")
    (mine.folder / mine.entries[0].analysis / FILE).write_bytes(b"PAR1")
    assert len(merged.merge(files_of(mine.folder, mine.entries[:AT_ONCE]))) == AT_ONCE - 1
    merged.merge(files_of(mine.folder, mine.entries[AT_ONCE:]))
    Path(merged._held[mine.entries[1].analysis][1]).write_bytes(b"PAR1 and nothing else")
    (merged._folder / "merged-0-00000000-old.parquet").write_bytes(b"of another version")
    (merged._folder / ".new-killed").write_bytes(b"half")
    again = MergedFiles(merged._folder)
    assert mine.answers(again) == mine.answers()
    again.tidy([entry.analysis for entry in mine.entries[AT_ONCE + 1 :]])
    assert len(parts(again)) == COUNT // AT_ONCE - 2
    assert made.answers(again) == single


def layers() -> list[str]:
    """What the kernel of this machine has to confine a process."""
    script = "from numalens.sandbox.confine import confine; print(*confine('auto', read=[], write=[]))"
    return subprocess.run([sys.executable, "-c", script], capture_output=True, check=True, text=True).stdout.split()


def fleet_of(made: Made, merged: MergedFiles, tmp_path: Path) -> Fleet:
    return Fleet(Summaries(tmp_path / "summaries", FolderBundles(made.folder), FILE), merged)


def test_a_question_whose_merged_file_is_gone_is_queried_again(
    made: Made, single: list[Any], merged: MergedFiles, tmp_path: Path
) -> None:
    merged.merge(files_of(made.folder, made.entries))
    fleet = fleet_of(made, merged, tmp_path)
    executor = FleetExecutor(fleet, LIMITS)
    assert asyncio.run(executor.answer(QUESTIONS[1], made.entries)) == single[1]
    rows = asyncio.run(executor.select(made.entries, SQL, 1000))
    for path in parts(merged)[:2]:
        path.unlink()
    with pytest.raises(GoneError), fleet.cursor(made.entries) as cursor:
        ask(cursor, QUESTIONS[1])
    assert asyncio.run(executor.answer(QUESTIONS[1], made.entries)) == single[1]
    parts(merged)[0].unlink()
    assert asyncio.run(executor.select(made.entries, SQL, 1000)) == rows


def test_answers_stay_while_files_are_merged_and_removed(
    made: Made, single: list[Any], merged: MergedFiles, tmp_path: Path
) -> None:
    fleet = fleet_of(made, merged, tmp_path)
    executor = FleetExecutor(fleet, LIMITS)
    ended = threading.Event()

    def change() -> None:
        dice = random.Random(2)  # noqa: S311
        while not ended.wait(0.01):
            fleet.merge(made.entries)
            fleet.remove(dice.choice(made.entries).analysis)

    thread = threading.Thread(target=change)
    thread.start()
    try:
        for at in [*range(len(QUESTIONS)), 1, 1, 1]:
            assert asyncio.run(executor.answer(QUESTIONS[at], made.entries)) == single[at]
    finally:
        ended.set()
        thread.join()


def test_a_query_reaches_merged_files_and_nothing_else(
    made: Made, merged: MergedFiles, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    merged.merge(files_of(made.folder, made.entries))
    executor = FleetExecutor(fleet_of(made, merged, tmp_path), LIMITS)
    here = FleetDatabase(Source(files_of(made.folder, made.entries)))
    expected = select(here, made.entries, SQL, 1000, 60)
    summary = made.folder / made.entries[0].analysis / FILE
    for path in ("/etc/passwd", summary, tmp_path):
        with pytest.raises(FleetError, match="Permission Error"), made.cursor(merged) as cursor:
            cursor.execute(f"SELECT * FROM read_text('{path}')")  # noqa: S608
    if "landlock" in layers():
        # It ends without an answer when it reaches what is none of its business.
        for name, value in hooked("reading=reach").items():
            monkeypatch.setenv(name, value)
    assert asyncio.run(executor.select(made.entries, SQL, 1000)) == expected


def test_a_server_merges_in_the_background_and_deletes_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(merge, "AT_ONCE", 2)
    with running_service(tmp_path) as service:
        ids = service.analyse(NUMA, LSCPU), service.analyse(SMALL)
        folder = service.services.folder.root / MERGED
        before = service.get("/fleet").json()
        until(lambda: folder.is_dir() and len(list(folder.glob("merged-*"))) == 1)
        assert service.get("/fleet").json() == before
        assert service.client.delete(f"{API}/analyses/{ids[0]}").status_code == 204
        assert list(folder.iterdir()) == []
        assert service.get("/fleet").json()["recordings"] == 1


def test_merged_summaries_of_a_bucket_are_not_fetched_again(
    tmp_path: Path, gateway: Gateway, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(merge, "AT_ONCE", 2)
    for name, value in gateway.access.items():
        monkeypatch.setenv(name, value)
    store = f"s3://{gateway.bucket.name}/merged"
    with running_service(tmp_path, store=store) as service:
        service.analyse(NUMA, LSCPU)
        service.analyse(SMALL)
        before = service.get("/fleet/machines").json()
        service.get("/fleet")
        folder = service.services.folder.root / MERGED
        until(lambda: folder.is_dir() and len(list(folder.glob("merged-*"))) == 1)
        # Walked, since a pattern fails on a folder that is removed in the meantime.
        until(lambda: not any(FILE in names for *_, names in os.walk(service.services.folder.root / "summaries")))
    with running_service(tmp_path, store=store) as service:
        assert service.get("/fleet/machines").json() == before
        assert not list(service.services.folder.root.glob(f"summaries/*/*/{FILE}"))


@given(st.lists(st.floats(-1e290, 1e290, allow_subnormal=False)))
def test_sums_have_no_order(values: list[float]) -> None:
    exact = sum((Fraction(each) for each in values), Fraction())
    assert exact_sum(values) == exact_sum(reversed(values)) == float(exact)


def test_what_is_no_measurement_makes_no_sum_worthless() -> None:
    assert exact_sum([1.0, float("inf"), float("nan"), float("-inf"), MOST, 2.0]) == 3.0
    assert exact_sum(None) == 0.0
