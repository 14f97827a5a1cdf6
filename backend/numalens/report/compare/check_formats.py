"""Results of a check as text, JUnit's XML and JSON."""

from collections.abc import Mapping, Sequence
from typing import Any, Final
from xml.etree import ElementTree as ET

from numalens.report.compare.check import Checked
from numalens.report.compare.shapes import Comparison

MARKS: Final[Mapping[str, str]] = {
    "ok": "ok",
    "worse": "WORSE",
    "undecided": "undecided",
    "not recorded": "NOT RECORDED",
}
CASES: Final[Mapping[str, str]] = {"worse": "failure", "undecided": "skipped", "not recorded": "error"}
"""Outcomes as names of JUnit."""


def text(comparison: Comparison, checked: Sequence[Checked]) -> str:
    """A line for each threshold, and the differences between the sides."""
    lines = [_title_of(comparison), *(f"  {warned['sentence']}" for warned in comparison["warnings"]), ""]
    for each in checked:
        lines += [f"{MARKS[each.outcome]:<13} {_limit_of(each)}", f"              {each.sentence}"]
    return "\n".join([*lines, "", _verdict_of(checked)]) + "\n"


def junit(comparison: Comparison, checked: Sequence[Checked]) -> str:
    """A test suite in JUnit's XML: a threshold is a test."""
    counts = {name: sum(each.outcome == name for each in checked) for name in MARKS}
    suite = ET.Element(
        "testsuite",
        name="numalens check",
        tests=str(len(checked)),
        failures=str(counts["worse"]),
        errors=str(counts["not recorded"]),
        skipped=str(counts["undecided"]),
    )
    for each in checked:
        case = ET.SubElement(suite, "testcase", classname="numalens", name=_legal(_limit_of(each)))
        if each.outcome in CASES:
            ET.SubElement(case, CASES[each.outcome], message=_legal(each.sentence))
        else:
            ET.SubElement(case, "system-out").text = _legal(each.sentence)
    ET.SubElement(suite, "system-out").text = _legal(_title_of(comparison))
    ET.indent(suite)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{ET.tostring(suite, encoding="unicode")}\n'


def as_json(comparison: Comparison, checked: Sequence[Checked]) -> dict[str, Any]:
    """`numalens.check/1`, with its comparison."""
    checks = [
        {
            "row": each.threshold.row,
            "worse_percent": each.threshold.worse_percent,
            "outcome": each.outcome.replace(" ", "_"),
            "sentence": each.sentence,
        }
        for each in checked
    ]
    return {"schema": "numalens.check/1", "checks": checks, "comparison": comparison}


def _title_of(comparison: Comparison) -> str:
    """Both sides with their runs, and what the values are."""
    base, new = (comparison["sides"][at] for at in (comparison["base"], 1 - comparison["base"]))
    counts = (f"{len(side['analyses'])} {'run' if len(side['analyses']) == 1 else 'runs'}" for side in (base, new))
    names = (f"{side['name']} ({count})" for side, count in zip((base, new), counts, strict=True))
    return f"{' against '.join(names)}. {comparison['samples']['sentence']}"


def _limit_of(each: Checked) -> str:
    """The threshold in words."""
    return f"{each.threshold.row} at most {each.threshold.worse_percent:g} % worse"


def _verdict_of(checked: Sequence[Checked]) -> str:
    """Number of thresholds by result."""
    counts = ((sum(each.outcome == name for each in checked), name) for name in MARKS)
    return f"of {len(checked)} thresholds " + ", ".join(f"{count} {name}" for count, name in counts if count)


def _legal(value: str) -> str:
    """Without what XML cannot have."""
    return "".join(sign if sign.isprintable() or sign in "\n\t" else "\N{REPLACEMENT CHARACTER}" for sign in value)
