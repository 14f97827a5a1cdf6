"""What a process that reads files can no longer do, and that reading works all the same."""

import asyncio
import json
import os
import signal
import socket
import subprocess
import sys
import tempfile
from contextlib import suppress
from pathlib import Path
from typing import Any

import httpx2
import numalens_native as native
import pytest

from numalens import folders
from numalens.cli import server
from numalens.cli.settings import settings_of
from numalens.cli.usage import UsageError
from numalens.sandbox import confine as confine_module
from numalens.sandbox.child import gone, started
from numalens.sandbox.confine import LAYERS, ConfinementError, check_required, confine
from tests.conftest import MakeService, Misbehave
from tests.recordings import SMALL
from tests.until import until

SCRIPT = """
import ctypes, fcntl, json, os, resource, signal, socket, subprocess, sys, threading
from pathlib import Path
from numalens.sandbox.confine import confine

given = json.loads(sys.argv[1])
layers = confine("auto", read=[given["input"]], write=[given["out"]], program=given.get("program"))
libc = ctypes.CDLL(None, use_errno=True)

def call(number, *arguments):
    if libc.syscall(number, *arguments) < 0:
        raise OSError(ctypes.get_errno(), "refused")

def tcp():
    socket.create_connection(("127.0.0.1", given["port"]), timeout=5).close()

def unix():
    with socket.socket(socket.AF_UNIX) as one:
        one.connect(given["socket"])

def fork():
    if os.fork() == 0:
        os._exit(0)

def outlive():
    if libc.prctl(1, 0, 0, 0, 0) < 0:
        raise OSError(ctypes.get_errno(), "refused")

tries = {
    "read the input": lambda: Path(given["input"]).read_bytes(),
    "write to the output": lambda: Path(given["out"], "new").write_text("x"),
    "rename in the output": lambda: Path(given["out"], "new").rename(Path(given["out"], "newer")),
    "remove from the output": lambda: Path(given["out"], "newer").unlink(),
    "start a thread": lambda: threading.Thread(target=lambda: None).start(),
    "limit itself": lambda: resource.setrlimit(resource.RLIMIT_CORE, (0, 0)),
    "renice itself": lambda: os.nice(1),
    "read another's file": lambda: Path(given["other"]).read_bytes(),
    "read another's file through a link": lambda: Path(given["link"]).read_bytes(),
    "list the folder above": lambda: os.listdir(Path(given["other"]).parent),
    "read the users": lambda: Path("/etc/passwd").read_bytes(),
    "read the parent's memory map": lambda: Path("/proc", str(given["parent"]), "maps").read_bytes(),
    "change the input": lambda: Path(given["input"]).open("r+b"),
    "cut the input": lambda: os.truncate(given["input"], 0),
    "remove the input": lambda: os.unlink(given["input"]),
    "write beside the output": lambda: Path(given["other"] + ".new").write_text("x"),
    "write code": lambda: Path(given["code"]).write_text("x"),
    "link the output elsewhere": lambda: os.symlink("/etc", Path(given["out"], "away")),
    "make a pipe in the output": lambda: os.mkfifo(Path(given["out"], "pipe")),
    "reach the network": tcp,
    "reach a socket of this machine": unix,
    "start a program": lambda: os.execv("/bin/true", ["true"]),
    "make a process": fork,
    "signal the parent": lambda: os.kill(given["parent"], 0),
    "signal a group": lambda: os.kill(0, 0),
    "queue a signal to the parent": lambda: call(given["sigqueue"], given["parent"], 0, ctypes.create_string_buffer(128)),
    "have a signal sent": lambda: fcntl.fcntl(0, fcntl.F_SETOWN, given["parent"]),
    "limit the parent": lambda: resource.prlimit(given["parent"], resource.RLIMIT_NOFILE),
    "renice the parent": lambda: os.setpriority(os.PRIO_PROCESS, given["parent"], 19),
    "renice all of this user": lambda: os.setpriority(os.PRIO_USER, 0, 19),
    "pin the parent": lambda: os.sched_setaffinity(given["parent"], os.sched_getaffinity(0)),
    "share memory": lambda: call(given["shmget"], 0, 4096, 0o1600),
    "change the input's mode": lambda: os.chmod(given["input"], 0o777),
    "change another's mode": lambda: os.chmod(given["other"], 0o777),
    "change another's owner": lambda: os.chown(given["other"], os.getuid(), os.getgid()),
    "change another's times": lambda: os.utime(given["other"], (1, 1)),
    "mark another's file": lambda: os.setxattr(given["other"], "user.mark", b"x"),
    "change the mode of an open file": lambda: os.chmod(os.open(given["input"], os.O_RDONLY), 0o777),
    "enter a namespace": lambda: call(given["unshare"], 0x10000000),
    "become somebody": lambda: os.setuid(12345),
    "leave its group": lambda: os.setpgid(0, 0),
    "leave its session": os.setsid,
    "outlive its parent": outlive,
}
program = given.get("program")
if program is not None:
    # It would take this process's place.
    del tries["start a program"]
told = {}
for name, attempt in tries.items():
    try:
        attempt()
        told[name] = "done"
    except OSError as error:
        told[name] = "refused"
if program is not None:
    shown = lambda path: subprocess.run([program, path], capture_output=True).stdout.decode()
    told["by the program"] = [shown(given["input"]), shown(given["other"])]
print(json.dumps([layers, told]))
"""
WORK = [
    "read the input",
    "write to the output",
    "rename in the output",
    "remove from the output",
    "start a thread",
    "limit itself",
    "renice itself",
]
# Numbers of system calls: unshare, rt_sigqueueinfo, shmget.
NUMBERS = {"x86_64": (272, 129, 29), "aarch64": (97, 138, 194)}


def tried(tmp_path: Path, **more: Any) -> tuple[list[str], dict[str, Any]]:
    """The layers in force in a confined process, and what came of each of its tries."""
    for folder in ("in", "out", "others"):
        (tmp_path / folder).mkdir()
    (tmp_path / "in" / "trace").write_text("trace")
    (tmp_path / "others" / "trace").write_text("somebody else's")
    (tmp_path / "out" / "link").symlink_to(tmp_path / "others" / "trace")
    with socket.create_server(("127.0.0.1", 0)) as tcp, socket.socket(socket.AF_UNIX) as unix:
        unix.bind(str(tmp_path / "socket"))
        unix.listen()
        given = {
            "input": str(tmp_path / "in" / "trace"),
            "out": str(tmp_path / "out"),
            "other": str(tmp_path / "others" / "trace"),
            "link": str(tmp_path / "out" / "link"),
            "code": str(Path(native.__file__ or "").with_name("planted.py")),
            "parent": os.getpid(),
            "port": tcp.getsockname()[1],
            "socket": str(tmp_path / "socket"),
            **dict(zip(("unshare", "sigqueue", "shmget"), NUMBERS[os.uname().machine], strict=True)),
            **more,
        }
        done = subprocess.run(
            [sys.executable, "-c", SCRIPT, json.dumps(given)], capture_output=True, text=True, check=False, timeout=60
        )
    assert done.returncode == 0, done.stderr
    layers, result = json.loads(done.stdout)
    assert not Path(given["code"]).exists()
    assert (tmp_path / "in" / "trace").read_text() == "trace"
    return layers, result


def test_what_is_not_needed_is_refused(tmp_path: Path) -> None:
    layers, result = tried(tmp_path)
    if not set(LAYERS) <= set(layers):
        pytest.skip(f"the kernel of this machine has only {layers or 'none'} of {LAYERS}")
    assert {name: what for name, what in result.items() if (what == "done") != (name in WORK)} == {}


def test_an_operators_program_may_be_started_and_is_confined_too(tmp_path: Path) -> None:
    program = tmp_path / "program"
    program.write_bytes(Path("/bin/cat").read_bytes())
    program.chmod(0o755)
    layers, result = tried(tmp_path, program=str(program))
    if not set(LAYERS) <= set(layers):
        pytest.skip(f"the kernel of this machine has only {layers or 'none'} of {LAYERS}")
    assert result["by the program"] == ["trace", ""]
    assert result["reach the network"] == result["read another's file"] == result["signal the parent"] == "refused"


@pytest.mark.parametrize("has", [[], ["seccomp"], ["landlock", "namespaces"], ["landlock", "seccomp"]])
def test_a_host_without_what_is_required_is_reported(
    has: list[str], make_service: MakeService, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    missing = [layer for layer in LAYERS if layer not in has]
    with pytest.raises(ConfinementError, match=f"NUMALENS_CONFINE=require.*lacks {' and '.join(missing)};"):
        check_required(has)
    for module in (confine_module, server):
        monkeypatch.setattr(module, "host_layers", lambda: tuple(has))
    # It is no reason not to send requests here.
    ready = make_service().client.get("/readyz")
    assert ready.status_code == 200
    assert f"without {' and '.join(missing)}, which this host does not have" in ready.json()["confinement"]
    monkeypatch.setenv("NUMALENS_CONFINE", "require")
    with pytest.raises(UsageError, match=f"lacks {' and '.join(missing)};"):
        server.run("127.0.0.1", 0, settings_of(data=tmp_path / "never"), lambda _: [], lambda *_: None)
    assert not (tmp_path / "never").exists()


def test_what_a_host_lacks_is_logged_once(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "numalens", "serve", "--port", "0", "--data", str(tmp_path / "data")]
    environment = os.environ | {"NUMALENS_CONFINE": "off"}
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env=environment
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        address = process.stdout.readline().split()[-1]
        first = process.stderr.readline()
        for _ in range(2):
            ready = httpx2.get(f"{address}readyz", trust_env=False, timeout=60).json()
            assert ready["confinement"] in first
        process.send_signal(signal.SIGINT)
        assert "not confined (NUMALENS_CONFINE=off)" in first
        assert "confine" not in process.stderr.read()


def test_off_takes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    def never(**_: object) -> list[str]:
        raise AssertionError

    monkeypatch.setattr(native, "confine", never)
    monkeypatch.setattr(confine_module, "enter_namespaces", never)
    assert confine("off", read=[], write=[]) == []


ALONE = """
import os, signal, sys
from numalens.sandbox.namespaces import enter_namespaces

if not enter_namespaces():
    sys.exit(100)
print(os.getpid(), open("/proc/net/dev").read().count(":"), flush=True)
if sys.argv[1] == "wait":
    signal.pause()
os.kill(os.getpid(), int(sys.argv[1])) if int(sys.argv[1]) else sys.exit(7)
"""


@pytest.mark.parametrize(("how", "status"), [("0", 7), ("9", -9), ("11", -11), ("6", -6)])
def test_a_process_in_its_own_namespaces_ends_as_it_would_without(how: str, status: int) -> None:
    done = subprocess.run([sys.executable, "-c", ALONE, how], capture_output=True, text=True, check=False)
    if done.returncode == 100:
        pytest.skip("this machine allows no namespaces")
    assert done.returncode == status, done.stderr
    # The second of its processes, and no network device but the loopback.
    assert done.stdout.split() == ["2", "1"]


def test_all_of_a_processs_namespaces_end_with_it() -> None:
    async def work() -> None:
        process = await started([sys.executable, "-c", ALONE, "wait"])
        assert process.stdout is not None
        if not await process.stdout.readline():
            pytest.skip("this machine allows no namespaces")
        # The one in between closes its own, at the time at which the other begins its work.
        until(lambda: len(with_files_open(process.pid)) == 2)
        await gone(process)
        assert process.returncode == -signal.SIGKILL
        assert with_files_open(process.pid) == []

    asyncio.run(work())


def with_files_open(group: int) -> list[str]:
    """The processes of a group that have not yet ended so far that they have no file open."""
    found = []
    for process in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            of = int((process / "stat").read_text().rpartition(")")[2].split()[2])
            if of == group and list((process / "fd").iterdir()):
                found.append(process.name)
    return found


@pytest.mark.parametrize("how", ["require", "off"])
def test_recordings_are_read_and_queries_answered(how: str, tmp_path: Path, make_service: MakeService) -> None:
    layers, _ = tried(tmp_path)
    if how == "require" and not set(LAYERS) <= set(layers):
        pytest.skip(f"the kernel of this machine has only {layers or 'none'} of {LAYERS}")
    service = make_service(confine=how)
    analysis = service.analyse(SMALL)
    answer = service.client.post(f"/api/v1/analyses/{analysis}/sql", json={"sql": "select count(*) as n from sched"})
    assert answer.status_code == 200, answer.text


@pytest.mark.parametrize("how", ["auto", "off"])
def test_the_processes_of_a_service_are_confined(
    how: str, tmp_path: Path, make_service: MakeService, misbehaving: Misbehave
) -> None:
    """They try to read the machine's list of users, and end when they get it."""
    layers, _ = tried(tmp_path)
    if "landlock" not in layers:
        pytest.skip("the kernel of this machine has no Landlock")
    service = make_service(confine=how)
    analysis = service.analyse(SMALL)
    misbehaving("reach")
    service.analyse(SMALL, status="ready" if how == "auto" else "failed")
    answer = service.client.post(f"/api/v1/analyses/{analysis}/sql", json={"sql": "select 1 as one"})
    assert (answer.status_code == 200) == (how == "auto"), answer.text


HOMELESS = """
import pwd
from numalens.sandbox.confine import confine
from numalens.folders import cache_folder

# As whoever confines itself does, to read what is there.
confine("auto", read=[str(cache_folder())], write=[])
# Some libraries answer for some users without /etc/passwd.
pwd.getpwuid = {}.__getitem__
print(cache_folder())
"""


def test_the_cache_is_found_where_no_variable_tells_of_a_home() -> None:
    environment = {
        name: value for name, value in os.environ.items() if name not in {"HOME", "XDG_CACHE_HOME", "NUMALENS_CACHE"}
    }
    command = [sys.executable, "-c", HOMELESS]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert Path(done.stdout.strip()) == Path("~/.cache/numalens").expanduser()


def test_the_cache_of_a_user_without_any_home_is_a_temporary_one(monkeypatch: pytest.MonkeyPatch) -> None:
    def nobody(*_: object) -> Path:
        raise RuntimeError

    for name in ("XDG_CACHE_HOME", "NUMALENS_CACHE"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr(Path, "home", nobody)
    folders._home.cache_clear()
    try:
        assert folders.cache_folder().name == "numalens"
        assert Path(tempfile.gettempdir()) in folders.cache_folder().parents
    finally:
        folders._home.cache_clear()
