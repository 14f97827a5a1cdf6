"""Reading in a process of its own: results, refusals, limits, and processes that end badly."""

import asyncio
import io
import tarfile
from typing import Any

import pytest

from numalens.jobs.protocol import Done, Failure, Order, Step, decode, encode
from numalens.jobs.runner import ProgressBoard
from numalens.store.options import Cut
from tests.conftest import MakeService, Misbehave
from tests.recordings import DROPPED, FIXTURES, GARBAGE, LSCPU, NUMA, NUMACTL, SMALL, TRUNCATED, counts
from tests.service import API, Service


def failure(service: Service, analysis_id: str) -> dict[str, Any]:
    answer = service.get(f"/analyses/{analysis_id}").json()
    assert answer["status"] == "failed"
    assert answer["timeline"] is None
    error: dict[str, Any] = answer["error"]
    assert error["sentence"].endswith((".", ")")) or error["sentence"]
    assert "\n" not in error["sentence"]
    return error


def test_progress_is_reported_until_the_end(service: Service) -> None:
    analysis_id = service.create(NUMA)
    result = service.watch(analysis_id)
    assert [event for event, _ in result[:-1]] == ["progress"] * (len(result) - 1)
    event, last = result[-1]
    assert (event, last["status"], last["id"], last["access"]) == ("ready", "ready", analysis_id, "owner")
    assert last["progress"] is None
    # A late client gets the end at once.
    assert service.watch(analysis_id) == [("ready", last)]


def test_several_files_make_one_analysis(service: Service) -> None:
    analysis_id = service.analyse(NUMA, LSCPU, NUMACTL)
    answer = service.get(f"/analyses/{analysis_id}").json()
    assert [entry["name"] for entry in answer["inputs"]] == [NUMA.name, LSCPU.name, NUMACTL.name]
    assert [entry["kind"] for entry in answer["inputs"]] == ["trace.dat", "topology", "topology"]
    assert answer["timeline"]["topology_source"] == "sidecar"
    assert [node["cpus"] for node in answer["timeline"]["nodes"]] == [[0, 1, 2, 3], [4, 5, 6, 7]]
    assert answer["timeline"]["event_counts"] == counts("cling-2x4-small")


def test_lost_events_are_reported(service: Service) -> None:
    answer = service.get(f"/analyses/{service.analyse(DROPPED)}").json()
    assert answer["inputs"][0]["lost_marks"] == 11
    assert answer["inputs"][0]["lost_events"] > 0


@pytest.mark.parametrize(
    ("name", "content"),
    [("garbage.dat", GARBAGE), ("cut.dat", TRUNCATED), ("empty.dat", b"")],
)
def test_a_hostile_file_fails_with_a_sentence_and_loses_nothing_else(
    service: Service, name: str, content: bytes
) -> None:
    analysis_id = service.analyse(SMALL, (name, content), status="failed")
    error = failure(service, analysis_id)
    assert name in error["sentence"]
    assert error["file"] == name
    assert error["expected"]
    folder = service.services.folder
    assert len(list(folder.blobs.all())) == 2
    assert list(folder.bundles.iterdir()) == []
    # The good file can be analysed again without another look at the bad one.
    service.analyse(SMALL)
    assert len(list(folder.blobs.all())) == 2


def test_a_note_next_to_a_recording_is_set_aside_and_reported(service: Service) -> None:
    analysis_id = service.analyse(SMALL, ("cmd.txt", b"trace-cmd record\n"), status="ready")
    answer = service.get(f"/analyses/{analysis_id}").json()
    assert [entry["name"] for entry in answer["inputs"]] == [SMALL.name]
    assert [note for note in answer["timeline"]["notes"] if "cmd.txt" in note]


def test_notes_alone_are_no_analysis(service: Service) -> None:
    error = failure(service, service.analyse(("cmd.txt", b"trace-cmd record\n"), status="failed"))
    assert "cmd.txt" in error["sentence"]


@pytest.mark.parametrize("cut", [1, 13, 100, 5000, 50_000, 75_000])
def test_a_truncated_recording_never_ends_as_a_server_error(service: Service, cut: int) -> None:
    analysis_id = service.create((f"cut-{cut}.dat", SMALL.read_bytes()[:cut]))
    event, last = service.watch(analysis_id)[-1]
    assert event in {"failed", "ready"}
    if event == "failed":
        assert f"cut-{cut}.dat" in last["error"]["sentence"]


def test_too_many_events_are_refused_by_name_of_the_cap(make_service: MakeService) -> None:
    service = make_service(max_events=100)
    error = failure(service, service.analyse(SMALL, status="failed"))
    assert "100" in error["sentence"]


@pytest.mark.parametrize(
    ("how", "words"),
    [
        ("crash", "SIGSEGV"),
        ("kill", "ran out of memory"),
        ("raise", "server's log"),
        ("exit", "server's log"),
        ("memory", "NUMALENS_JOB_MEMORY_BYTES"),
    ],
)
def test_a_process_that_ends_badly_is_a_sentence(
    make_service: MakeService, misbehaving: Misbehave, monkeypatch: pytest.MonkeyPatch, how: str, words: str
) -> None:
    service = make_service(job_memory_bytes=1 << 29)
    misbehaving(how)
    error = failure(service, service.analyse(SMALL, status="failed"))
    assert words in error["sentence"]
    assert list(service.services.folder.bundles.iterdir()) == []
    # The next job is not harmed.
    monkeypatch.delenv("PYTHONPATH")
    service.analyse(SMALL)


def test_a_process_that_never_ends_is_ended(make_service: MakeService, misbehaving: Misbehave) -> None:
    service = make_service(job_seconds=3)
    misbehaving("wait")
    error = failure(service, service.analyse(SMALL, status="failed"))
    assert "NUMALENS_JOB_SECONDS" in error["sentence"]


def test_a_file_larger_than_allowed_is_refused(make_service: MakeService) -> None:
    service = make_service(job_file_bytes=1000)
    error = failure(service, service.analyse(SMALL, status="failed"))
    assert "NUMALENS_JOB_FILE_BYTES" in error["sentence"]


def test_deleting_ends_the_job(service: Service, misbehaving: Misbehave) -> None:
    misbehaving("wait")
    running, waiting = service.create(SMALL), service.create(NUMA)
    with service.client.stream("GET", f"{API}/analyses/{running}/progress") as response:
        assert response.status_code == 200
    for analysis_id in (running, waiting):
        assert service.client.delete(f"{API}/analyses/{analysis_id}").status_code == 204
        assert service.get(f"/analyses/{analysis_id}").status_code == 404
    folder = service.services.folder
    assert list(folder.bundles.iterdir()) == []
    assert list(folder.uploads.iterdir()) == []
    assert list(folder.blobs.all()) == []


def test_messages_survive_the_pipe() -> None:
    for message in (Step("decoding", 3, 10), Failure("No.", "a.dat", 5, "byte", "more"), Failure("No."), Done()):
        line = encode(message)
        assert "\n" not in line
        assert decode(line.encode()) == message
    cut = Cut("source", from_ns=1, tasks=[7], pseudonyms=True)
    order = Order(
        [("a b.dat", "/x/ä")], "/out", "/scratch", 2, 3, 4, 5, tolerant=True, offsets={"a b.dat": -7}, cut=cut
    )
    assert Order.parse(order.line()) == order


@pytest.mark.parametrize("line", [b"", b"noise", b"[]", b'{"is": "other"}', b"{}"])
def test_noise_is_not_a_message(line: bytes) -> None:
    with pytest.raises(ValueError, match=r"not a message|Expecting value"):
        decode(line)


def test_every_watcher_is_woken() -> None:
    async def watch() -> None:
        board = ProgressBoard()
        with board.watch("a") as one, board.watch("a") as two, board.watch("b") as other:
            board.publish("a", Step("decoding", 1, 2))
            assert one.is_set()
            assert two.is_set()
            assert not other.is_set()
            assert board.step("a") == Step("decoding", 1, 2)
            board.publish("a", None)
            assert board.step("a") is None
        board.publish("a", Step("decoding", 2, 2))
        assert not board._watchers

    asyncio.run(watch())


def test_every_kind_of_recording_of_one_load_tells_the_same(service: Service) -> None:
    texts = FIXTURES / "text"
    twins = [FIXTURES / "perfetto" / "tc-small.pftrace", texts / "tc-small.report.txt.zst", SMALL]
    for path, kind in zip(twins, ("perfetto", "ftrace-text", "trace.dat"), strict=True):
        answer = service.get(f"/analyses/{service.analyse(path)}").json()
        assert [entry["kind"] for entry in answer["inputs"]] == [kind]
        assert answer["timeline"]["event_counts"] == counts("tc-small"), kind


def test_a_bomb_is_refused_and_leaves_nothing(make_service: MakeService) -> None:
    service = make_service(max_bundle_bytes=1_000_000)
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as archive:
        member = tarfile.TarInfo("trace.dat")
        member.size = 50_000_000
        archive.addfile(member, io.BytesIO(bytes(member.size)))
    error = failure(service, service.analyse(("bomb.tgz", packed.getvalue()), status="failed"))
    assert error["sentence"].startswith("bomb.tgz: ")
    assert "1000000" in error["sentence"].replace(",", "")
    assert list(service.services.folder.bundles.iterdir()) == []


def test_an_archive_larger_than_a_file_may_be_is_refused(make_service: MakeService) -> None:
    service = make_service(job_file_bytes=50_000)
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w:gz") as archive:
        archive.add(SMALL, "trace.dat")
    error = failure(service, service.analyse(("x.tgz", packed.getvalue()), status="failed"))
    assert "NUMALENS_JOB_FILE_BYTES" in error["sentence"]
    assert list(service.services.folder.bundles.iterdir()) == []
