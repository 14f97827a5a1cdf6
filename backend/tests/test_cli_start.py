"""The command line starts fast: a command's module, and what it imports, is loaded only when that command runs."""

import json
import os
import subprocess
import sys
from importlib import import_module

import pytest
from typer.testing import CliRunner

from numalens.cli.main import COMMANDS, app

HEAVY = {
    *(
        "fastapi",
        "starlette",
        "uvicorn",
        "pydantic",
        "sqlalchemy",
        "alembic",
        "duckdb",
        "pyarrow",
        "dask",
        "distributed",
    ),
    *("wasmtime", "obstore", "psycopg", "rich", "asyncio", "numalens_native"),
}
LIGHT = {
    "numalens",
    "numalens.errors",
    "numalens.folders",
    "numalens.text",
    *(f"numalens.cli{name}" for name in ("", ".app", ".config", ".main", ".plain", ".usage", ".verbosity")),
}


@pytest.mark.parametrize("arguments", [["--help"], ["--version"], []])
def test_help_and_version_load_nothing_heavy(arguments: list[str]) -> None:
    script = (
        "import atexit, json, sys; from numalens.cli.main import main;"
        " atexit.register(lambda: print('\\n' + json.dumps(sorted(sys.modules)))); main()"
    )
    command = [sys.executable, "-c", script, *arguments]
    ended = subprocess.run(command, capture_output=True, check=False)
    loaded = set(json.loads(ended.stdout.splitlines()[-1]))
    assert not loaded & HEAVY
    assert {name for name in loaded if name.partition(".")[0] == "numalens"} == LIGHT


@pytest.mark.parametrize("name", COMMANDS)
def test_every_command_has_the_help_that_the_list_says(name: str) -> None:
    shown = CliRunner().invoke(import_module(f"numalens.cli.{name}").app, ["--help"])
    assert shown.exit_code == 0
    assert " ".join(COMMANDS[name].split()) in " ".join(shown.output.split())
    assert f"{name} " in CliRunner().invoke(app, ["--help"]).output


def test_all_but_workers_does_without_the_extra_for_clusters() -> None:
    script = """
import os, sys
sys.modules.update({"dask": None, "distributed": None})
import numalens.api.app, numalens.cli.server, numalens.cli.fleet, numalens.cli.analyze
from numalens.cli import main
sys.argv = ["numalens", *sys.argv[1:]]
main.main()
"""

    def run(*arguments: str) -> subprocess.CompletedProcess[str]:
        environment = {**os.environ, "NUMALENS_SCHEDULER": "tcp://127.0.0.1:1"}
        command = [sys.executable, "-c", script, *arguments]
        return subprocess.run(command, capture_output=True, check=False, text=True, env=environment)

    assert run("worker", "--help").returncode == 0
    for arguments in (["worker", "--scheduler", "tcp://127.0.0.1:1"], ["serve", "--port", "0"]):
        ended = run(*arguments)
        assert ended.returncode == 2
        assert "Value error" not in ended.stderr
        assert ended.stderr.count("\n") == 1
        assert "the extra cluster: npm run setup -- --all" in ended.stderr
