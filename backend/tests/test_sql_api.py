"""SQL over HTTP: who may ask, what answers and errors are, downloads, and what the server does meanwhile."""

import io
import json
import socket
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from pyarrow import ipc

from numalens.api.access import SHARE_HEADER
from numalens.api.sql import SqlAnswer, SqlPart, SqlSchema
from tests.conftest import running_service
from tests.live import live_server, upload_whole
from tests.recordings import SAMPLE, SMALL, counts
from tests.servers import children_of, command_of, cpu_ticks, worker_of
from tests.service import API, Service, sentence
from tests.sql_helpers import ENDLESS, GREEDY, IDLE, MIB, RECORDED
from tests.until import until

LSCPU_LIKE = ("lscpu-p.txt", b"# CPU,Core,Socket,Node\n0,0,0,0\n1,1,0,1\n")
EVENTS = f"select count(*) as events from ftrace_event where {RECORDED}"


def query(service: Service, analysis_id: str, sql: str, **more: Any) -> Any:
    headers = more.pop("headers", None)
    return service.client.post(f"{API}/analyses/{analysis_id}/sql", json={"sql": sql, **more}, headers=headers)


def rows(service: Service, analysis_id: str, sql: str, **more: Any) -> Any:
    answer = query(service, analysis_id, sql, **more)
    assert answer.status_code == 200, answer.text
    return answer.json()["rows"]


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    with running_service(
        tmp_path_factory.mktemp("sql"), sql_seconds=3, sql_rows=100, sql_memory_bytes=128 * MIB
    ) as made:
        yield made


@pytest.fixture(scope="module")
def small(service: Service) -> str:
    return service.analyse(SMALL)


@pytest.fixture(scope="module")
def idle(service: Service) -> str:
    return service.analyse(IDLE)


def test_an_answer_keeps_to_its_shape(service: Service, small: str) -> None:
    answer = query(
        service, small, "select 9223372036854775807 as i, 1.5 as r, 'x' as t, x'ff' as b, null as n", limit=1
    )
    result = SqlAnswer.model_validate_json(answer.content)
    assert answer.headers["content-type"] == "application/json"
    assert result.rows == [["9223372036854775807", 1.5, "x", "ff", None]]
    assert [column.kind for column in result.columns] == ["integer", "real", "text", "blob", "empty"]
    assert result.trace.events == sum(counts("tc-small").values())
    assert result.notes


def test_times_are_those_of_the_analysis(service: Service, small: str) -> None:
    detail = service.get(f"/analyses/{small}").json()["timeline"]
    assert rows(service, small, "select min(ts) from ftrace_event") == [[detail["origin_ns"]]]
    middle = str((int(detail["origin_ns"]) + int(detail["end_ns"])) // 2)
    answer = query(service, small, "select min(ts) from ftrace_event", from_ns=middle).json()
    assert answer["trace"]["from_ns"] == middle
    assert int(answer["rows"][0][0]) >= int(middle)


def test_a_share_link_reads_its_analysis_and_no_other(service: Service, small: str, idle: str) -> None:
    token = service.client.post(f"{API}/analyses/{small}/shares", json={"view": ""}).json()["token"]
    link = {SHARE_HEADER: token}
    assert rows(service, small, EVENTS, headers=link)
    sentence(query(service, idle, EVENTS, headers=link), 404)
    sentence(service.get(f"/analyses/{idle}/sql/schema", headers=link), 404)
    queries = {"sql": EVENTS, "format": "csv"}
    sentence(service.client.post(f"{API}/analyses/{idle}/sql/export", json=queries, headers=link), 404)
    sentence(query(service, small, EVENTS, headers={SHARE_HEADER: "wrong"}), 404)


def test_what_cannot_be_queried(service: Service, small: str) -> None:
    sentence(query(service, "nothing", EVENTS), 404)
    samples = service.analyse(("psi.jsonl", (SAMPLE / "psi.jsonl").read_bytes()))
    assert sentence(query(service, samples, EVENTS), 404) == "There is no such recording in this analysis."
    wishes: list[dict[str, Any]] = [
        {"sql": ""},
        {"sql": "x" * 50_001},
        {"limit": 0},
        {"limit": 10_001},
        {"from_ns": 5},
        {"from_ns": "-1"},
        {"from_ns": "9999999999999999999"},
        {"from_ns": "5", "to_ns": "5"},
        {"other": 1},
    ]
    for wrong in wishes:
        body = {"sql": EVENTS, **wrong}
        sentence(service.client.post(f"{API}/analyses/{small}/sql", json=body), 422)


def test_a_refused_query_has_its_place(service: Service, small: str) -> None:
    answer = query(service, small, "select 1;\nselect nosuch from sched")
    assert "line 2, column 8: no such column: nosuch." in sentence(answer, 422)
    assert (answer.json()["error"]["line"], answer.json()["error"]["column"]) == (2, 8)
    assert "no query may do" in sentence(query(service, small, "vacuum into '/tmp/x'"), 422)


def test_limits_of_time_and_memory_are_reported_and_the_next_query_works(service: Service, small: str) -> None:
    late = query(service, small, ENDLESS)
    assert "NUMALENS_SQL_SECONDS" in sentence(late, 422)
    assert late.json()["error"]["cap"] == "sql_seconds"
    assert rows(service, small, EVENTS)
    large = query(service, small, GREEDY)
    assert "NUMALENS_SQL_MEMORY_BYTES" in sentence(large, 413)
    assert rows(service, small, EVENTS)


def test_downloads_are_cut_at_the_cap_and_say_so(service: Service, small: str) -> None:
    path = f"{API}/analyses/{small}/sql/export"
    sql = "select ts, name from ftrace_event order by id"
    shown = rows(service, small, sql, limit=100)
    for fmt, media in (
        ("csv", "text/csv"),
        ("ndjson", "application/x-ndjson"),
        ("arrow", "application/vnd.apache.arrow.stream"),
    ):
        answer = service.client.post(path, json={"sql": sql, "format": fmt})
        assert answer.status_code == 200
        assert answer.headers["content-type"].split(";")[0] == media
        assert answer.headers["x-truncated"] == "true"
        assert f'filename="query.{fmt}"' in answer.headers["content-disposition"]
        if fmt == "arrow":
            found = ipc.open_stream(pa.py_buffer(answer.content)).read_all().to_pylist()
        elif fmt == "ndjson":
            found = [json.loads(line) for line in io.StringIO(answer.text)]
        else:
            head, *lines = answer.text.splitlines()
            assert head == "ts,name"
            found = [dict(zip(("ts", "name"), line.split(","), strict=True)) for line in lines]
        assert [[str(row["ts"]), row["name"]] for row in found] == shown
    whole = service.client.post(path, json={"sql": f"{sql} limit 5", "format": "csv"})
    assert whole.headers["x-truncated"] == "false"
    assert len(whole.text.splitlines()) == 6
    sentence(service.client.post(path, json={"sql": "select nosuch"}), 422)
    sentence(service.client.post(path, json={"sql": "select 1", "format": "xlsx"}), 422)


def test_the_schema_keeps_to_its_shape(service: Service, small: str) -> None:
    answer = service.get(f"/analyses/{small}/sql/schema")
    schema = SqlSchema.model_validate_json(answer.content)
    assert schema.engine.kind == "wasm"
    assert {module.name for module in schema.modules} == {
        f"numalens.{name}" for name in ("cling", "findings", "ilb", "latency", "nodes", "off_cpu", "psi", "tracks")
    }
    assert {table.kind for table in schema.tables} == {"table", "view", "ours"}


def test_one_user_s_changes_are_not_another_s(service: Service, small: str) -> None:
    before = rows(service, small, "select count(*) from sched")
    include = "include perfetto module numalens.nodes;"
    query(service, small, "create or replace perfetto view sched as select 1 as ts")
    query(
        service, small, f"{include} create or replace perfetto table numalens_cpu_node as select 99 as cpu, 99 as nid"
    )
    query(service, small, "drop view thread")
    assert rows(service, small, "select count(*) from sched") == before
    assert rows(service, small, f"{include} select count(*) from numalens_cpu_node where nid = 99") == [["0"]]
    assert rows(service, small, "select count(*) > 1 from thread") == [["1"]]


def test_twenty_users_get_right_answers(service: Service, small: str, idle: str) -> None:
    third = service.analyse(SMALL, LSCPU_LIKE)
    expected = {
        small: [[str(sum(counts("tc-small").values()))]],
        third: [[str(sum(counts("tc-small").values()))]],
        idle: [[str(sum(counts("idle-6.1-2x4.part").values()))]],
    }
    queries = [list(expected)[at % 3] for at in range(20)]
    with ThreadPoolExecutor(20) as threads:
        answers = list(threads.map(lambda analysis_id: rows(service, analysis_id, EVENTS), queries))
        others = list(threads.map(lambda _: service.get("/info").status_code, range(3)))
    assert answers == [expected[analysis_id] for analysis_id in queries]
    assert others == [200] * 3
    assert len(service.services.part(SqlPart).engines.traces) == 2


def test_engines_of_an_analysis_end_when_it_is_deleted_or_read_again(service: Service) -> None:
    analysis_id = service.analyse(SMALL, LSCPU_LIKE)
    nodes = "include perfetto module numalens.nodes; select cpu, nid from numalens_cpu_node"
    assert rows(service, analysis_id, nodes) == [["0", "0"], ["1", "1"]]

    def held() -> bool:
        return any(key.analysis_id == analysis_id for key in service.services.part(SqlPart).engines.traces)

    assert held()
    assert service.client.post(f"{API}/analyses/{analysis_id}/reread", json={"tolerant": True}).status_code == 202
    assert service.watch(analysis_id)[-1][0] == "ready"
    assert not held()
    assert query(service, analysis_id, nodes).json()["trace"]["loaded"] == "now"
    assert held()
    assert service.client.delete(f"{API}/analyses/{analysis_id}").status_code == 204
    service.get("/info")
    assert not held()
    sentence(query(service, analysis_id, nodes), 404)


def test_all_engines_busy_is_reported(tmp_path: Path) -> None:
    with (
        running_service(tmp_path, sql_engines=1, sql_seconds=3, sql_wait_seconds=0.2) as service,
        ThreadPoolExecutor(1) as threads,
    ):
        analysis_id = service.analyse(SMALL)
        assert rows(service, analysis_id, EVENTS)
        slow = threads.submit(query, service, analysis_id, ENDLESS)
        until(lambda: any(seat.busy for seat in service.services.part(SqlPart).engines._seats.values()))
        busy = query(service, analysis_id, EVENTS)
        assert "busy" in sentence(busy, 503)
        assert busy.headers["retry-after"]
        sentence(slow.result(), 422)


def test_a_client_that_goes_away_leaves_no_query_behind(tmp_path: Path) -> None:
    with (
        live_server(
            tmp_path, NUMALENS_SQL_SECONDS="1000", NUMALENS_SQL_WAIT_SECONDS="300", NUMALENS_SQL_ENGINES="1"
        ) as server,
        server.client() as client,
    ):
        upload = upload_whole(client, SMALL.read_bytes())
        analysis_id = client.post(f"{API}/analyses", json={"uploads": [upload]}).json()["id"]
        until(lambda: bool(client.get(f"{API}/analyses/{analysis_id}").json()["status"] == "ready"))
        path = f"{API}/analyses/{analysis_id}/sql"
        assert client.post(path, json={"sql": EVENTS}).status_code == 200
        body = json.dumps({"sql": ENDLESS}).encode()
        head = [f"POST {path} HTTP/1.1", f"Host: 127.0.0.1:{server.port}", f"Content-Length: {len(body)}"]
        head.append("Content-Type: application/json")
        with socket.create_connection(("127.0.0.1", server.port)) as connection:
            connection.sendall("\r\n".join([*head, "", ""]).encode() + body)
            children = children_of(server.process.pid)
            # A summary of the reading may still be made by another one.
            (engine,) = (worker_of(pid) for pid in children if b"perfetto.sql.worker" in command_of(pid))
            begin = cpu_ticks(engine)
            until(lambda: cpu_ticks(engine) > begin + 2)
        # It is stopped long before its time would be over.
        assert client.post(path, json={"sql": EVENTS}, timeout=300).status_code == 200
