"""Links and commands of the documentation, the recipe of docs/api.md, and the tests that SECURITY.md names."""

import hashlib
import json
import re
import shlex
import shutil
import subprocess
from collections.abc import Iterator
from importlib import import_module
from itertools import pairwise, takewhile
from pathlib import Path
from typing import Any

import pytest
from typer.main import get_command

from numalens.cli.main import COMMANDS
from tests.command import run
from tests.live import live_server
from tests.recordings import NUMA, SMALL

ROOT = Path(__file__).parents[2]
DOCS = ROOT / "docs"
RECIPE = DOCS / "api.md"
PAGES = sorted([*ROOT.glob("*.md"), *DOCS.rglob("*.md")])
CURRENT = [page for page in PAGES if page.parent in {ROOT, DOCS}]
CODE = re.compile(r"^```.*?^```|^(?: {4}|\t).*?$", re.DOTALL | re.MULTILINE)
COMMAND = re.compile(rf"(?:^|[\s/])numalens ((?:{'|'.join(COMMANDS)})(?![\w-]).*)")
MOST_WORDS = 1500
MOST_README_LINES = 120
OPTION = re.compile(r"(?<=\s)--[a-z][\w-]*")


def page_name(path: Path) -> str:
    return str(path.relative_to(ROOT))


def anchors(text: str) -> set[str]:
    """The fragments of a page: its headings as GitHub names them, and its own ids."""
    prose = CODE.sub("", text)
    headings = re.findall(r"^#+ +(.+?) *$", prose, re.MULTILINE)
    names = {
        re.sub(r"[^\w\- ]", "", re.sub(r"\[(.*?)\]\(.*?\)", r"\1", each).lower()).replace(" ", "-") for each in headings
    }
    return names | set(re.findall(r'<a id="([^"]+)"', prose))


def test_pages_are_as_short_as_they_must_be() -> None:
    """Pages that the table of contents calls references may be longer, as may those that are generated."""
    contents = (ROOT / "docs" / "README.md").read_text()
    references = {*re.findall(r"\((\w+\.md)\) \|[^\n|]*\(reference\)", contents), "catalogue.md"}
    words = {page.name: len(page.read_text().split()) for page in (ROOT / "docs").glob("*.md")}
    assert {"glossary.md", "python.md"} < references
    assert {name: count for name, count in words.items() if count > MOST_WORDS and name not in references} == {}
    assert len((ROOT / "README.md").read_text().splitlines()) <= MOST_README_LINES


@pytest.mark.parametrize("page", PAGES, ids=page_name)
def test_links_lead_to_files_and_headings(page: Path) -> None:
    prose = re.sub(r"`[^`\n]*`", "", CODE.sub("", page.read_text()))
    broken = []
    for link in re.findall(r"\]\(([^()\s]+)\)", prose):
        if "://" in link:
            continue
        path, _, fragment = link.partition("#")
        target = page.parent / path if path else page
        if not target.exists() or (fragment and fragment not in anchors(target.read_text())):
            broken.append(link)
    assert broken == []


def shell_examples(text: str) -> Iterator[list[str]]:
    """The words of each numalens command in blocks of code, without what the shell does next."""
    for block in CODE.findall(text):
        for command in COMMAND.findall(block):
            words = shlex.shlex(command, posix=True, punctuation_chars="&|;")
            words.whitespace_split = True
            yield list(takewhile(lambda word: not set(word) <= set("&|;"), words))


def parser_of(words: list[str]) -> tuple[Any, list[str]]:
    """The parser of a command, or of one below it, and the rest of the words."""
    parser: Any = get_command(import_module(f"numalens.cli.{words[0]}").app)
    rest = words[1:]
    below = getattr(parser, "commands", {})
    return (below[rest[0]], rest[1:]) if below and rest and not rest[0].startswith("-") else (parser, rest)


def parse(words: list[str]) -> None:
    """Parses a command line as `numalens` does, without running it. Raises an error for an option or a value that is wrong."""
    parser, arguments = parser_of(words)
    parser.make_context(words[0], arguments)


@pytest.mark.parametrize("page", CURRENT, ids=page_name)
def test_commands_and_their_options_exist(page: Path) -> None:
    text = page.read_text()
    for words in shell_examples(text):
        parse(words)
    for code in re.findall(r"`([^`\n]+)`", CODE.sub("", text)):
        for command in COMMAND.findall(code):
            parser, _ = parser_of(command.split())
            known = {option for parameter in parser.params for option in parameter.opts}
            assert set(OPTION.findall(command.partition(" -- ")[0])) - {"--help"} <= known, command
    packages = (ROOT / "package.json", ROOT / "frontend" / "package.json")
    scripts = {script for package in packages for script in json.loads(package.read_text())["scripts"]}
    assert set(re.findall(r"npm run ([a-z:]+)", text)) <= scripts


def table_examples() -> list[str]:
    """The examples of docs/commands.md."""
    rows = re.findall(r"^\| `.+\| `numalens (.+)` \|$", (DOCS / "commands.md").read_text(), re.MULTILINE)
    assert {row.split()[0] for row in rows} >= COMMANDS.keys() - {"restore"}
    return rows


@pytest.mark.parametrize("example", table_examples())
def test_examples_of_commands_are_valid(example: str) -> None:
    parse(shlex.split(example))


READING = ("analyze", "events", "compare", "check", "query", "convert")


@pytest.mark.parametrize("example", [each for each in table_examples() if each.split()[0] in READING])
def test_examples_that_read_recordings_run(example: str, tmp_path: Path) -> None:
    names = set(re.findall(r"\w+\.dat", example))
    assert names
    for name in names:
        (tmp_path / name).symlink_to(NUMA)
    (tmp_path / "psi.txt").write_text(
        "1700000000.0\n/proc/pressure/cpu:some avg10=0.00 avg60=0.00 avg300=0.00 total=1\n"
    )
    run(*shlex.split(example), cwd=tmp_path)


def shown_examples() -> Iterator[Any]:
    """Commands on recordings in samples/, and lines that a block of text after them says they print."""
    for page in PAGES:
        blocks = re.findall(r"^```(\w*)\n(.*?)^```", page.read_text(), re.DOTALL | re.MULTILINE)
        for (_, code), (kind, text) in pairwise([*blocks, ("", "")]):
            found = re.fullmatch(r"numalens ((?:analyze|explain|compare) .*samples/.*)\n", code)
            if found:
                printed = text.splitlines() if kind == "text" else []
                yield pytest.param(found[1], printed, id=f"{page.stem}-{found[1].split()[0]}-{len(printed)}")


@pytest.mark.parametrize(("command", "printed"), list(shown_examples()))
def test_examples_print_what_the_page_shows(command: str, printed: list[str]) -> None:
    output = " ".join(run(*shlex.split(command), cwd=ROOT).stdout.decode().split())
    assert [line for line in printed if " ".join(line.split()) not in output] == []


@pytest.mark.skipif(shutil.which("curl") is None, reason="curl is not installed")
def test_the_recipe_uploads_waits_reports_and_shares(tmp_path: Path) -> None:
    (script,) = re.findall(r"^```bash\n(.*?)^```", RECIPE.read_text(), re.DOTALL | re.MULTILINE)
    data = tmp_path / "data"
    with live_server(data) as server:
        token = run("token", "create", "docs", "--data", data).stdout.decode().strip()
        environment = {
            "PATH": "/usr/bin:/bin:/usr/local/bin",
            "SERVER": server.base,
            "TOKEN": token,
            "FILE": str(SMALL),
        }
        ended = subprocess.run(
            ["bash", "-c", script], cwd=tmp_path, env=environment, capture_output=True, check=False, timeout=120
        )
        assert ended.returncode == 0, ended.stderr.decode()
        assert json.loads((tmp_path / "status.json").read_text())["status"] == "ready"
        assert json.loads((tmp_path / "report.json").read_text())["schema"] == "numalens.report/1"
        link = ended.stdout.decode().splitlines()[-1]
        assert re.fullmatch(re.escape(server.base) + r"/s#[\w-]{32,}", link)
        with server.client() as client:
            opened = client.post("/api/v1/shares/open", json={"token": link.rsplit("#", 1)[1]}).json()
        assert opened["may"] == ["comment"]


def test_the_reference_set_is_what_its_table_says() -> None:
    lines = (ROOT / "docs" / "reference-set.md").read_text().splitlines()
    rows = dict(re.findall(r"^\| `(\w+)` \| (.+) \|$", "\n".join(lines), re.MULTILINE))
    folders = {folder.name: folder for folder in (ROOT / "samples" / "scenarios").iterdir()}
    # What is not shipped is made by `scripts/scenarios`, whose tests hold the document to its rows.
    assert folders.keys() <= rows.keys()
    for name, folder in folders.items():
        truth = json.loads((folder / "truth.json").read_text())
        machine = truth["machine"]
        checksum = hashlib.sha256((folder / "bundle.tar.zst").read_bytes()).hexdigest()[:16]
        guest = f"{truth['kernel']}, {machine['cpus']} CPUs, {machine['nodes']} nodes"
        assert rows[name].split(" | ") == [guest, f"`{truth['seed']}`", truth["sentence"], f"`{checksum}`"]


def test_each_claim_about_safety_has_a_test_that_is_there() -> None:
    claims = [row for row in (ROOT / "SECURITY.md").read_text().splitlines() if row.startswith("| ")][1:]
    assert claims
    for row in claims:
        _, claim, tests, _ = row.split(" | ".strip(), 3)
        named = re.findall(r"`(test_\w+)::(test_\w+)`", tests)
        assert named, claim
        for module, name in named:
            text = Path(__file__).with_name(f"{module}.py").read_text()
            assert f"def {name}(" in text, f"{module}::{name}"
        for spec, title in re.findall(r"([\w-]+\.spec): “([^”]+)”", tests):
            text = (ROOT / "frontend" / "e2e" / f"{spec}.ts").read_text()
            assert re.search(rf'^\s*test\("[^"]*{title}', text, re.MULTILINE), f"{spec}: {title}"
