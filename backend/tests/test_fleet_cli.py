"""`numalens fleet`: over a server's data folder, over bundles, over summaries; tables, CSV and JSON."""

import csv
import io
import json
import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from numalens.fleet.rows import Row, write_rows
from numalens.fleet.summary import keep_summary
from numalens.store.summary_file import FILE
from tests.command import call, run
from tests.conftest import running_service
from tests.made_fleet import made_fleet
from tests.recordings import LSCPU, NUMA, SMALL
from tests.service import API


@dataclass(frozen=True)
class Folders:
    server: Path
    bundles: Path
    made: Path
    numa: str


def answer(*arguments: str | Path) -> str:
    return call("fleet", *arguments)[0]


def refused(*arguments: str | Path) -> str:
    out, said = call("fleet", *arguments, status=2)
    assert out == ""
    return said


@pytest.fixture(scope="module")
def folders(tmp_path_factory: pytest.TempPathFactory, bundles: Path) -> Iterator[Folders]:
    root = tmp_path_factory.mktemp("fleet-cli")
    shutil.copytree(bundles / "numa", root / "bundles" / "first" / "numa")
    shutil.copytree(bundles / "small", root / "bundles" / "small")
    keep_summary(bundles / "numa")
    made_fleet(root / "made", [bundles / "numa" / FILE], 40)
    with running_service(root) as service:
        numa, small = service.analyse(NUMA, LSCPU), service.analyse(SMALL)
        for analysis_id, title in ((numa, "Numa"), (small, "Small \x1b]0;gotcha\x07\n=1+1")):
            change = {"title": title, "tags": [f"machine:{title[:5].strip().lower()}"]}
            assert service.client.patch(f"{API}/analyses/{analysis_id}", json=change).status_code == 200
        yield Folders(root / "data", root / "bundles", root / "made", numa)


def test_a_running_servers_machines(folders: Folders) -> None:
    rows = json.loads(answer("machines", "--data", folders.server, "--format", "json"))
    assert {row["machine"] for row in rows} == {"numa", "small"}
    numa = next(row for row in rows if row["machine"] == "numa")
    assert numa["latest"] == folders.numa
    assert numa["flips"] > 0
    table = answer("machines", "--data", folders.server)
    assert len(table.splitlines()) == 3
    assert table.split()[0] == "machine"
    only = answer("machines", "--data", folders.server, "--machine", "numa")
    assert len(only.splitlines()) == 2


def test_a_table_gives_no_orders_to_the_terminal(folders: Folders) -> None:
    table = answer("machines", "--data", folders.server, "--machine", "small")
    assert "\x1b" not in table
    assert "\x07" not in table
    # Titles lose their line breaks on the way in, or are shown with them escaped; a row stays a row.
    assert len(table.splitlines()) == 2
    sql = answer("sql", "SELECT chr(27) || '[2J' AS \"a\x1b\", 'b' || chr(10) || 'c' AS d", "--data", folders.server)
    assert sql == "a\\x1b    d\n\\x1b[2J  b\\nc\n"


def test_bundles_that_have_no_summary_are_reported_too_and_stay_as_they_are(folders: Folders) -> None:
    before = sorted(path for path in folders.bundles.rglob("*"))
    rows = json.loads(answer("findings", "--data", folders.bundles, "--every", "all", "--format", "json"))
    assert {row["worst"]["title"] for row in rows} <= {"first/numa", "small"}
    assert len(rows) > 3
    assert sorted(path for path in folders.bundles.rglob("*")) == before


def test_what_cannot_be_reported_is_left_out_and_said(folders: Folders, tmp_path: Path) -> None:
    shutil.copytree(folders.bundles / "small", tmp_path / "small")
    (tmp_path / "bad").mkdir()
    (tmp_path / "bad" / "manifest.json").write_text("{}")
    (tmp_path / "cut").mkdir()
    write_rows([Row("fact", "x", "observed")], tmp_path / "cut" / FILE)
    content = (tmp_path / "cut" / FILE).read_bytes()
    (tmp_path / "cut" / FILE).write_bytes(content[:-10])
    ended = run("fleet", "machines", "--format", "json", "--data", tmp_path)
    assert [row["recordings"] for row in json.loads(ended.stdout)] == [1]
    assert [line.rsplit(": ", 1)[1] for line in ended.stderr.decode().splitlines()] == ["bad", "cut"]


def test_a_metric_as_table_csv_and_json(folders: Folders) -> None:
    queries = ("metric", "wakeup_p99", "--by", "machine", "--every", "all", "--data", folders.made)
    rows: list[dict[str, Any]] = json.loads(answer(*queries, "--format", "json"))
    as_csv = list(csv.DictReader(io.StringIO(answer(*queries, "--format", "csv"))))
    assert [row["group"] for row in as_csv] == [row["group"] for row in rows]
    assert [float(row["value"]) for row in as_csv] == [row["value"] for row in rows]
    lines = answer(*queries).splitlines()
    assert lines[0].split() == ["machine", "wakeup_p99", "least", "most", "recordings", "of", "is"]
    assert len(lines) == len(rows) + 1 > 10


def test_dates_choose(folders: Folders) -> None:
    every = json.loads(answer("machines", "--data", folders.made, "--format", "json"))
    some = json.loads(
        answer("machines", "--data", folders.made, "--from", "2026-10-01", "--to", "2026-10-15", "--format", "json")
    )
    assert 0 < sum(row["recordings"] for row in some) < sum(row["recordings"] for row in every) == 40
    assert all("2026-10-01" <= row["first_seen"] < row["last_seen"] + "z" < "2026-10-15" for row in some)
    nothing = run("fleet", "machines", "--data", folders.made, "--to", "1990-01-01")
    assert nothing.stdout == b""
    assert b"No matching rows" in nothing.stderr


def test_an_upgrade(folders: Folders) -> None:
    queries = ("upgrade", "--before", "6.1.192-cling", "--after", "6.18.2", "--data", folders.made)
    whole = json.loads(answer(*queries, "--format", "json"))
    assert [side["kernel"] for side in whole["sides"]] == ["6.1.192-cling", "6.18.2"]
    table = answer(*queries)
    for row in whole["rows"]:
        assert row["title"] in table
    assert f"{whole['sides'][0]['recordings']} recordings of {len(whole['machines'])} machines" in table


def test_sql(folders: Folders) -> None:
    query = "SELECT kernel, count(*) AS n, count(*) AS n FROM recordings GROUP BY ALL ORDER BY 1"
    rows = list(csv.DictReader(io.StringIO(answer("sql", query, "--format", "csv", "--data", folders.made))))
    assert sum(int(row["n"]) for row in rows) == 40
    assert all(row["n"] == row["n_2"] for row in rows)
    assert json.loads(answer("sql", "SELECT 1 AS one", "--format", "json", "--data", folders.made))["rows"] == [["1"]]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("machines", "--data", "nowhere"), "nowhere is not a folder"),
        (("metric", "comm"), "there is no metric comm; there are"),
        (("metric",), "expected a metric; there are"),
        (("machines", "--from", "soon"), "--from soon: expected a date like"),
        (("machines", "--from", "2026-02-01", "--to", "2026-01-01"), "--from is not before --to"),
        (("machines", "--from", "2026-02-01", "--last", "7"), "--last and --from both"),
        (("upgrade", "--machine", "nobody"), "Comparing needs two kernels"),
        (("sql", "DROP VIEW facts"), "Only SELECT is possible here"),
        (("sql", "SELECT * FROM read_csv('/etc/passwd')"), "Permission Error"),
    ],
)
def test_what_is_refused_is_a_sentence(folders: Folders, arguments: tuple[str, ...], words: str) -> None:
    where = () if "--data" in arguments else ("--data", str(folders.made))
    said = refused(*arguments, *where)
    assert words in said
    assert said.startswith("numalens: ")
    assert "Traceback" not in said


def test_an_empty_folder_is_a_sentence(tmp_path: Path) -> None:
    assert "has no analyses" in refused("machines", "--data", tmp_path)
