"""Judges a report by a scenario's truth."""

import re
from collections.abc import Callable, Iterator
from typing import Any, Final

from model import Condition

Report = dict[str, Any]
# Where waits are by how they began; wake-ups are at the top.
BEGINNINGS: Final = ("preempted", "new", "unfinished")
LOUD: Final = ("medium", "high")


def sections(report: Report) -> Iterator[dict[str, Any]]:
    """The parts of `latency` that have causes of their own."""
    latency = report.get("latency") or {}
    for part in (latency, *(latency.get(name) for name in BEGINNINGS)):
        if isinstance(part, dict):
            yield part


def findings(report: Report) -> list[dict[str, Any]]:
    """The findings; none where there is no such section."""
    found = report.get("findings")
    return found if isinstance(found, list) else []


def waits(report: Report, comm: str) -> Iterator[dict[str, Any]]:
    """The single waits that a report shows of the tasks with such a name."""
    for part in sections(report):
        for row in part.get("worst") or []:
            if re.search(comm, row.get("comm") or ""):
                yield row


def waits_of(report: Report, comm: str) -> Iterator[dict[str, Any]]:
    """All waits of the tasks with such a name, as sums by task; those that are of no sum one by one, as far as they are shown."""
    latency = report.get("latency") or {}
    sums = [row for row in latency.get("by_task") or [] if re.search(comm, row["comm"])]
    if not sums:
        yield from waits(report, comm)
    for row in sums:
        yield row
        yield {"causes": row.get("preempted_causes")}
    for name in ("new", "unfinished") if sums else ():
        yield from (row for row in (latency.get(name) or {}).get("worst") or [] if re.search(comm, row["comm"]))


def causes(report: Report, comm: str | None) -> dict[str, int]:
    """Waiting by cause, ns: of all, or of some tasks."""
    found: dict[str, int] = {}
    for part in sections(report) if comm is None else waits_of(report, comm):
        for one in part.get("causes") or []:
            found[one["cause"]] = found.get(one["cause"], 0) + one["ns"]
    return found


def within(value: float | None, want: Condition) -> bool:
    """Whether a number is there, is at least `least` and at most `most`."""
    return value is not None and want.get("least", value) <= value <= want.get("most", value)


def _share(amounts: dict[str, int], want: Condition) -> bool:
    total = sum(amounts.values())
    if not total or total / 1e6 < want.get("least_ms", 0):
        return False
    return within(sum(ns for name, ns in amounts.items() if name in want["causes"]) / total, want)


def _waiting(report: Report, want: Condition) -> bool:
    return _share(causes(report, want.get("comm")), want)


def _wasted(report: Report, want: Condition) -> bool:
    rows = (report.get("waste") or {}).get("causes") or []
    return _share({row["cause"]: row["ns"] for row in rows}, want)


def _finding(report: Report, want: Condition) -> bool:
    return any(
        re.search(want["id"], one["id"])
        and re.search(want.get("summary", ""), one["summary"])
        and one["severity"] in want.get("severity", (one["severity"],))
        and one["impact_ms"] >= want.get("least_ms", 0)
        for one in findings(report)
    )


def _accused(report: Report, want: Condition) -> bool:
    total_ms = sum(causes(report, None).values()) / 1e6
    return any(
        re.search(want["ids"], one["id"]) and one["severity"] in LOUD and one["impact_ms"] > want["share"] * total_ms
        for one in findings(report)
    )


def _longest(report: Report, want: Condition) -> bool:
    return within(max((row["wait_ns"] / 1e6 for row in waits(report, want["comm"])), default=None), milliseconds(want))


def _behind(report: Report, want: Condition) -> bool:
    return any(
        re.search(want["by"], other["comm"]) and other["ns"] / 1e6 >= want["least_ms"]
        for row in waits(report, want["comm"])
        for other in row.get("antagonists") or []
    )


def _busy(report: Report, want: Condition) -> bool:
    begin, end = report["window_ns"]
    rows = (report.get("utilisation") or {}).get("cpus") or []
    return any(row["cpu"] == want["cpu"] and within(100 * row["busy_ns"] / (end - begin), want) for row in rows)


def _offline(report: Report, want: Condition) -> bool:
    rows = (report.get("headline") or {}).get("offline") or []
    lengths = [row["to_ns"] - row["from_ns"] for row in rows if row["cpu"] == want["cpu"]]
    return within(sum(lengths) / 1e9, want)


def _lost(report: Report, want: Condition) -> bool:
    return within(sum(one.get("lost_events") or 0 for one in report["inputs"]), want)


def _new_tasks(report: Report, want: Condition) -> bool:
    return within(((report.get("latency") or {}).get("new") or {}).get("count"), want)


def _pressure(report: Report, want: Condition) -> bool:
    system = (report.get("psi") or {}).get("system") or {}
    return within((system.get(want["resource"]) or {}).get("some_us"), {"least": want["least_us"]})


def _kicked(report: Report, want: Condition) -> bool:
    return within(((report.get("idle_balancing") or {}).get("kicks") or {}).get("sent"), want)


def _kicks_explained(report: Report, want: Condition) -> bool:
    """Of kicks by the recording and by the model, the lesser share that both have."""
    compared = (report.get("idle_balancing") or {}).get("comparison") or {}
    sides = [compared.get(side) for side in ("observed", "model")]
    return all(sides) and within(min(compared["both"] / count for count in sides), want)


def _placed(report: Report, want: Condition) -> bool:
    """The share of placements that some rule gives, of those with one reason at least `one_reason`."""
    found = report.get("wakeup_placement") or {}
    total = found.get("wakeups", 0) + found.get("forks", 0)
    return (
        total > 0
        and within(1 - found["unexplained"] / total, want)
        and found["certain"] / total >= want.get("one_reason", 0)
    )


def _missed(report: Report, want: Condition) -> bool:
    rows = (report.get("wakeup_placement") or {}).get("missed") or []
    return within(sum(row["wakeups"] for row in rows if row["by"] == want["by"]), want)


def _refused(report: Report, want: Condition) -> bool:
    said = report.get("stderr", "").strip()
    return report.get("exit") == want["exit"] and re.search(want["says"], said) is not None and "\n" not in said


KINDS: Final[dict[str, Callable[[Report, Condition], bool]]] = {
    "waiting": _waiting,
    "wasted": _wasted,
    "finding": _finding,
    "accused": _accused,
    "longest": _longest,
    "behind": _behind,
    "busy": _busy,
    "offline": _offline,
    "lost": _lost,
    "new_tasks": _new_tasks,
    "pressure": _pressure,
    "kicked": _kicked,
    "kicks_explained": _kicks_explained,
    "placed": _placed,
    "missed": _missed,
    "refused": _refused,
}


def milliseconds(want: Condition) -> Condition:
    """`least_ms` and `most_ms` as plain bounds."""
    return {name.removesuffix("_ms"): bound for name, bound in want.items() if name.endswith("_ms")}


def holds(report: Report, condition: Condition) -> bool:
    """Whether a condition holds: all of its kinds do. Raises KeyError of an unknown kind."""
    return all(KINDS[kind](report, want) for kind, want in condition.items() if kind != "why")


def implausible(report: Report) -> list[str]:
    """What cannot be in any recording: sums that are not exact, costs beyond all waiting."""
    found = []
    for name in BEGINNINGS:
        part = (report.get("latency") or {}).get(name) or {}
        rows = part.get("causes") or []
        if rows and (gap := part["wait_ns"] - sum(row["ns"] for row in rows)):
            found.append(f"the causes of {name} waits are {gap} ns off their sum")
    begin, end = report.get("window_ns") or (0, 0)
    outside = [one["id"] for one in findings(report) if not begin <= one["from_ns"] <= one["to_ns"] <= end]
    return found + [f"{name} lies outside of the window" for name in outside]


def broken(report: Report, truth: dict[str, Any]) -> list[str]:
    """The sentences of all conditions that a report breaks, and what is implausible in it."""
    if "exit" in report and not any("refused" in one for one in truth["must_say"]):
        return [f"refused: {report['stderr'].strip()[-200:]}"]
    found = [f"does not say: {one['why']}" for one in truth["must_say"] if not holds(report, one)]
    found += [f"says: {one['why']}" for one in truth["must_not_say"] if holds(report, one)]
    return found + implausible(report)


def false_highs(report: Report, truth: dict[str, Any]) -> list[str]:
    """Findings of high severity that name no true cause."""
    return [
        f"{one['id']}: {one['summary']}"
        for one in findings(report)
        if one["severity"] == "high" and not any(re.search(name, one["id"]) for name in truth["high"])
    ]
