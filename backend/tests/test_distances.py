"""How far tasks went, by what the topology says that CPUs share."""

from pathlib import Path
from typing import Any

import numalens_native as native

from numalens.jobs.reading import read_inputs
from tests.sql_helpers import section
from tests.test_sched_ext import line, trace, woken


def test_distances_are_by_what_the_topology_says(tmp_path: Path) -> None:
    def rows(topology: str | None) -> tuple[dict[str, Any], dict[str, Any]]:
        folder = tmp_path / str(len(list(tmp_path.iterdir())))
        folder.mkdir()
        text = trace().replace(
            woken(10.010, "held", 8),
            woken(10.010, "held", 8)
            + line(1, 10.011, "sched_migrate_task: comm=held pid=8 prio=120 orig_cpu=1 dest_cpu=0"),
        )
        (folder / "trace.txt").write_text(text)
        inputs = [("trace.txt", str(folder / "trace.txt"))]
        if topology is not None:
            (folder / "lscpu.txt").write_text(topology)
            inputs.append(("lscpu.txt", str(folder / "lscpu.txt")))
        read_inputs(inputs, folder / "bundle", folder / "scratch")
        found = section(native.Bundle(str(folder / "bundle")), "distances")
        return found, {row["distance"]: row for row in found["rows"]}

    found, known = rows("# CPU,Core,Socket,Node,,L1d,L1i,L2,L3\n0,0,0,0,,0,0,0,0\n1,1,0,0,,1,1,1,0\n2,2,0,0,,2,2,2,1\n")
    assert found["llcs"] == [[0, 1], [2]]
    assert set(known) == {"same_cpu", "llc", "node"}
    assert (known["llc"]["moved"], known["same_cpu"]["wakeups"], known["node"]["moved"]) == (1, 1, 0)
    assert known["same_cpu"]["waits"] >= 1
    found, known = rows(None)
    assert found["llcs"] == []
    assert any("last-level cache" in missing for missing in found["missing"])
    assert known["node"]["moved"] == 1
