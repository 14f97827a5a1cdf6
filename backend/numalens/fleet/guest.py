"""The process that answers one query in somebody's own words, and ends: `python -m numalens.fleet.guest`, order on standard input.

Answers one JSON object: `answer`, or `sentence` for a query that is refused.
"""

import json
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final

from numalens.jobs.confine import ConfinementError, confine
from numalens.jobs.limits import apply_limits, die_with_parent

MORE_MEMORY: Final = 1 << 30
"""What the process may have besides the database's own limit, so that it is the database that refuses."""


def answer(order: dict[str, Any]) -> dict[str, Any]:
    """The answer to an order of `asking.Asker.select`."""
    # After the limits are set: what these take counts too.
    from numalens.fleet.catalog import Entry  # noqa: PLC0415
    from numalens.fleet.database import FleetDatabase, FleetError  # noqa: PLC0415
    from numalens.fleet.files import SummaryFile  # noqa: PLC0415
    from numalens.fleet.select import select  # noqa: PLC0415

    files = [SummaryFile(analysis, Path(path), (0, 0)) for analysis, path in order["files"]]
    entries = [Entry(**{**told, "uploaded_at": _moment(told["uploaded_at"])}) for told in order["entries"]]
    try:
        database = FleetDatabase(files, order["memory_bytes"])
        return {"answer": select(database, entries, order["sql"], order["limit"], order["seconds"])}
    except FleetError as error:
        return {"sentence": str(error)}


def _moment(text: str) -> datetime:
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


def main() -> None:
    """Answers the order on standard input."""
    die_with_parent()
    order = json.load(sys.stdin)
    try:
        confine(order["confine"], read=[path for _, path in order["files"]], write=[])
    except ConfinementError as error:
        json.dump({"sentence": str(error)}, sys.stdout)
        return
    apply_limits(memory_bytes=order["memory_bytes"] + MORE_MEMORY, file_bytes=0)
    json.dump(answer(order), sys.stdout)


if __name__ == "__main__":
    main()
