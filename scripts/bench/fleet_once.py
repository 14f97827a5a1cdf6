"""Asks for the p99 of wake-up waits by kernel and week, once: as the service does, or by a loop over the files.

Usage: fleet_once.py service|loop[-idle] FOLDER, or fleet_once.py merge|QUESTION FOLDER over the merged files in FOLDER/merged
"""

from __future__ import annotations

import json
import math
import sys
from collections import Counter, defaultdict
from datetime import UTC, timedelta
from pathlib import Path
from typing import Any

QUESTIONS = ("machines", "p99", "findings", "upgrade")


def main() -> None:
    """Prints the answer, the same for both."""
    how, folder = sys.argv[1], Path(sys.argv[2])
    how, _, idle = how.partition("-")
    if how == "loop":
        # Loaded here and not above: each way pays for its own libraries only.
        import pyarrow.parquet  # noqa: PLC0415

        rows = [] if idle else loop(folder, pyarrow.parquet)
    else:
        rows = service(how, folder, bool(idle))
    if not idle:
        print(json.dumps(sorted(rows)))


def service(how: str, folder: Path, idle: bool) -> list[list[object]]:
    """The service's way; `merge` only merges, other words than `service` use what was merged."""
    from numalens.fleet.database import FleetDatabase, entries_of  # noqa: PLC0415
    from numalens.fleet.merge import MergedFiles  # noqa: PLC0415
    from numalens.fleet.over_time import Series  # noqa: PLC0415
    from numalens.fleet.questions import Chosen, Findings, Machines  # noqa: PLC0415
    from numalens.fleet.upgrade import Upgrade  # noqa: PLC0415
    from numalens.store.summaries import located  # noqa: PLC0415
    from numalens.store.summary_file import FILE  # noqa: PLC0415

    if idle:
        return []
    entries = entries_of(json.loads((folder / "catalog.json").read_text()))
    files = [file for entry in entries for file in located(entry.analysis, f"{folder}/{entry.analysis}/{FILE}")]
    merged = MergedFiles(folder / ("nowhere" if how == "service" else "merged"))
    if how == "merge":
        return [[len(merged.merge(merged.source(files).files))]]
    p99 = Series("wakeup_p99", "kernel", "week", Chosen())
    questions: dict[str, Any] = {
        "machines": Machines(Chosen()),
        "findings": Findings(Chosen()),
        "upgrade": Upgrade(Chosen()),
    }
    with FleetDatabase(merged.source(files)).cursor(entries) as cursor:
        answer = questions.get(how, p99).answer(cursor)
    if how in questions:
        return [[len(answer)]]
    return [[point["group"], f"{point['period']:%Y-%m-%d}", point["value"]] for point in answer]


def loop(folder: Path, parquet: object) -> list[list[object]]:
    """The same by reading one file after the other."""
    waits: defaultdict[tuple[str, str], Counter[tuple[int, float | None]]] = defaultdict(Counter)
    columns = ["part", "name", "text", "moment", "bucket", "below", "count"]
    for path in sorted(folder.glob("*/summary-*.parquet")):
        table = parquet.read_table(path, columns=columns)  # type: ignore[attr-defined]
        kernel, day, bins = "unknown", "", []
        for row in table.to_pylist():
            if row["part"] == "recording" and row["name"] == "kernel":
                kernel = row["text"]
            elif row["part"] == "recording" and row["name"] == "recorded_at":
                moment = row["moment"].replace(tzinfo=UTC)
                day = f"{moment - timedelta(days=moment.weekday()):%Y-%m-%d}"
            elif row["part"] == "bucket":
                bins.append(((row["bucket"], row["below"]), row["count"]))
        for at, count in bins:
            waits[kernel, day][at] += count
    return [[kernel, day, quantile(found, 0.99)] for (kernel, day), found in waits.items()]


def quantile(waits: Counter[tuple[int, float | None]], share: float) -> float | None:
    """The upper edge of the nearest rank's bin."""
    rank, seen = math.ceil(share * waits.total()), 0
    for (_, below), count in sorted(waits.items(), key=lambda item: item[0][0]):
        seen += count
        if seen >= rank:
            return below
    return None


if __name__ == "__main__":
    main()
