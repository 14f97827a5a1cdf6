"""The process that answers once and ends: `python -m numalens.fleet.guest`, order on standard input.

It is asked for the answer to one query in somebody's own words, or for a part of the answer to a ready question (`answer.py`).
Answers one JSON object: `answer`, or `sentence` for what is refused.
"""

import json
import sys
from pathlib import Path
from typing import Any, Final

from numalens.sandbox.confine import ConfinementError, confine
from numalens.sandbox.limits import apply_limits, die_with_parent

MORE_MEMORY: Final = 1 << 30
"""What the process may have besides the database's own limit, so that it is the database that refuses."""


def answer(order: dict[str, Any]) -> dict[str, Any]:
    """The answer to an order of `asking.order_of`."""
    # After the limits are set: what these take counts too.
    from numalens.fleet.answer import part_of, received  # noqa: PLC0415
    from numalens.fleet.catalog import Entry  # noqa: PLC0415
    from numalens.fleet.database import FleetDatabase, FleetError  # noqa: PLC0415
    from numalens.fleet.files import SummaryFile  # noqa: PLC0415
    from numalens.fleet.select import select  # noqa: PLC0415

    files = [SummaryFile(analysis, Path(path), (0, 0)) for analysis, path in order["files"]]
    entries = [Entry.received(told) for told in order["entries"]]
    asked = order["asked"]
    try:
        database = FleetDatabase(files, order["memory_bytes"])
        if "sql" in asked:
            return {"answer": select(database, entries, asked["sql"], asked["limit"], order["seconds"])}
        with database.asked(entries) as cursor:
            return {"answer": part_of(cursor, received(asked))}
    except FleetError as error:
        return {"sentence": str(error)}


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
