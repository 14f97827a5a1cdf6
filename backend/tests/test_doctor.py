"""`numalens doctor`: what it finds, what it says to do, and that it changes nothing."""

import json
import os
import resource
import sqlite3
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from numalens.cli import doctor
from numalens.cli.doctor import Found
from numalens.settings import GIB, Settings
from numalens.store.folder import DATABASE, DataFolder
from tests import command

Make = Callable[..., Settings]


@pytest.fixture
def made(tmp_path: Path) -> Make:
    make_data(tmp_path / "data")
    return lambda **chosen: Settings(**{"data": tmp_path / "data", **chosen})


def make_data(folder: Path) -> None:
    """As a server does."""
    before = os.umask(0o077)
    with DataFolder(folder):
        pass
    os.umask(before)


def by_state(found: list[Found]) -> dict[str, str]:
    """The sentences by state, with what to do; nothing is to be done about what is well."""
    assert all(bool(one.remedy) == (one.state != "ok") for one in found), found
    return {one.state: f"{one.sentence} {one.remedy}" for one in found}


def contents(folder: Path) -> dict[str, tuple[int, int]]:
    return {str(path): (path.stat().st_size, path.stat().st_mtime_ns) for path in folder.rglob("*")}


def test_a_machine_that_is_ready_is_left_as_it_was(tmp_path: Path) -> None:
    data = tmp_path / "data"
    make_data(data)
    before = contents(tmp_path)
    found = json.loads(command.run("doctor", "--json", "-", "--data", data).stdout)
    assert {one["check"] for one in found} == set(doctor.CHECKS)
    assert "problem" not in {one["state"] for one in found}
    lines = command.run("doctor", "--data", tmp_path / "other").stdout.decode().splitlines()
    assert any(line.split()[:2] == ["ok", "permissions"] and "does not exist yet" in line for line in lines)
    assert contents(tmp_path) == before


def test_a_machine_on_which_no_server_works_ends_with_status_1(tmp_path: Path) -> None:
    (tmp_path / DATABASE).write_bytes(b"no database" * 1000)
    ended = command.run("doctor", "--data", tmp_path, status=1)
    lines = ended.stdout.decode().splitlines()
    at = next(at for at, line in enumerate(lines) if line.split()[:2] == ["problem", "database"])
    assert "is damaged: file is not a database." in lines[at]
    assert lines[at + 1].strip() == "Do: restore a backup: numalens restore"
    assert ended.stderr == b""


def test_permissions(made: Make, tmp_path: Path) -> None:
    data = tmp_path / "data"
    assert list(by_state(list(doctor.permissions(made())))) == ["ok"]
    (data / DATABASE).chmod(0o640)
    assert f"may read {data / DATABASE}." in by_state(list(doctor.permissions(made())))["warning"]
    (tmp_path / "file").touch()
    assert "is not writable" in by_state(list(doctor.permissions(made(data=tmp_path / "file"))))["problem"]
    if os.geteuid() == 0:
        (data / DATABASE).chmod(0o600)
        os.chown(data, 65534, -1)
        assert "belongs to user 65534" in by_state(list(doctor.permissions(made())))["warning"]


def test_limits(made: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    hard = {resource.RLIMIT_NOFILE: 512, resource.RLIMIT_DATA: GIB, resource.RLIMIT_FSIZE: resource.RLIM_INFINITY}
    monkeypatch.setattr(resource, "getrlimit", lambda number: (hard[number], hard[number]))
    monkeypatch.setattr(resource, "setrlimit", lambda *_: None)
    monkeypatch.setattr(doctor, "_memory_bytes", lambda: 2 * GIB)
    few, memory, together = doctor.limits(made())
    assert (few.state, few.sentence.endswith("may open 512 files.")) == ("warning", True)
    assert "LimitNOFILE" in few.remedy
    assert (memory.state, "lower NUMALENS_JOB_MEMORY_BYTES" in memory.remedy) == ("problem", True)
    assert (together.state, together.sentence) == (
        "warning",
        "Imports and queries may take 9.0 GiB of memory together; there are 2.0 GiB.",
    )


def test_the_memory_is_that_of_the_machine_or_less() -> None:
    assert 0 < doctor._memory_bytes() <= os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


@pytest.mark.parametrize(("how", "state"), [("auto", "warning"), ("require", "problem")])
def test_what_the_kernel_lacks(how: str, state: str, made: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doctor, "host_layers", lambda: ("seccomp",))
    found = list(doctor.kernel(made(confine=how)))
    assert [one.state for one in found] == [state, state, "ok"]
    assert "without landlock" in found[0].sentence
    assert "lsm=" in found[0].remedy
    assert "without namespaces" in found[1].sentence
    (off,) = doctor.kernel(made(confine="off"))
    assert (off.state, off.remedy) == ("warning", "unset NUMALENS_CONFINE")


def test_who_forbids_namespaces(tmp_path: Path) -> None:
    for name, (value, _) in doctor.SYSCTLS.items():
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"{1 - int(value)}\n")
    assert "seccomp profile" in doctor._namespaces_remedy(tmp_path)
    (tmp_path / "user/max_user_namespaces").write_text("0\n")
    assert doctor._namespaces_remedy(tmp_path) == "sysctl user.max_user_namespaces=1000"


def test_disk_and_clock(made: Make, monkeypatch: pytest.MonkeyPatch) -> None:
    (full,) = doctor.disk(made(min_free_bytes=1 << 60))
    assert (full.state, "NUMALENS_KEEP_DAYS" in full.remedy) == ("problem", True)
    (roomy,) = doctor.disk(made(min_free_bytes=0))
    assert roomy.state == "ok"
    for state, expected in ((0, "ok"), (doctor.TIME_ERROR, "warning"), (-1, "ok")):
        monkeypatch.setattr(doctor, "_clock_state", lambda state=state: state)
        (found,) = doctor.clock(made())
        assert found.state == expected
    monkeypatch.setattr(time, "time", lambda: 0.0)
    assert [one.state for one in doctor.clock(made())] == ["problem", "ok"]


def test_database_and_bucket(made: Make, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # Also while a server has it.
    with sqlite3.connect(tmp_path / "data" / DATABASE) as other:
        other.execute("BEGIN EXCLUSIVE")
        assert list(by_state(list(doctor.database(made())))) == ["ok"]
    away = list(doctor.database(made(database="postgresql://127.0.0.1:1/x")))
    assert "does not answer" in by_state(away)["problem"]
    assert [one.state for one in doctor.bucket(made())] == ["ok"]
    for name in ("AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY"):
        monkeypatch.setenv(name, "x")
    monkeypatch.setenv("AWS_ENDPOINT", "http://127.0.0.1:1")
    monkeypatch.setenv("AWS_ALLOW_HTTP", "true")
    found: list[Any] = list(doctor.bucket(made(store="s3://numalens/x")))
    assert "NUMALENS_STORE" in by_state(found)["problem"]
