"""Pressure as it was sampled, whatever the pieces in which it comes."""

import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, cast

import pytest
from hypothesis import given
from hypothesis import strategies as st

from numalens.report.sampled import sampled_pressure

if TYPE_CHECKING:
    from numalens_native import Bundle


class Samples:
    """Exports rows in pieces of a given size."""

    def __init__(self, rows: list[dict[str, Any]], size: int = 1 << 20) -> None:
        self.text = "".join(json.dumps(row) + "\n" for row in rows).encode()
        self.size = size
        self.window: tuple[int | None, int | None] = (None, None)

    def export_samples(
        self, table: str, fmt: str, out: Callable[[bytes], None], from_ns: int | None, to_ns: int | None
    ) -> int:
        assert (table, fmt) == ("psi", "ndjson")
        self.window = (from_ns, to_ns)
        for start in range(0, len(self.text), self.size):
            out(self.text[start : start + self.size])
        return 0


def row(resource: str, some: int | None, full: int | None, source: int = 0, cgroup: str = "") -> dict[str, Any]:
    return {"input": source, "cgroup": cgroup, "resource": resource, "some_total_us": some, "full_total_us": full}


def sampled(rows: list[dict[str, Any]], size: int = 1 << 20) -> dict[str, Any]:
    return cast("dict[str, Any]", sampled_pressure(cast("Bundle", Samples(rows, size)), (10, 20)))


def total(some: int | None, full: int | None) -> dict[str, Any]:
    return {"some_us": some, "full_us": full, "label": "observed"}


@pytest.mark.parametrize(
    ("rows", "found"),
    [
        ([], {}),
        ([row("cpu", 5, 0)], {}),
        ([row("cpu", 5, 0), row("io", 1, 1), row("cpu", 9, 0), row("cpu", 30, 0)], {"cpu": total(25, 0)}),
        ([row("irq", None, 5), row("irq", None, 7)], {"irq": total(None, 2)}),
        ([row("cpu", None, None), row("cpu", None, None)], {}),
        # Set back: the machine was started anew.
        ([row("cpu", 50, 0), row("cpu", 3, 0)], {"cpu": total(None, 0)}),
        ([row("cpu", 5, 0, cgroup="/a"), row("cpu", 9, 0, cgroup="/a")], {}),
        # The input with more samples counts.
        ([row("cpu", 1, 0, 0), row("cpu", 2, 0, 1), row("cpu", 3, 0, 1)], {"cpu": total(1, 0)}),
    ],
)
def test_totals(rows: list[dict[str, Any]], found: dict[str, Any]) -> None:
    assert sampled(rows) == found


def test_both_edges_of_the_window_are_inside() -> None:
    samples = Samples([])
    sampled_pressure(cast("Bundle", samples), (10, 20))
    assert samples.window == (10, 21)


@given(totals=st.lists(st.integers(0, 1 << 60), min_size=2, max_size=20).map(sorted), size=st.integers(1, 400))
def test_the_pieces_do_not_matter(totals: list[int], size: int) -> None:
    rows = [row("memory", value, value // 2) for value in totals]
    expected = total(totals[-1] - totals[0], totals[-1] // 2 - totals[0] // 2)
    assert sampled(rows, size) == {"memory": expected}
