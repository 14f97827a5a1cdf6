"""Names and wording: none is one of docs/glossary.md's former names, and the catalogue is the only place for its own."""

import json
import re
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numalens_native
import pytest
from typer.main import get_command

from numalens.api.openapi import document
from numalens.cli.main import app
from numalens.report.catalogue import CATALOGUE
from tests.recordings import ROOT

OPEN = {
    # The engine's answers.
    "field": {
        *("label", "hz_label", "idle_label", "ops", "snid", "dnid", "known_by", "waking_ns"),
        *("may", "may_not", "beside_waiting_cpu_ms", "told_batches", "told_flags"),
    },
    "value": {"allow", "clings", "released", "waking"},
    "route": {"copies"},
}
"""Former names that still stand, by kind; one that is gone has to leave this list."""
LABEL = r"""(?:\b(?:name|title|label|heading|data-name): ?|\b(?:title|label|aria-label)=|\[)["'`]{}["'`]|>\s*{}\s*<"""


def former() -> dict[str, set[str]]:
    """Former names by kind, of the glossary's last table."""
    found = defaultdict(set)
    table = (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8").partition("## Former names")[2]
    for names, kind in re.findall(r"^\| (`.+?`) \| (\w+) \|", table, re.MULTILINE):
        found[kind].update(re.findall(r"`([^`]+)`", names))
    return found


FORMER = former()


def commands(command: Any, name: str) -> Iterator[str]:
    """The names of a command, its options and those below it."""
    yield name
    yield from (option.strip("-") for each in command.params for option in each.opts if option.startswith("--"))
    for below, each in getattr(command, "commands", {}).items():
        yield from commands(each, below)


def on_the_wire() -> dict[str, set[str]]:
    """All names that programs read, by kind."""
    found: dict[str, set[str]] = {"section": set(json.loads(numalens_native.schemas())["sections"])}
    paths, shapes = document()["paths"], [document()["components"]["schemas"]]
    found["route"] = {part for path in paths for part in path.split("/") if part and "{" not in part}
    found["field"], found["value"] = set(), set()
    while shapes:
        shape = shapes.pop()
        if isinstance(shape, dict):
            properties = shape.get("properties")
            found["field"].update(properties if isinstance(properties, dict) else ())
            found["value"].update(
                each for each in (*shape.get("enum", ()), shape.get("const")) if isinstance(each, str)
            )
            shapes.extend(shape.values())
        elif isinstance(shape, list):
            shapes.extend(shape)
    found["command"] = set(commands(get_command(app), ""))
    return found


WIRE = on_the_wire()


@pytest.mark.parametrize("kind", ["section", "field", "value", "route", "command"])
def test_names_on_the_wire_are_those_of_the_glossary(kind: str) -> None:
    words = FORMER["word"] if kind != "value" else set()
    hits = {
        name
        for name in WIRE[kind]
        if name in FORMER[kind] or words & set(re.split(r"[_\W]", name)) or (kind == "field" and ends_formerly(name))
    }
    assert hits == OPEN.get(kind, set())


def ends_formerly(field: str) -> bool:
    """Whether its last part is a former field, as in `hz_label`."""
    return field.rpartition("_")[2] in FORMER["field"]


def test_labels_are_those_of_the_glossary() -> None:
    assert len(FORMER["label"]) > 10
    any_label = one_of(FORMER["label"])
    pattern = re.compile(LABEL.format(any_label, any_label))
    for path, text in written_by_hand():
        assert pattern.findall(text) == [], path


def test_the_wording_of_findings_and_causes_is_in_the_catalogue_only() -> None:
    rows = [row for kind in CATALOGUE.values() for row in kind]
    meanings = re.compile(one_of({row["meaning"] for row in rows}))
    titles = one_of({row["title"] for row in rows if " " in row["title"]})
    whole = re.compile(rf"""["'`]{titles}["'`]|>\s*{titles}\s*<""")
    for path, text in written_by_hand():
        if ".test." not in path.name:
            assert meanings.findall(text) + whole.findall(text) == [], path


def one_of(texts: set[str]) -> str:
    """Pattern of any of `texts`, without groups."""
    return "(?:" + "|".join(map(re.escape, sorted(texts))) + ")"


def written_by_hand() -> Iterator[tuple[Path, str]]:
    """Files of the page and the service that no step writes, with their text."""
    generated = {"schema.ts", "catalogue.ts"}
    for folder in ("frontend/src", "backend/numalens"):
        for path in (ROOT / folder).rglob("*.*"):
            if path.suffix in {".ts", ".tsx", ".py"} and path.name not in generated:
                yield path, path.read_text(encoding="utf-8")
