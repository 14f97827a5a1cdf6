"""Makes recordings whose cause is known because it was made on purpose, and scores what a report says of them.

python scripts/scenarios make FOLDER --count N --seed S [--guest KERNEL_PACKAGE] [--cause NAME]
python scripts/scenarios flight FOLDER --count N --seed S [--guest KERNEL_PACKAGE] [--cause NAME]
python scripts/scenarios reference FOLDER [--row NAME ...] [--guest KERNEL_PACKAGE]
python scripts/scenarios score CLI FOLDER
python scripts/scenarios overhead --guest KERNEL_PACKAGE [--pairs N --loops N]

`make` needs root, records this machine or boots guests in QEMU, and writes a folder for each scenario with the recording,
`facts.json` (what the kernel counted meanwhile) and `truth.json`.
"""

import argparse
import io
import json
import os
import sys
import tarfile
import tempfile
import time
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

# Found from scripts/scenarios, as the modules next to this one are.
sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "backend"))

from catalogue import CAUSES, Scenario, draw, seeded
from flight import STALLS, fly_all, must_name, planned, trigger_of
from guest import GuestError, Kernel, fetch, machine_of, play_batch
from machine import idle_ns, this_machine
from model import Cause, Facts, Machine
from play import play
from reference import ROWS, Row, chosen, lacking
from score import score

# A machine with other work of its own has other causes: natively a recording is made again when it had.
BUSY: Final = 0.25
STALLED: Final = 0.05
TRIES: Final = 3
# One boot does all pairs.
LONGEST_S: Final = 7200.0
GUEST_S: Final = 400.0
BATCH: Final = 6


def quiet(limit_s: float = 40.0) -> bool:
    """Waits until the machine has little to do; whether it came to that."""
    end = time.monotonic() + limit_s
    while time.monotonic() < end:
        before, begin = idle_ns(), time.monotonic_ns()
        time.sleep(1.0)
        gone, after = time.monotonic_ns() - begin, idle_ns()
        idle = sum(after[cpu] - before[cpu] for cpu in after) / (gone * len(after))
        if idle > 1 - BUSY:
            return True
    return False


def others_share(facts: Facts) -> float:
    """The share of the CPUs that other tasks than the scenario's used."""
    capacity = facts.elapsed_ns * len(facts.idle_ns)
    return 1 - (sum(facts.idle_ns.values()) + sum(facts.run_ns.values())) / capacity


def disturbed(cause: Cause, facts: Facts) -> str | None:
    """What other tasks did to a recording, if it is too much."""
    # The time of ended children and threads is not counted here.
    if cause.name not in {"forks", "lost"} and (share := others_share(facts)) > BUSY:
        return f"others used {share:.0%} of the CPUs"
    stalled = facts.pressure_us.get("io", 0) * 1000 / facts.elapsed_ns
    if cause.name not in {"io", "memory"} and stalled > STALLED:
        return f"others waited for disks {stalled:.0%} of the time"
    return None


def facts_of(folder: Path) -> Facts:
    """What was measured. JSON has texts for keys."""
    found = json.loads((folder / "facts.json").read_text(encoding="utf-8"))
    found["idle_ns"] = {int(cpu): ns for cpu, ns in found["idle_ns"].items()}
    return Facts(**found)


def finish(scenario: Scenario, folder: Path, kernel: str, *, flight: bool = False) -> None:
    """Strips or cuts the recording as planned, and writes its truth."""
    plan, facts = scenario.cause.plan, facts_of(folder)
    bundle = folder / "bundle.tar.gz"
    if not plan.sides or plan.cut is not None:
        with tarfile.open(bundle) as archive:
            member = next(one for one in archive.getmembers() if one.name.endswith("trace.dat"))
            source = archive.extractfile(member)
            data = source.read() if source is not None else b""
            kept = [one for one in archive.getmembers() if one.name.endswith("topology.txt")]
            texts = [(one, reader.read()) for one in kept if (reader := archive.extractfile(one)) is not None]
        if plan.cut is not None:
            (folder / "trace.dat").write_bytes(data[: int(len(data) * plan.cut)])
            bundle.unlink()
        else:
            with tarfile.open(bundle, "w:gz", compresslevel=6) as archive:
                for one, text in [(member, data), *texts]:
                    archive.addfile(one, io.BytesIO(text))
    truth = scenario.cause.truth(facts)
    if flight:
        truth = must_name(scenario.cause.name, truth, facts.pressure_us)
    description: dict[str, Any] = {
        "scenario": scenario.name,
        "cause": scenario.cause.name + (" (look-alike)" if scenario.cause.twin else ""),
        "seed": scenario.seed,
        "kernel": kernel,
        "machine": asdict(scenario.cause.machine),
        **asdict(truth),
        "plan": plan.as_json(),
        **({"trigger": trigger_of(folder)} if flight else {}),
    }
    (folder / "truth.json").write_text(json.dumps(description, indent=1) + "\n", encoding="utf-8")


def make_native(scenarios: list[Scenario], root: Path) -> None:
    """Records them on this machine, one after the other."""
    for scenario in scenarios:
        folder = root / scenario.name
        if (folder / "truth.json").exists():
            continue
        for _ in range(TRIES):
            if not quiet():
                print(f"{scenario.name}: the machine is busy with other work", flush=True)
                continue
            try:
                play(scenario.cause.plan.as_json(), folder)
            except (OSError, RuntimeError) as error:
                print(f"{scenario.name}: {error}", flush=True)
                break
            if trouble := disturbed(scenario.cause, facts_of(folder)):
                print(f"{scenario.name}: {trouble}", flush=True)
                continue
            finish(scenario, folder, os.uname().release)
            print(f"made {scenario.name}", flush=True)
            break


def fly_native(scenarios: list[Scenario], root: Path) -> None:
    """Provokes them on this machine below one flight recorder, again in turns as long as other work disturbed some."""
    for _ in range(TRIES):
        left = [one for one in scenarios if not (root / one.name / "truth.json").exists()]
        if not left:
            return
        quiet()
        fly_all({one.name: one.cause.plan.as_json() for one in left}, root)
        for one in left:
            folder = root / one.name
            if not (folder / "bundle.tar.gz").exists():
                continue
            if trouble := disturbed(one.cause, facts_of(folder)):
                print(f"{one.name}: {trouble}", flush=True)
            else:
                finish(one, folder, os.uname().release, flight=True)


def make_guest(scenarios: list[Scenario], root: Path, kernel: Kernel, *, flight: bool = False) -> None:
    """Records them in guests, several in each boot."""
    left = [one for one in scenarios if not (root / one.name / "truth.json").exists()]
    program = "flight.py" if flight else "play.py"
    for begin in range(0, len(left), BATCH):
        part = left[begin : begin + BATCH]
        with tempfile.TemporaryDirectory(prefix=".boot-", dir=root, ignore_cleanup_errors=True) as place:
            share = Path(place)
            try:
                batch = {one.name: one.cause.plan.as_json() for one in part}
                play_batch(kernel, part[0].cause.machine, batch, share, 120 + GUEST_S * len(part), program)
            except GuestError as error:
                print(error, flush=True)
            log = share / "console.log"
            if log.exists():
                (root / f"console-{part[0].name}.log").write_bytes(log.read_bytes())
            for one in part:
                if (share / one.name / "facts.json").exists() and (share / one.name / "bundle.tar.gz").exists():
                    (share / one.name).rename(root / one.name)
                    finish(one, root / one.name, kernel.release, flight=flight)
                    print(f"made {one.name}", flush=True)
                else:
                    print(f"{one.name}: not made", flush=True)


def make_reference(rows: list[Row], root: Path, kernels: Path) -> bool:
    """Makes rows of the reference set, those of a guest in one boot; whether all are there."""
    guests: dict[tuple[str, str | None, int, int, int], list[Row]] = {}
    for row in rows:
        guests.setdefault((row.kernel, row.suite, row.cpus, row.nodes, row.threads), []).append(row)
    for (release, suite, cpus, nodes, threads), same in guests.items():
        try:
            kernel = fetch(f"linux-image-{release}", kernels, suite)
        except GuestError as error:
            print(f"{', '.join(row.name for row in same)}: not made: {error}", flush=True)
            continue
        machine = machine_of(kernel, cpus, nodes, threads)
        refused = {row.name: why for row in same if (why := lacking(row, machine))}
        for why in refused.values():
            print(why, flush=True)
        make_guest([seeded(machine, row.name, row.seed) for row in same if row.name not in refused], root, kernel)
    return all((root / row.name / "truth.json").exists() for row in rows)


def overhead(kernel: Kernel, machine: Machine, pairs: int, loops: int) -> int:
    """Prints what a flight recorder costs hackbench in a guest, where instructions are counted; the exit status."""
    with tempfile.TemporaryDirectory(prefix="overhead-", ignore_cleanup_errors=True) as place:
        share = Path(place)
        try:
            play_batch(kernel, machine, {"pairs": pairs, "loops": loops}, share, LONGEST_S, "../bench/flight.py")
        except GuestError as error:
            print(error)
        console = (share / "console.log").read_text(encoding="utf-8", errors="replace")
    found = [line for line in console.splitlines() if line.startswith("flight recorder")]
    print("\n".join(found) if found else console[-2000:])
    return 0 if found else 1


def arguments() -> argparse.ArgumentParser:
    """The command line."""
    parser = argparse.ArgumentParser(prog="scenarios", description=(__doc__ or "").partition("\n")[0])
    commands = parser.add_subparsers(dest="command", required=True)
    make = commands.add_parser("make", help="make recordings")
    flight = commands.add_parser("flight", help="provoke stalls below a flight recorder")
    for one in (make, flight):
        making(one)
    again = commands.add_parser("reference", help="make the recordings of docs/reference-set.md")
    again.add_argument("folder", type=Path)
    again.add_argument(
        "--row", action="append", choices=[row.name for row in ROWS], help="one of them, may be given again"
    )
    kernel_options(again, required=False)
    cost = commands.add_parser("overhead", help="measure what a flight recorder costs in a guest")
    cost.add_argument("--pairs", type=int, default=8)
    cost.add_argument("--loops", type=int, default=60, help="of hackbench")
    machine_options(cost, required=True)
    judge = commands.add_parser("score", help="analyze and judge")
    judge.add_argument("cli")
    judge.add_argument("folder", type=Path)
    return parser


def making(make: argparse.ArgumentParser) -> None:
    """The options of what makes recordings."""
    make.add_argument("folder", type=Path)
    make.add_argument("--count", type=int, default=10)
    make.add_argument("--seed", type=int, default=1)
    make.add_argument("--cause", choices=[kind.name for kind in CAUSES])
    machine_options(make, required=False)


def machine_options(command: argparse.ArgumentParser, *, required: bool) -> None:
    """The options that say which guest."""
    kernel_options(command, required=required)
    command.add_argument("--cpus", type=int, default=4, help="of a guest")
    command.add_argument("--nodes", type=int, default=2, help="of a guest")
    command.add_argument("--threads", type=int, default=1, help="of each core of a guest")


def kernel_options(command: argparse.ArgumentParser, *, required: bool) -> None:
    """The options that say which kernel."""
    about = "a Debian package, such as linux-image-6.1.0-56-amd64"
    command.add_argument("--guest", metavar="KERNEL_PACKAGE", required=required, help=about)
    command.add_argument("--suite", help="the Debian suite of that package, such as forky, if it is not this machine's")
    command.add_argument("--kernels", type=Path, default=Path("~/.cache/numalens-kernels").expanduser())


def main() -> int:
    """Runs the command; the exit status."""
    options = arguments().parse_args()
    if options.command == "score":
        return 0 if score(options.cli, options.folder) else 1
    if options.command == "reference":
        options.folder.mkdir(parents=True, exist_ok=True)
        release = options.guest and options.guest.removeprefix("linux-image-")
        rows = chosen(options.row, release, options.suite)
        return 0 if make_reference(rows, options.folder.resolve(), options.kernels) else 1
    kernel = fetch(options.guest, options.kernels, options.suite) if options.guest else None
    machine = machine_of(kernel, options.cpus, options.nodes, options.threads) if kernel else this_machine(guest=False)
    if kernel is not None and options.command == "overhead":
        return overhead(kernel, machine, options.pairs, options.loops)
    options.folder.mkdir(parents=True, exist_ok=True)
    root = options.folder.resolve()
    flight = options.command == "flight"
    scenarios = draw(machine, options.count, options.seed, options.cause, STALLS if flight else None)
    if flight:
        scenarios = [planned(one) for one in scenarios]
    if kernel is not None:
        make_guest(scenarios, root, kernel, flight=flight)
    elif flight:
        fly_native(scenarios, root)
    else:
        make_native(scenarios, root)
    return 0


if __name__ == "__main__":
    sys.exit(main())
