"""Events by a filter, held against the exports of single types: what is filtered must be what was recorded."""

import csv
import io
import json
from collections.abc import Iterator
from typing import Any

import pyarrow.ipc
import pytest

from tests.conftest import running_service
from tests.recordings import NUMA, counts
from tests.service import Service, sentence


class Ready:
    """A ready analysis of the two-node recording."""

    def __init__(self, service: Service) -> None:
        self.service = service
        self.id = service.analyse(NUMA)

    def get(self, path: str, **parameters: Any) -> Any:
        return self.service.get(f"/analyses/{self.id}/{path}", params=parameters)

    def page(self, wanted: str = "", **parameters: Any) -> dict[str, Any]:
        answer = self.get("event-rows", filter=wanted, **parameters)
        assert answer.status_code == 200, answer.text
        page: dict[str, Any] = answer.json()
        return page

    def recorded(self, event: str) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.get(f"events/{event}", format="ndjson").text.splitlines()]


@pytest.fixture(scope="module")
def ready(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ready]:
    with running_service(tmp_path_factory.mktemp("event-rows")) as service:
        yield Ready(service)


def test_everything_is_meant_by_no_filter(ready: Ready) -> None:
    page = ready.page(limit=3)
    assert page["matched"] == sum(counts("cling-2x4-small").values())
    times = [int(event["ts_ns"]) for event in page["events"]]
    assert times == sorted(times)
    assert page["next_page"] is not None


def test_conditions_are_those_of_a_slow_and_simple_look(ready: Ready) -> None:
    switches = ready.recorded("sched_switch")
    name = max((row["prev_comm"] for row in switches), key=len)
    part = name[1:4]
    wanted = [row for row in switches if part in row["prev_comm"] and 1 <= row["cpu"] <= 2 and row["prev_pid"] != 0]
    assert wanted
    page = ready.page(f'event == sched_switch && prev_comm ~ "{part}" && cpu in 1-2 && !(prev_pid == 0)', limit=1000)
    assert page["matched"] == len(wanted)
    first = page["events"][0]
    assert (first["event"], first["cpu"], int(first["ts_ns"])) == ("sched_switch", wanted[0]["cpu"], wanted[0]["ts_ns"])
    fields = dict(first["fields"])
    assert fields["prev_comm"] == wanted[0]["prev_comm"]
    assert fields["next_pid"] == str(wanted[0]["next_pid"])


def test_pages_follow_each_other_without_a_gap(ready: Ready) -> None:
    wanted = "event in sched_switch, sched_waking"
    whole = ready.page(wanted, limit=1000)["events"]
    pages: list[dict[str, Any]] = []
    after: dict[str, str] = {}
    while len(pages) < len(whole):
        page = ready.page(wanted, limit=137, **after)
        pages += page["events"]
        if page["next_page"] is None:
            break
        after = {"after": page["next_page"]}
    assert pages[: len(whole)] == whole


def test_the_last_page_says_that_it_is(ready: Ready) -> None:
    page = ready.page("event == sched_switch && cpu == 0", limit=1000)
    while page["next_page"] is not None:
        page = ready.page("event == sched_switch && cpu == 0", limit=1000, after=page["next_page"])
    last = [row for row in ready.recorded("sched_switch") if row["cpu"] == 0][-1]
    assert int(page["events"][-1]["ts_ns"]) == last["ts_ns"]


def test_a_window_has_its_begin_and_not_its_end(ready: Ready) -> None:
    switches = ready.recorded("sched_switch")
    low, high = switches[10]["ts_ns"], switches[40]["ts_ns"]
    page = ready.page("event == sched_switch", from_ns=low, to_ns=high, limit=1000)
    assert page["matched"] == sum(low <= row["ts_ns"] < high for row in switches)
    assert int(page["events"][0]["ts_ns"]) == low
    assert ready.page(f"event == sched_switch && ts_ns >= {low} && ts_ns < {high}")["matched"] == page["matched"]


@pytest.mark.parametrize("fmt", ["csv", "ndjson", "arrow"])
def test_an_export_has_all_that_is_meant_with_the_fields_of_all_types(ready: Ready, fmt: str) -> None:
    wanted = "(event == sched_switch or event == sched_waking) and cpu < 2"
    answer = ready.get("event-rows/export", filter=wanted, format=fmt)
    assert answer.status_code == 200
    assert 'filename="events.' in answer.headers["content-disposition"]
    rows: list[dict[str, Any]]
    if fmt == "csv":
        rows = list(csv.DictReader(io.StringIO(answer.text)))
    elif fmt == "ndjson":
        rows = [json.loads(line) for line in answer.text.splitlines()]
    else:
        rows = pyarrow.ipc.open_stream(answer.content).read_all().to_pylist()
    assert list(rows[0])[:3] == ["ts_ns", "cpu", "event_type"]
    assert len(rows) == ready.page(wanted)["matched"]
    times = [int(row["ts_ns"]) for row in rows]
    assert times == sorted(times)
    assert {row["event_type"] for row in rows} == {"sched_switch", "sched_waking"}
    waking = next(row for row in rows if row["event_type"] == "sched_waking")
    assert not waking["next_comm"]


def test_an_export_of_nothing_is_a_table_without_rows(ready: Ready) -> None:
    answer = ready.get("event-rows/export", filter="event == nothing_like_it", format="csv")
    assert answer.status_code == 200
    assert answer.text == "ts_ns,cpu,event_type\n"


@pytest.mark.parametrize(
    ("wanted", "word"),
    [
        ("cpu ==", "at character 7: expected a value, found the end"),
        ("prev_com == bash", "at character 1: no event of this recording has a field prev_com"),
        ("event == sched_switch && prev_pid == bash", "at character 38: prev_pid is a number, found bash"),
        ("cpu in 3-1", "the range ends before it begins"),
        ("(" * 1000, "nested too deeply"),
    ],
)
def test_a_wrong_filter_is_reported_with_its_place(ready: Ready, wanted: str, word: str) -> None:
    assert word in sentence(ready.get("event-rows", filter=wanted), 422)
    assert word in sentence(ready.get("event-rows/export", filter=wanted), 422)


@pytest.mark.parametrize(
    "query",
    [{"limit": 0}, {"limit": 1001}, {"after": "x"}, {"after": "99999999999999999999.1.1"}, {"filter": "x" * 2001}],
)
def test_a_query_is_checked(ready: Ready, query: dict[str, Any]) -> None:
    sentence(ready.get("event-rows", **query), 422)
