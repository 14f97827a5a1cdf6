"""Loads by where they found their data, and what became of memory behind a task that moved."""

import json
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

import numalens_native as native
import pyarrow as pa
import pytest

from numalens.jobs.reading import read_inputs
from tests.recordings import FIXTURES, SMALL
from tests.service import API, Service
from tests.sql_helpers import section

PERF: Final = FIXTURES / "perf"
SECOND: Final = 1_000_000_000


def read(file: Path, folder: Path) -> Any:
    read_inputs([(file.name, str(file))], folder / "bundle", folder / "scratch")
    return native.Bundle(str(folder / "bundle"))


def answer(name: str, folder: Path) -> dict[str, Any]:
    return section(read(PERF / f"mem-{name}.data.zst", folder), "memory_samples")


SOURCES: Final = (
    *("cache", "local_peer", "local_dram", "remote_dram", "remote_cache", "local_hitm", "remote_hitm"),
    *("slow_memory", "other"),
)


def test_loads_are_those_that_perf_c2c_counts(tmp_path: Path) -> None:
    found = answer("followed", tmp_path)
    counts = {name: found["loads"][name]["loads"] for name in SOURCES}
    expected = {"cache": 348, "local_dram": 714, "remote_dram": 138, "local_hitm": 120}
    assert counts == {**dict.fromkeys(SOURCES, 0), **expected}
    assert (found["samples"], found["stores"], found["without_source"]) == (1440, 120, 0)
    perf = shutil.which("perf")
    if perf is None:
        pytest.skip("perf is not installed: compared with what it said once")
    plain = tmp_path / "perf.data"
    with pa.input_stream(PERF / "mem-followed.data.zst", compression="zstd") as packed:
        plain.write_bytes(packed.read())
    said = subprocess.run([perf, "c2c", "report", "--stats", "-i", plain], capture_output=True, text=True, check=True)
    lines = dict(re.findall(r"^ *(.+?) +: +(\d+)$", said.stdout, re.MULTILINE))
    # Its hits of the last-level cache have those of a modified line among them.
    hits = sum(int(lines[f"Load {one}"]) for one in ("Fill Buffer Hit", "L1D hit", "L2D hit", "LLC hit"))
    assert counts == {
        "cache": hits - int(lines["Load Local HITM"]),
        "local_peer": 0,
        "local_dram": int(lines["Load Local DRAM"]),
        "remote_dram": int(lines["Load Remote DRAM"]),
        "remote_cache": int(lines["Load Remote HIT"]),
        "local_hitm": int(lines["Load Local HITM"]),
        "remote_hitm": int(lines["Load Remote HITM"]),
        "slow_memory": 0,
        "other": int(lines["Loads - uncacheable"]) + int(lines["Loads - IO"]),
    }
    assert found["stores"] == int(lines["Store Operations"])


def test_loads_are_by_node_task_and_step(tmp_path: Path) -> None:
    found = answer("followed", tmp_path)
    assert [(one["nid"], one["loads"]["all"]["loads"]) for one in found["nodes"]] == [(0, 520), (1, 800)]
    assert found["nodes"][1]["loads"]["remote_dram"]["loads"] == 138
    assert {(one["cpu_nid"], one["memory_nid"]) for one in found["between"]} == {(0, 0), (1, 0), (1, 1)}
    assert sum(one["samples"] for one in found["between"]) == found["samples"]
    assert found["contradicted"] == 0
    assert [(one["comm"], one["pid"], one["loads"]["all"]["loads"]) for one in found["tasks"]] == [
        ("mover", 501, 1200),
        ("sharer", 601, 120),
    ]
    steps = found["steps"]
    assert sum(steps["loads"]) == found["loads"]["all"]["loads"]
    assert (sum(steps["moves"]), sum(steps["pages"])) == (1, 48)
    expected = {"moves": 1, "attempts": None, "pages": 48, "numa_pages": 48}
    assert found["meanwhile"] == {**expected, "promoted": None, "promotion_candidates": None, "demoted": None}
    local, remote = found["loads"]["local_dram"]["cycles"], found["loads"]["remote_dram"]["cycles"]
    assert 170 <= local <= 212
    assert 380 <= remote <= 475
    assert found["label"] == "observed"
    for name, values in steps.items():
        assert len(values) == len(steps["at"]), name


def test_lines_that_cores_took_from_each_other(tmp_path: Path) -> None:
    found = answer("followed", tmp_path)
    lines = found["lines"]
    hitm = [line["local_hitm"]["loads"] + line["remote_hitm"]["loads"] for line in lines]
    assert sum(hitm) == found["loads"]["local_hitm"]["loads"] == 120
    assert hitm == sorted(hitm, reverse=True)
    assert {line["physical"] for line in lines} == {True}
    assert all(line["loads"] >= count for line, count in zip(lines, hitm, strict=True))
    # Without physical addresses they are distinguished by process, which perf's records name.
    [other] = {line["tgid"] for line in answer("no-phys", tmp_path / "no-phys")["lines"]}
    assert other == 600


def test_memory_followed_and_it_paid(tmp_path: Path) -> None:
    [move] = answer("followed", tmp_path)["moves"]
    assert (move["comm"], move["from_nid"], move["to_nid"], move["how"]) == ("mover", 0, 1, "runnable")
    assert int(move["moved_ns"]) == 6 * SECOND - 20_000
    assert move["pages"] == {"left_behind": 48, "followed": 48, "were_there": 0, "other": 0}
    assert move["migrated"] == 48
    assert (move["memory"], move["paid"], move["label"]) == ("followed", "faster", "observed")
    assert move["before"]["remote_share"] == 0
    assert move["early"]["remote_share"] > 0.4
    assert move["late"]["remote_share"] < 0.05
    assert move["late"]["all"]["cycles"] < move["early"]["all"]["cycles"]


def test_other_pages_look_alike_and_did_not_follow(tmp_path: Path) -> None:
    [look_alike] = answer("other-pages", tmp_path)["moves"]
    [followed] = answer("followed", tmp_path / "followed")["moves"]
    for phase in ("before", "early", "late"):
        assert look_alike[phase] == followed[phase]
    assert look_alike["pages"]["followed"] == 0
    assert look_alike["pages"]["left_behind"] > 40
    assert (look_alike["memory"], look_alike["label"]) == ("stayed", "observed")
    assert look_alike["migrated"] is None


def test_memory_followed_and_it_did_not_pay(tmp_path: Path) -> None:
    [move] = answer("not-paid", tmp_path)["moves"]
    assert (move["memory"], move["paid"]) == ("followed", "same")
    assert move["pages"]["followed"] == 48


def test_without_physical_addresses_it_is_inferred(tmp_path: Path) -> None:
    found = answer("no-phys", tmp_path)
    [move] = found["moves"]
    assert found["between"] is None
    assert move["pages"] is None
    assert (move["memory"], move["label"]) == ("followed", "inferred")
    assert move["missing"] == ["physical addresses of the pages that were used on both nodes"]


def left_behind(name: str, folder: Path) -> list[dict[str, Any]]:
    found = section(read(PERF / f"mem-{name}.data.zst", folder), "findings")["findings"]
    return [one for one in found if one["id"] == "MEMORY_LEFT_BEHIND"]


def test_memory_that_stayed_and_costs_is_a_finding(tmp_path: Path) -> None:
    [move] = answer("stayed", tmp_path / "section")["moves"]
    assert (move["memory"], move["paid"], move["label"]) == ("stayed", "slower", "observed")
    [one] = left_behind("stayed", tmp_path / "findings")
    assert (one["label"], one["severity"], one["pids"], one["nodes"]) == ("observed", "medium", [501], [0, 1])
    # Of 2 s on the new node, the share by which a load takes longer.
    longer = 1 - move["before"]["all"]["cycles"] / move["late"]["all"]["cycles"]
    assert one["impact_ms"] == pytest.approx(2000 * longer, rel=0.01)
    assert "mover (501) moved from node 0 to node 1" in one["summary"]


@pytest.mark.parametrize("name", ["followed", "other-pages", "not-paid", "no-phys"])
def test_look_alikes_of_memory_left_behind_are_none(name: str, tmp_path: Path) -> None:
    """It followed; it stayed and is not used; it followed and loads are slow all the same; shares say that it followed."""
    assert left_behind(name, tmp_path) == []


def test_addresses_alone_say_where_memory_lies(tmp_path: Path) -> None:
    """A recording of a breakpoint and page faults, of a machine with one node and without PEBS."""
    found = section(read(PERF / "mem-native.data.zst", tmp_path), "memory_samples")
    assert (found["samples"], found["without_source"], found["loads"]["all"]["loads"]) == (406, 406, 0)
    assert [(one["cpu_nid"], one["memory_nid"], one["samples"]) for one in found["between"]] == [(0, 0, 406)]
    assert found["loads"]["all"]["cycles"] is None
    assert found["moves"] == []


def test_what_was_not_recorded_is_said(tmp_path: Path) -> None:
    found = section(read(SMALL, tmp_path), "memory_samples")
    assert found["available"] is False
    assert "perf mem record" in found["reason"]
    found = section(read(PERF / "perf-numa-mem.data.zst", tmp_path / "na"), "memory_samples")
    assert found["available"] is False, "a data source that says nothing is none"


def test_tiers_are_given_where_vmstat_was_sampled(tmp_path: Path) -> None:
    assert answer("followed", tmp_path / "alone")["meanwhile"]["promoted"] is None
    # The clock of perf -k CLOCK_MONOTONIC, on which the sampler stamps.
    lines = [
        {
            "idx": idx,
            "mono_ns": 5 * SECOND + idx * SECOND,
            "vmstat": f"pgpromote_success {idx * 10}\npgpromote_candidate {idx * 15}\npgdemote_kswapd {idx * 3}\n"
            f"pgdemote_direct {idx}\n",
        }
        for idx in range(4)
    ]
    (tmp_path / "vmstat.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    inputs = [
        ("mem-followed.data.zst", str(PERF / "mem-followed.data.zst")),
        ("vmstat.jsonl", str(tmp_path / "vmstat.jsonl")),
    ]
    read_inputs(inputs, tmp_path / "bundle", tmp_path / "scratch")
    found = section(native.Bundle(str(tmp_path / "bundle")), "memory_samples")["meanwhile"]
    assert (found["promoted"], found["promotion_candidates"], found["demoted"]) == (30, 45, 12)


def test_events_whose_names_have_slashes_and_colons_are_downloaded(service: Service) -> None:
    for name, event in (("followed", "cpu/mem-loads,ldlat=30/P"), ("native", "mem:0x0000000000406000:rw")):
        analysis = service.analyse(PERF / f"mem-{name}.data.zst")
        got = service.client.get(f"{API}/analyses/{analysis}/events/{quote(event, safe='')}?format=ndjson")
        assert got.status_code == 200
        known = service.get(f"/analyses/{analysis}").json()["timeline"]["event_counts"]
        assert len(got.text.splitlines()) == known[event]
