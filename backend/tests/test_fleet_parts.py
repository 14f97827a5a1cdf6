"""A fleet's answer is put together of parts: whichever parts they are and in whichever order they come, it is the same."""

import json
import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import timedelta
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from numalens.fleet.answer import Question, answer, ask, part_of, received, sent
from numalens.fleet.catalog import Entry
from numalens.fleet.database import FleetDatabase
from numalens.fleet.over_time import Series
from numalens.fleet.parquet import keep_summary
from numalens.fleet.questions import GROUPS, PERIODS, Choices, Chosen, Findings, Machines
from numalens.fleet.rows import FILE
from numalens.fleet.together import MOST, Part, appended, exactly, union
from numalens.fleet.upgrade import Upgrade
from numalens.jobs.fleet_cluster import shares_of
from tests.made_fleet import BEGIN, files_of, made_fleet

COUNT = 30
SOME = Chosen(BEGIN + timedelta(days=7), BEGIN + timedelta(days=60), tag="web")
QUESTIONS: tuple[Question, ...] = (
    Choices(),
    Machines(Chosen()),
    Machines(SOME),
    Findings(Chosen(), "week"),
    Findings(SOME, "all"),
    *(Series("wakeup_p99", by, every, Chosen()) for by in GROUPS for every in PERIODS),  # type: ignore[arg-type]
    *(Series(name, "kernel", "month", SOME) for name in ("wakeup_p50", "failure_ratio", "flips", "busy", "io_full")),
    Upgrade(Chosen(), "6.12.61", "6.6.119"),
    Upgrade(Chosen()),
)


@dataclass(frozen=True)
class Split:
    database: FleetDatabase
    entries: list[Entry]

    def parts(self, question: Question, places: list[int]) -> list[Part]:
        """A part for each number in `places`, which says where each recording is, as it comes from elsewhere."""
        told = []
        for place in sorted(set(places)):
            share = [entry for entry, here in zip(self.entries, places, strict=True) if here == place]
            with self.database.asked(share) as cursor:
                told.append(json.loads(json.dumps(part_of(cursor, question))))
        return told


@pytest.fixture(scope="module")
def split(tmp_path_factory: pytest.TempPathFactory, bundles: Path) -> Iterator[Split]:
    folder = tmp_path_factory.mktemp("parts")
    for name in ("numa", "small"):
        keep_summary(bundles / name)
    made = made_fleet(folder, [bundles / name / FILE for name in ("numa", "small")], COUNT)
    # Few machines, so that each has several kernels.
    entries = [replace(entry, tags=[*entry.tags, f"machine:m{at % 2}"]) for at, entry in enumerate(made)]
    database = FleetDatabase(files_of(folder, entries))
    yield Split(database, entries)
    database.close()


@pytest.fixture(scope="module")
def whole(split: Split) -> dict[Question, Any]:
    with split.database.asked(split.entries) as cursor:
        return {question: ask(cursor, question) for question in QUESTIONS}


@settings(max_examples=25, suppress_health_check=[HealthCheck.too_slow])
@given(data=st.data())
def test_any_parts_in_any_order_are_the_whole(split: Split, whole: dict[Question, Any], data: st.DataObject) -> None:
    question = data.draw(st.sampled_from(QUESTIONS))
    places = data.draw(st.lists(st.integers(0, 5), min_size=COUNT, max_size=COUNT))
    parts = data.draw(st.permutations(split.parts(question, places)))
    assert answer(question, parts) == whole[question]


@pytest.mark.parametrize("question", [QUESTIONS[at] for at in (0, 1, 3, 7, -5, -1)], ids=repr)
def test_a_part_for_each_recording_is_the_whole(split: Split, whole: dict[Question, Any], question: Question) -> None:
    assert whole[question]
    assert answer(question, reversed(split.parts(question, list(range(COUNT))))) == whole[question]


def test_a_share_without_recordings_changes_nothing(split: Split, whole: dict[Question, Any]) -> None:
    with split.database.asked([]) as cursor:
        for question, told in whole.items():
            nothing = part_of(cursor, question)
            assert answer(question, [nothing, *split.parts(question, [0] * COUNT), nothing]) == told


@pytest.mark.parametrize("question", QUESTIONS, ids=repr)
def test_a_question_is_the_same_on_arrival(question: Question) -> None:
    assert received(json.loads(json.dumps(sent(question)))) == question


@given(st.lists(st.lists(st.floats(-1e290, 1e290, allow_subnormal=False))))
def test_sums_have_no_order(some: list[list[float]]) -> None:
    told = exactly(some)
    exact = sum((Fraction(each) for values in some for each in values), Fraction())
    assert sum(map(Fraction, told), Fraction()) == exact
    assert math.fsum(told) == float(exact)
    # Taken apart and put together again, in another order.
    assert exactly([exactly([each]) for each in reversed(some)]) == told
    assert len(told) <= 80


def test_what_is_no_measurement_makes_no_sum_worthless() -> None:
    assert exactly([[1.0, math.inf, math.nan], [-math.inf, MOST, 2.0]]) == [3.0]


def test_sets_and_lists() -> None:
    assert union([["b", "a"], [], ["a"]]) == ["a", "b"]
    assert appended([[["b", 1, "x"]], [["a", None, "y"]]]) == [["a", None, "y"], ["b", 1, "x"]]


@given(st.lists(st.uuids(), unique=True), st.integers(1, 9))
def test_every_analysis_is_in_one_share(names: list[Any], count: int) -> None:
    entries = [Entry(str(name), "", BEGIN) for name in names]
    shares = shares_of(entries, count)
    assert sorted(entry.analysis for share in shares for entry in share) == sorted(map(str, names))
    assert 1 <= len(shares) <= count
    assert all(shares) or shares == [[]]
    assert shares_of(entries, count) == shares
