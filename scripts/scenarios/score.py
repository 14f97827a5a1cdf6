"""Analyzes the recordings of a folder with a command line and scores what it says."""

import json
import subprocess
from collections import Counter
from pathlib import Path
from typing import Any, Final

from judge import broken, false_highs

# What `make` writes, and how samples/scenarios has it.
RECORDINGS: Final = ("bundle.tar.gz", "bundle.tar.zst", "trace.dat", "trace.dat.zst")


def report_of(cli: str, recording: Path) -> dict[str, Any]:
    """The report, or exit status and standard error of a refusal."""
    command = ["nice", cli, "analyze", str(recording), "--json", "-"]
    done = subprocess.run(command, capture_output=True, text=True, timeout=900, check=False)
    if done.returncode:
        return {"exit": done.returncode, "stderr": done.stderr}
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def recording_of(folder: Path) -> Path:
    """The one recording of a scenario's folder."""
    return next(path for name in RECORDINGS if (path := folder / name).exists())


def score(cli: str, root: Path) -> bool:
    """Prints a line for each scenario below a folder and the sums; whether all are right and no `high` is false."""
    right: Counter[str] = Counter()
    total: Counter[str] = Counter()
    false = 0
    for path in sorted(root.rglob("truth.json")):
        truth, folder = json.loads(path.read_text(encoding="utf-8")), path.parent
        report = report_of(cli, recording_of(folder))
        (folder / "report.json").write_text(json.dumps(report), encoding="utf-8")
        wrong, highs = broken(report, truth), false_highs(report, truth)
        total[truth["cause"]] += 1
        right[truth["cause"]] += not wrong and not highs
        false += len(highs)
        verdict = "WRONG" if wrong or highs else "right"
        print(f"{verdict} {folder.relative_to(root)}: {truth['sentence']}", flush=True)
        for line in [*wrong, *(f"false high: {one}" for one in highs)]:
            print(f"      - {line}")
    for cause in sorted(total):
        print(f"{right[cause]:4} of {total[cause]:3} {cause}")
    print(f"{sum(right.values())} of {sum(total.values())} right, {false} false high")
    return right == total and not false
