"""The conventions that all commands keep: the same options for the same things, and a help that says how a command ends."""

import os
import pty
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command

from numalens.cli.app import EXITS
from numalens.cli.main import COMMANDS, app
from numalens.cli.output import output
from tests.command import call, run
from tests.recordings import FIXTURES, NUMA, SMALL


def commands() -> Iterator[tuple[tuple[str, ...], Any]]:
    """Every command with the words that call it."""
    root = get_command(app)
    context = root.make_context("numalens", [], resilient_parsing=True)
    yield (), root
    for name in COMMANDS:
        _, command, _ = root.resolve_command(context, [name])  # type: ignore[attr-defined]
        yield (name,), command
        for inner, part in getattr(command, "commands", {}).items():
            yield (name, inner), part


ALL = dict(commands())


@pytest.mark.parametrize("words", ALL, ids=" ".join)
def test_every_command_has_the_common_options_and_says_how_it_ends(words: tuple[str, ...]) -> None:
    command = ALL[words]
    options = {name for param in command.params for name in param.opts}
    assert {"-q", "--quiet", "-v", "--verbose"} <= options
    short, _ = call(*words, "-h")
    assert short == call(*words, "--help")[0]
    ends = " ".join(short.partition("Exit status:")[2].split())
    for status, meaning in EXITS.items():
        assert f"{status} {meaning}" in ends
    assert "unless given" not in short


def test_the_status_of_a_failed_check_is_in_its_help() -> None:
    assert "4  A threshold is exceeded" in call("check", "-h")[0]


@pytest.mark.parametrize("words", ALL, ids=" ".join)
def test_options_of_the_same_purpose_have_one_name(words: tuple[str, ...]) -> None:
    for param in ALL[words].params:
        if param.param_type_name != "option":
            continue
        names = set(param.opts)
        assert names & {"--from-ns", "--to-ns", "--begin", "--start", "--end", "--csv", "--output"} == set()
        if "--json" in names:
            assert (param.metavar, param.is_flag) == ("FILE", False)
        if {"--from", "--to"} & names:
            assert param.metavar in {"NS", "DATE"}


def completed(line: str, **environment: str) -> list[str]:
    words = line.split(" ")
    request = {"_NUMALENS_COMPLETE": "complete_bash", "COMP_WORDS": line, "COMP_CWORD": str(len(words) - 1)}
    command = [sys.executable, "-m", "numalens"]
    ended = subprocess.run(
        command, capture_output=True, check=True, text=True, env={**os.environ, **request, **environment}
    )
    return ended.stdout.split()


def test_a_shell_completes_commands_options_and_values() -> None:
    assert completed("numalens an") == ["analyze"]
    assert completed("numalens analyze --to") == ["--topology", "--to", "--tolerant"]
    assert completed("numalens fleet metric --by k") == ["kernel"]


@pytest.mark.parametrize("to", [("--to", "pftrace"), ("--format", "pftrace")])
def test_convert_takes_a_format_by_either_name(to: tuple[str, str]) -> None:
    assert run("convert", SMALL, *to).stdout == run("convert", SMALL).stdout


def test_the_end_of_a_conversion_is_a_number_next_to_a_format() -> None:
    whole = run("convert", SMALL).stdout
    begin = int(run("events", SMALL, "--type", "sched_switch").stdout.split(b"\n")[1].split(b",")[0])
    part = run("convert", SMALL, "--to", "pftrace", "--to", str(begin + 1_000_000)).stdout
    assert 0 < len(part) < len(whole)
    said = run("convert", SMALL, "--to", "csv", status=2).stderr
    assert said == b"numalens: --to csv: expected a whole number of ns, or a format: pftrace, html\n"


def test_a_command_that_fails_leaves_no_file(tmp_path: Path) -> None:
    new, old = tmp_path / "new.csv", tmp_path / "old.csv"
    old.write_text("before")
    for out in (new, old):
        with pytest.raises(RuntimeError), output(out) as write:  # noqa: PT012  (a block that fails late)
            write(b"part")
            raise RuntimeError
    assert not new.exists()
    assert old.exists()


def terminal(*arguments: str, **environment: str) -> bytes:
    """Standard error of a command whose standard error is a terminal."""
    leader, follower = pty.openpty()
    command = [sys.executable, "-m", "numalens", *arguments]
    with subprocess.Popen(
        command, stdout=subprocess.DEVNULL, stderr=follower, env={**os.environ, "TERM": "xterm", **environment}
    ):
        os.close(follower)
        shown = b""
        try:
            while piece := os.read(leader, 1 << 16):
                shown += piece
        except OSError:
            pass
    os.close(leader)
    return shown


def test_a_quiet_command_prints_no_progress() -> None:
    assert b"%" in terminal("analyze", str(NUMA))
    assert terminal("analyze", str(NUMA), "--quiet") == b""
    assert terminal("--quiet", "analyze", str(NUMA)) == b""


def test_a_quiet_command_still_prints_errors() -> None:
    assert run("-q", "check", "a", status=2).stderr.startswith(b"numalens: expected --against")


def test_a_verbose_command_prints_stages_and_tracebacks() -> None:
    stages = run("analyze", SMALL, "-v").stderr.decode().splitlines()
    assert stages
    assert all(stage.endswith(" s") and ": " in stage for stage in stages)
    usual = run("analyze", FIXTURES / "missing", status=3).stderr
    verbose = run("analyze", FIXTURES / "missing", "-v", status=3).stderr
    assert b"Traceback" not in usual
    assert verbose.startswith(b"Traceback")
    assert verbose.splitlines()[-1] == usual.splitlines()[-1]
