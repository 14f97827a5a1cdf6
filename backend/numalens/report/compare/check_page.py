"""What a check says as one HTML page: everything in the file, nothing fetched, no script."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Final
from urllib.parse import quote
from xml.etree import ElementTree as ET

from numalens.report.compare.check import NS_PER_MS, Checked, Outcome
from numalens.report.compare.check_formats import MARKS, legal, limit_of, title_of, verdict_of
from numalens.report.compare.shapes import ComparedCell, ComparedTable, ComparedTableRow, Comparison

# Nothing may be loaded, whatever a name of a file holds.
POLICY: Final = "default-src 'none'; style-src 'unsafe-inline'"
CLASSES: Final[dict[Outcome, str]] = {
    "ok": "ok",
    "worse": "worse",
    "undecided": "undecided",
    "not recorded": "worse",
}
STYLE: Final = """
:root { color-scheme: light dark; font: 15px/1.5 system-ui, sans-serif; }
body { margin: 2rem auto; max-width: 70rem; padding: 0 1rem; }
h1 { font-size: 1.4rem; } h2 { font-size: 1.1rem; margin-top: 2rem; }
table { border-collapse: collapse; width: 100%; } caption { text-align: left; }
th, td { padding: .3rem .6rem; border-bottom: 1px solid #8886; text-align: left; vertical-align: top; }
td.n, th.n { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
.mark { font-weight: 600; white-space: nowrap; }
.ok { color: #18753c; } .worse { color: #b3151d; } .undecided { color: #8a5300; }
@media (prefers-color-scheme: dark) { .ok { color: #5ed08a; } .worse { color: #ff8a85; } .undecided { color: #f0b45a; } }
"""


def page(comparison: Comparison, checked: Sequence[Checked], runs: Mapping[str, str]) -> str:
    """The verdict, each threshold with its sentence, and all rows of the comparison with both sides' means.

    `runs` has the paths of pages with the runs themselves, by what they are called.
    """
    root = ET.Element("html", lang="en")
    head = ET.SubElement(root, "head")
    ET.SubElement(head, "meta", charset="utf-8")
    ET.SubElement(head, "meta", {"http-equiv": "Content-Security-Policy", "content": POLICY})
    ET.SubElement(head, "meta", name="viewport", content="width=device-width, initial-scale=1")
    _text(head, "title", f"NumaLens: {verdict_of(checked)}")
    ET.SubElement(head, "style").text = STYLE
    body = ET.SubElement(root, "body")
    _text(body, "h1", f"NumaLens: {verdict_of(checked)}")
    _text(body, "p", title_of(comparison))
    for warned in comparison["warnings"]:
        _text(body, "p", warned["sentence"], **{"class": "undecided"})
    table = _table(body, ("", "threshold", "result"))
    for each in checked:
        row = ET.SubElement(table, "tr")
        _text(row, "td", MARKS[each.outcome], **{"class": f"mark {CLASSES[each.outcome]}"})
        _text(row, "td", limit_of(each))
        _text(row, "td", each.sentence)
    if runs:
        _text(body, "h2", "Runs")
        listed = ET.SubElement(body, "ul")
        for name, path in runs.items():
            _text(ET.SubElement(listed, "li"), "a", name, href=quote(path))
    for part in comparison["tables"]:
        _rows(body, part, comparison["base"])
    return f"<!doctype html>\n{ET.tostring(root, encoding='unicode', method='html')}\n"


def _rows(body: ET.Element, table: ComparedTable, base: int) -> None:
    rows = [row for row in table["rows"] if any(side["mean"] is not None for side in row["sides"])]
    if not rows:
        return
    _text(body, "h2", table["title"])
    into = _table(body, ("", "base", "new", "change", "beyond what varies"), numbers=(1, 2, 3))
    for row in rows:
        line = ET.SubElement(into, "tr")
        cells = [row["sides"][at] for at in (base, 1 - base)]
        new = cells[1]
        _text(line, "td", f"{row['title']}{_unit(row)}")
        for cell in cells:
            _text(line, "td", _mean(row, cell), **{"class": "n"})
        seen = new["intervals"]
        _text(line, "td", _change(row, new), **{"class": f"n {_class(row, new)}".strip()})
        _text(line, "td", "not known" if seen is None else "yes" if seen["significant"] else "no")


def _unit(row: ComparedTableRow) -> str:
    unit: str = "ms" if row["unit"] == "ns" else row["unit"]
    unit = f"{unit or 1}/s" if row["counted"] else unit
    return f" [{unit}]" if unit else ""


def _mean(row: ComparedTableRow, cell: ComparedCell) -> str:
    if cell["mean"] is None:
        return "not recorded"
    return f"{cell['mean'] / (NS_PER_MS if row['unit'] == 'ns' else 1.0):.4g}"


def _change(row: ComparedTableRow, new: ComparedCell) -> str:
    percent = new["percent"]
    if percent is None:
        return "none"
    words = ("more", "less") if row["better"] == "neither" else ("better", "worse")
    return f"{abs(percent):.1f} % {words[percent < 0]}" if percent else "the same"


def _class(row: ComparedTableRow, new: ComparedCell) -> str:
    if (
        row["better"] == "neither"
        or not new["percent"]
        or new["intervals"] is None
        or not new["intervals"]["significant"]
    ):
        return ""
    return "ok" if new["percent"] > 0 else "worse"


def _table(body: ET.Element, heads: Iterable[str], numbers: Sequence[int] = ()) -> ET.Element:
    table = ET.SubElement(body, "table")
    row = ET.SubElement(ET.SubElement(table, "thead"), "tr")
    for at, head in enumerate(heads):
        _text(row, "th", head, scope="col", **({"class": "n"} if at in numbers else {}))
    return ET.SubElement(table, "tbody")


def _text(parent: ET.Element, tag: str, text: str, **attributes: str) -> None:
    ET.SubElement(parent, tag, attributes).text = legal(text)
