"""The process that answers one SELECT and ends: `python -m numalens.fleet.query_process`, order on standard input.

Answers one JSON object: that of `select.select`, or `sentence` for what is refused, with `gone` where asking again helps.
"""

import json
import sys
from typing import Any, Final

from numalens.sandbox.confine import ConfinementError, confine
from numalens.sandbox.limits import apply_limits, die_with_parent

MORE_MEMORY: Final = 1 << 30
"""Memory of the process beyond the database's own limit, so that the database is the one that refuses."""


def answer(order: dict[str, Any]) -> dict[str, Any]:
    """The answer to an order of `executor.py`."""
    # After the limits are set: what these take counts too.
    from numalens.fleet.database import (  # noqa: PLC0415
        FleetDatabase,
        FleetError,
        GoneError,
        Source,
        entries_of,
    )
    from numalens.fleet.select import select  # noqa: PLC0415
    from numalens.store.summaries import SummaryFile  # noqa: PLC0415

    files = [SummaryFile(analysis, path, "") for analysis, path in order["files"]]
    entries = entries_of(order["entries"])
    try:
        database = FleetDatabase(Source(files, order["parts"], order["merged"]), order["memory_bytes"])
        return select(database, entries, order["sql"], order["limit"], order["seconds"])
    except FleetError as error:
        return {"sentence": str(error), "gone": isinstance(error, GoneError)}


def main() -> None:
    """Answers the order on standard input."""
    die_with_parent()
    order = json.load(sys.stdin)
    try:
        confine(order["confine"], read=[*(path for _, path in order["files"]), *order["parts"]], write=[])
    except ConfinementError as error:
        json.dump({"sentence": str(error), "gone": False}, sys.stdout)
        return
    apply_limits(memory_bytes=order["memory_bytes"] + MORE_MEMORY, file_bytes=0)
    json.dump(answer(order), sys.stdout)


if __name__ == "__main__":
    main()
