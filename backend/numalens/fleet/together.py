"""Rows of several parts of a fleet, put together: by whichever parts and in whichever order, it is the same to the last bit.

A part is what JSON can carry, because it comes from other processes and machines. Moments are microseconds of UTC since 1970.
"""

import math
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import Any, Final

Rows = list[dict[str, Any]]
Part = dict[str, Rows]
"""The rows of a question's tables, by name."""
Rule = Callable[[list[Any]], Any]
"""What several values of a column are together; nothing is told by None, which does not come here."""

EPOCH: Final = datetime(1970, 1, 1, tzinfo=UTC)
MOST: Final = 1e300
"""What is larger, or no number, is no measurement; it would make a sum of everything else worthless."""


@dataclass(frozen=True)
class Table:
    """A part of an answer: what each part of the fleet is asked, and what makes one row of the rows with the same key."""

    query: str
    key: Sequence[str]
    rules: Mapping[str, Rule]
    parameters: Mapping[str, Any] = field(default_factory=dict)

    def together(self, parts: Iterable[Rows]) -> Rows:
        """The rows of all parts, one for each key."""
        same: defaultdict[tuple[Any, ...], Rows] = defaultdict(list)
        for rows in parts:
            for row in rows:
                same[tuple(row[name] for name in self.key)].append(row)
        return [
            dict(zip(self.key, key, strict=True))
            | {name: rule([row[name] for row in rows if row[name] is not None]) for name, rule in self.rules.items()}
            for key, rows in same.items()
        ]


def count(values: list[int]) -> int:
    """Of things that each part counted."""
    return sum(values)


def total(values: list[float]) -> float | None:
    """Of whole numbers, and None where nobody has one."""
    return sum(values) if values else None


def least(values: list[Any]) -> Any:  # noqa: ANN401  (of whatever has an order)
    """The smallest."""
    return min(values, default=None)


def most(values: list[Any]) -> Any:  # noqa: ANN401  (of whatever has an order)
    """The greatest."""
    return max(values, default=None)


def union(values: list[list[Any]]) -> list[Any]:
    """Everything that is in one of them."""
    return sorted({each for some in values for each in some})


def appended(values: list[list[Any]]) -> list[Any]:
    """All of them, in their order."""
    return sorted(each for some in values for each in some)


def exactly(values: list[list[float]]) -> list[float]:
    """Few numbers whose sum is that of all of these, without any rounding: sums of floats depend on their order, these do not.

    The first is the sum as closely as a float can tell it, the next what is missing, and so on.
    """
    left = [each for some in values for each in some if abs(each) < MOST]
    told: list[float] = []
    while rest := math.fsum(left):
        told.append(rest)
        left.append(-rest)
    return told


def moment(us: int | None) -> datetime | None:
    """A moment as answers have it: UTC without saying so."""
    return None if us is None else (EPOCH + timedelta(microseconds=us)).replace(tzinfo=None)


def plain(value: Any) -> Any:  # noqa: ANN401  (whatever DuckDB has)
    """A cell as JSON would bring it back: structs without names are lists."""
    return [plain(each) for each in value] if isinstance(value, (list, tuple)) else value
