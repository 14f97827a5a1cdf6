"""Copies for others: a stretch, chosen tasks, pseudonyms; nothing of what was left out is in them."""

import io
import json
import re
from collections.abc import Iterator
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pytest

from tests.conftest import Misbehave, running_service
from tests.recordings import DROPPED, FIXTURES, NUMA, SMALL
from tests.service import API, Service, sentence
from tests.test_deletion import holding_mark

FOLDER = FIXTURES.parent / "cling-2x4-heavy"
SIDE = ("lscpu-p.txt", "psi.jsonl", "numa_group.jsonl")
KERNEL = re.compile(r"^(swapper|kworker|ksoftirqd|migration|rcu_|kcompactd|kswapd|khugepaged|psimon|<idle>|kthreadd)")
PIDS = ("common_pid", "pid", "prev_pid", "next_pid", "parent_pid", "child_pid", "src_pid", "dst_pid", "old_pid", "tid")
COMMS = ("comm", "prev_comm", "next_comm", "parent_comm", "child_comm")


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Service, str]]:
    """A service with a recording of a cling kernel, its samples, and a name that tells on somebody."""
    with running_service(tmp_path_factory.mktemp("copies")) as service:
        parts = [(name, (FOLDER / name).read_bytes()) for name in SIDE]
        yield service, service.analyse(("acme-payroll.dat", NUMA.read_bytes()), *parts)


def copy(service: Service, analysis_id: str, status: str = "ready", **what: Any) -> str:
    answer = service.client.post(f"{API}/analyses/{analysis_id}/copies", json=what)
    assert answer.status_code == 201, answer.text
    assert service.watch(answer.json()["id"])[-1][0] == status, service.get(f"/analyses/{answer.json()['id']}").text
    return str(answer.json()["id"])


def detail(service: Service, analysis_id: str) -> dict[str, Any]:
    found: dict[str, Any] = service.get(f"/analyses/{analysis_id}").json()
    return found


def events(service: Service, analysis_id: str, event: str) -> pa.Table:
    answer = service.get(f"/analyses/{analysis_id}/events/{event}?format=arrow")
    assert answer.status_code == 200, answer.text
    return pa.ipc.open_stream(io.BytesIO(answer.content)).read_all()


def samples(service: Service, analysis_id: str, table: str) -> pa.Table:
    answer = service.get(f"/analyses/{analysis_id}/samples/{table}?format=arrow")
    assert answer.status_code == 200, answer.text
    return pa.ipc.open_stream(io.BytesIO(answer.content)).read_all()


def counted(service: Service, analysis_id: str) -> dict[str, int]:
    found: dict[str, int] = detail(service, analysis_id)["timeline"]["event_counts"]
    return found


def stretch(service: Service, analysis_id: str) -> tuple[int, int]:
    """The middle third of a recording."""
    timeline = detail(service, analysis_id)["timeline"]
    origin, end = int(timeline["origin_ns"]), int(timeline["end_ns"])
    return origin + (end - origin) // 3, end - (end - origin) // 3


def test_a_stretch_is_what_lies_in_it(made: tuple[Service, str]) -> None:
    service, source = made
    first, last = stretch(service, source)
    short = copy(service, source, from_ns=str(first), to_ns=str(last), title="The stall")
    assert detail(service, short)["title"] == "The stall"
    timeline = detail(service, short)["timeline"]
    assert first <= int(timeline["origin_ns"]) < int(timeline["end_ns"]) <= last
    counts = counted(service, short)
    for event in counted(service, source):
        whole = events(service, source, event)
        inside = whole.filter(pc.and_(pc.greater_equal(whole["ts_ns"], first), pc.less_equal(whole["ts_ns"], last)))
        assert counts.get(event, 0) == inside.num_rows, event
        if inside.num_rows:
            assert events(service, short, event).equals(inside), event
    recording = next(entry for entry in detail(service, short)["inputs"] if entry["events"])
    assert recording["events"] == sum(counts.values())
    # What was sampled next to the ends is needed to say what was at the ends.
    times = samples(service, short, "psi")["ts_ns"].to_pylist()
    before = max(at for at in samples(service, source, "psi")["ts_ns"].to_pylist() if at <= first)
    assert before - 1_000_000_000 <= min(times) <= before
    assert last <= max(times) <= last + 1_000_000_000
    assert any("copy" in note for note in timeline["notes"])


def test_a_copy_is_replayed_from_itself(made: tuple[Service, str]) -> None:
    service, source = made
    first, last = stretch(service, source)
    short = copy(service, source, from_ns=str(first), to_ns=str(last))
    window = f"from_ns={first + (last - first) // 2}&to_ns={last - (last - first) // 10}"
    for section in ("utilisation", "numa_balancing"):
        one = service.get(f"/analyses/{source}/sections/{section}?{window}").json()
        other = service.get(f"/analyses/{short}/sections/{section}?{window}").json()
        assert one["available"] is other["available"] is True
        if section == "utilisation":
            # After every CPU has switched once, both replays know the same.
            assert one["nodes"] == other["nodes"]
        else:
            assert one["ops"]["rows"] == other["ops"]["rows"]


def test_of_those_who_were_not_chosen_only_the_cpu_is_left(made: tuple[Service, str]) -> None:
    service, source = made
    switches = events(service, source, "sched_switch")
    names = dict(zip(switches["next_pid"].to_pylist(), switches["next_comm"].to_pylist(), strict=True))
    chosen = {pid for pid, name in sorted(names.items()) if not KERNEL.match(name)}
    ours = set(sorted(chosen)[:3])
    few = copy(service, source, tasks=sorted(ours))
    assert counted(service, few)["sched_switch"] == switches.num_rows
    left = events(service, few, "sched_switch")
    assert left.drop(["prev_comm", "next_comm"]).equals(switches.drop(["prev_comm", "next_comm"]))
    result = (switches["next_pid"].to_pylist(), switches["next_comm"].to_pylist(), left["next_comm"].to_pylist())
    for pid, name, new in zip(*result, strict=True):
        assert new == (name if pid in ours or KERNEL.match(name) else "other")
    for event in counted(service, few):
        table = events(service, few, event)
        if event == "sched_switch":
            continue
        took_part = [set(table[name].to_pylist()) & ours for name in PIDS if name in table.column_names]
        assert any(took_part), event
        rows = table.select([name for name in PIDS if name in table.column_names]).to_pylist()
        assert all(ours & set(row.values()) for row in rows), event
    # Others' names are in no file of the copy.
    folder = service.services.folder.bundle(few)
    for pid in chosen - ours:
        if len(names[pid]) > 5 and names[pid] not in {names[mine] for mine in ours}:
            assert holding_mark(folder, names[pid]) == [], names[pid]


def test_with_pseudonyms_no_name_is_left_and_all_numbers_are(made: tuple[Service, str]) -> None:
    service, source = made
    hidden = copy(service, source, pseudonyms=True)
    assert detail(service, hidden)["title"] == "Copy"
    assert counted(service, hidden) == counted(service, source)
    renamed: dict[str, set[str]] = {}
    secrets = {"acme-payroll", *SIDE}
    for event in counted(service, source):
        whole, copied = events(service, source, event), events(service, hidden, event)
        texts = [field.name for field in whole.schema if field.type in {pa.string(), pa.binary()}]
        assert copied.drop(texts).equals(whole.drop(texts)), event
        for column in texts:
            for name, new in zip(whole[column].to_pylist(), copied[column].to_pylist(), strict=True):
                if column in COMMS:
                    renamed.setdefault(name, set()).add(new)
                elif column in {"path", "dst_path"}:
                    secrets |= {part for part in name.split("/") if len(part) > 5}
    # One name is one pseudonym, and two names are never the same one.
    assert all(len(new) == 1 for new in renamed.values())
    assert len({next(iter(new)) for new in renamed.values()}) == len(renamed)
    for name, (new,) in renamed.items():
        assert (new == name) is bool(KERNEL.match(name)), (name, new)
    secrets |= {name for name in renamed if len(name) > 5 and not KERNEL.match(name)}
    secrets |= {
        fact for entry in detail(service, source)["inputs"] for fact in entry["facts"].values() if len(fact) > 12
    }
    assert len(secrets) > 8
    folder = service.services.folder.bundle(hidden)
    result = json.dumps(detail(service, hidden)) + service.get(f"/analyses/{hidden}/report").text
    for secret in secrets:
        assert holding_mark(folder, secret) == [], secret
        assert secret not in result, secret


def test_what_is_replayed_does_not_hang_on_names(made: tuple[Service, str]) -> None:
    service, source = made
    hidden = copy(service, source, pseudonyms=True)
    for section in (
        "psi",
        "latency",
        "utilisation",
        "waste",
        "numa_balancing",
        "cling",
        "idle_balancing",
        "page_migration",
    ):
        one = service.get(f"/analyses/{source}/sections/{section}").json()
        other = service.get(f"/analyses/{hidden}/sections/{section}").json()
        assert one["available"] is True, section
        assert numbers(one) == numbers(other), section


def numbers(result: Any) -> Any:
    """What is told without its words."""
    if isinstance(result, dict):
        if any(key.startswith("/") for key in result):
            # Named by cgroups: only what is reported of them can be the same.
            return sorted((numbers(value) for value in result.values()), key=repr)
        return {key: numbers(value) for key, value in result.items() if key not in {"task", "name"}}
    if isinstance(result, list):
        return [numbers(entry) for entry in result]
    return None if isinstance(result, str) and not result.lstrip("-").isdigit() else result


def test_lost_events_are_those_of_the_stretch(service: Service) -> None:
    source = service.analyse(DROPPED)
    lost = pa.ipc.open_file(service.services.folder.bundle(source) / "lost" / "0.arrow").read_all()
    first, last = lost["ts_ns"].to_pylist()[1], lost["ts_ns"].to_pylist()[-3]
    inside = [row for row in lost.to_pylist() if first <= row["ts_ns"] <= last]
    assert 0 < len(inside) < lost.num_rows
    (result,) = detail(service, copy(service, source, from_ns=str(first), to_ns=str(last)))["inputs"]
    assert result["lost_marks"] == len(inside)
    assert result["lost_events"] == sum(row["count"] or 0 for row in inside)


def test_samples_of_threads_that_were_not_chosen_are_gone(service: Service) -> None:
    tasks = pa.input_stream(str(FIXTURES / "samples" / "cling-2x4-small.tasks.jsonl.zst"), compression="zstd").read()
    source = service.analyse(NUMA, ("tasks.jsonl", tasks))
    whole = samples(service, source, "proc_sched")
    chosen = whole["tid"].to_pylist()[0]
    few = copy(service, source, tasks=[chosen])
    left = samples(service, few, "proc_sched")
    assert 0 < left.num_rows < whole.num_rows
    assert all(chosen in (row["pid"], row["tid"]) for row in left.to_pylist())


def test_a_copy_has_no_file_that_its_manifest_does_not_name(made: tuple[Service, str]) -> None:
    service, source = made
    first, _ = stretch(service, source)
    short = copy(service, source, from_ns=str(first), to_ns=str(first + 2_000_000))
    folder = service.services.folder.bundle(short)
    manifest = json.loads((folder / "manifest.json").read_text())
    assert len(manifest["tables"]) < len(counted(service, source))
    named = {table["file"] for table in manifest["tables"]}
    assert {str(file.relative_to(folder)) for file in (folder / "events").rglob("*") if file.is_file()} == named
    sampled = {table["file"] for table in manifest["samples"]}
    assert {str(file.relative_to(folder)) for file in (folder / "samples").rglob("*") if file.is_file()} == sampled


def test_what_is_said_about_the_files_is_not_said_of_a_copy(service: Service) -> None:
    broken = (FOLDER / "psi.jsonl").read_bytes().splitlines(keepends=True)
    files = {"acme-one.dat": NUMA.read_bytes(), "acme-psi.jsonl": b"".join(broken[:9]) + b"acme: " + broken[9]}
    uploads = [service.upload(content, name) for name, content in files.items()]
    source = service.client.post(f"{API}/analyses", json={"uploads": uploads, "tolerant": True}).json()["id"]
    assert service.watch(source)[-1][0] == "ready"
    assert any(part["why"] for entry in detail(service, source)["inputs"] for part in entry["skipped"])
    hidden = copy(service, source, pseudonyms=True)
    assert "acme" not in json.dumps(detail(service, hidden))
    assert holding_mark(service.services.folder.bundle(hidden), "acme") == []


def test_instances_of_a_recording_lose_their_names(service: Service) -> None:
    source = service.analyse(FIXTURES / "tc-multi.v7-zstd.dat")
    hidden = copy(service, source, pseudonyms=True)

    def instances(analysis_id: str) -> list[str]:
        manifest = json.loads((service.services.folder.bundle(analysis_id) / "manifest.json").read_text())
        return [buffer["name"] for buffer in manifest["inputs"][0]["buffers"]]

    before = instances(source)
    assert len(before) > 1
    assert instances(hidden) == [before[0], *(f"instance-{number}" for number in range(1, len(before)))]


def test_a_copy_stands_alone(made: tuple[Service, str]) -> None:
    service, _ = made
    source = service.analyse(SMALL)
    kept = copy(service, source, pseudonyms=True)
    assert detail(service, kept)["rereadable"] is False
    sentence(service.client.post(f"{API}/analyses/{kept}/reread", json={}), 409)
    assert "cannot be copied" in sentence(service.client.post(f"{API}/analyses/{kept}/copies", json={}), 409)
    service.client.delete(f"{API}/analyses/{source}")
    assert service.get(f"/analyses/{kept}/report").status_code == 200


def test_a_copy_of_what_is_gone_says_so(made: tuple[Service, str], misbehaving: Misbehave) -> None:
    service, _ = made
    source = service.analyse(SMALL)
    misbehaving("wait")
    busy = service.create(SMALL)
    waiting = service.client.post(f"{API}/analyses/{source}/copies", json={}).json()["id"]
    service.services.analyses.delete(source)
    service.client.delete(f"{API}/analyses/{busy}")
    assert service.watch(waiting)[-1][0] == "failed"
    assert "was deleted before" in detail(service, waiting)["error"]["sentence"]


def test_what_cannot_be_copied(service: Service) -> None:
    sentence(service.client.post(f"{API}/analyses/nothing/copies", json={}), 404)
    broken = service.analyse(("x.dat", b"nothing that is known"), status="failed")
    sentence(service.client.post(f"{API}/analyses/{broken}/copies", json={}), 409)


@pytest.mark.parametrize(
    "body",
    [
        {"from_ns": "2", "to_ns": "1"},
        {"from_ns": "-1"},
        {"to_ns": str(1 << 63)},
        {"tasks": []},
        {"tasks": [-1]},
        {"tasks": [1 << 31]},
        {"title": ""},
        {"pseudonyms": "perhaps"},
        {"more": 1},
    ],
)
def test_a_copy_is_checked(service: Service, body: dict[str, Any]) -> None:
    sentence(service.client.post(f"{API}/analyses/x/copies", json=body), 422)
