"""Ready questions and their answers: one part for each share of the fleet, then the answer of all parts.

Whoever answers does it this way, also when there is only one share: so it makes no difference who it is.
"""

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any, Final, Protocol

import duckdb

from numalens.fleet.database import rows_of
from numalens.fleet.over_time import Series
from numalens.fleet.questions import Choices, Chosen, Findings, Machines
from numalens.fleet.together import Part, Rows, Table, plain
from numalens.fleet.upgrade import Upgrade


class Question(Protocol):
    """A question that any parts of a fleet can answer for themselves. A frozen dataclass of plain values and one `Chosen`."""

    @property
    def tables(self) -> Mapping[str, Table]:
        """What a part consists of."""

    def told(self, tables: Mapping[str, Rows]) -> Any:  # noqa: ANN401  (each question has its own answer)
        """The answer, from the rows of all parts together. Raises FleetError."""


KINDS: Final = {kind.__name__: kind for kind in (Choices, Machines, Series, Findings, Upgrade)}


def part_of(cursor: duckdb.DuckDBPyConnection, question: Question) -> Part:
    """The part of the recordings that a cursor sees (`FleetDatabase.asked`)."""
    found: Part = {}
    for name, table in question.tables.items():
        rows = rows_of(cursor, table.query, dict(table.parameters))
        found[name] = table.together([[{column: plain(cell) for column, cell in row.items()} for row in rows]])
    return found


def answer(question: Question, parts: Iterable[Part]) -> Any:  # noqa: ANN401  (each question has its own answer)
    """What all parts say together, in any order. Raises FleetError."""
    some = list(parts)
    return question.told(
        {name: table.together([part[name] for part in some]) for name, table in question.tables.items()}
    )


def ask(cursor: duckdb.DuckDBPyConnection, question: Question) -> Any:  # noqa: ANN401  (each question has its own answer)
    """The answer of the recordings that a cursor sees. Raises FleetError."""
    return answer(question, [part_of(cursor, question)])


def sent(question: Question) -> dict[str, Any]:
    """A question as JSON has it."""
    told: dict[str, Any] = {"kind": type(question).__name__, **vars(question)}
    if "chosen" in told:
        chosen = vars(told["chosen"])
        moments = {name: value.isoformat() for name, value in chosen.items() if isinstance(value, datetime)}
        told["chosen"] = chosen | moments
    return told


def received(told: Mapping[str, Any]) -> Question:
    """The same question again."""
    fields = {name: value for name, value in told.items() if name != "kind"}
    if "chosen" in fields:
        chosen = fields["chosen"]
        moments = {name: datetime.fromisoformat(chosen[name]) for name in ("begin", "end") if chosen[name] is not None}
        fields["chosen"] = Chosen(**{**chosen, **moments})
    kind: Any = KINDS[told["kind"]]
    question: Question = kind(**fields)
    return question
