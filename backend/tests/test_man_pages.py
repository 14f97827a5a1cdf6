"""The man pages, which are made of the help."""

import importlib.util
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest

from numalens.cli.main import COMMANDS
from tests.recordings import ROOT

SCRIPT = ROOT / "scripts" / "package" / "man_pages.py"


@pytest.fixture(scope="module")
def pages() -> dict[str, str]:
    spec = importlib.util.spec_from_file_location("man_pages", SCRIPT)
    assert spec is not None
    assert spec.loader is not None
    module: Any = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    made: dict[str, str] = module.pages()
    return made


def test_every_command_has_a_page(pages: dict[str, str]) -> None:
    assert {"numalens.1", "numalens-fleet-metric.1", *(f"numalens-{name}.1" for name in COMMANDS)} <= pages.keys()
    for text in pages.values():
        headings = [line.removeprefix(".SH ") for line in text.splitlines() if line.startswith(".SH ")]
        assert headings[:3] == ["NAME", "SYNOPSIS", "DESCRIPTION"]
        assert headings[-1] == "SEE ALSO"
        assert {"OPTIONS", "EXIT STATUS"} <= set(headings)
    assert "config.toml" in pages["numalens.1"]
    assert "A threshold is exceeded" in pages["numalens-check.1"]


@pytest.mark.skipif(shutil.which("groff") is None, reason="groff is not installed")
def test_a_page_is_set_without_a_warning(pages: dict[str, str], tmp_path: Path) -> None:
    for name, text in pages.items():
        (tmp_path / name).write_text(text)
    command = ["groff", "-man", "-ww", "-Tutf8", *sorted(map(str, tmp_path.iterdir()))]
    ended = subprocess.run(command, capture_output=True, check=True, text=True)
    assert ended.stderr == ""
    # Bold letters are printed twice.
    shown = " ".join(re.sub(r".\x08", "", ended.stdout).split())
    assert "--psi-rules" in shown
    assert "`sample` is a recording" in shown
