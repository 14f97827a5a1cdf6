"""Measures the readers, ingest and window queries on large recordings, against the recorders' own readers."""

import argparse
from pathlib import Path


def options() -> argparse.Namespace:
    """The command line of `npm run bench -- ...`."""
    parser = argparse.ArgumentParser(prog="npm run bench --", description=__doc__)
    parser.add_argument("--file", type=Path, help="measure this trace.dat instead of making one")
    parser.add_argument("--generated", action="store_true", help="generate the recording even where recording works")
    parser.add_argument("--rounds", type=int, default=3, help="runs of each program (default 3)")
    parser.add_argument("--queries", type=int, default=1000, help="random windows to ask for (default 1000)")
    parser.add_argument("--no-http", action="store_true", help="leave out the queries over HTTP")
    parser.add_argument("--no-page", action="store_true", help="leave out the page in a browser")
    parser.add_argument("--page-only", action="store_true", help="nothing but the page in a browser")
    parser.add_argument(
        "--browser-only", action="store_true", help="nothing but a page's engine against the native one"
    )
    parser.add_argument("--loads", type=int, default=5, help="cold loads of a page (default 5)")
    parser.add_argument(
        "--service-only", action="store_true", help="nothing but the command line's start and the fleet"
    )
    parser.add_argument("--flight-only", action="store_true", help="nothing but the flight recorder beside hackbench")
    parser.add_argument("--pairs", type=int, default=20, help="runs with and without it (default 20)")
    parser.add_argument("--seconds", type=int, default=10, help="how long keys are held (default 10)")
    parser.add_argument("--crowd-only", action="store_true", help="nothing but many viewers at once")
    parser.add_argument("--abuse", action="store_true", help="nothing but greedy clients beside many viewers")
    parser.add_argument("--crowd-seconds", type=int, default=60, help="how long they pan (default 60)")
    parser.add_argument("--viewers", type=int, help="how many they are (default 100, with --abuse 200)")
    parser.add_argument("--cache", type=Path, required=True, help=argparse.SUPPRESS)
    parser.add_argument("--decoder", type=Path, required=True, help=argparse.SUPPRESS)
    parser.add_argument("--replayer", type=Path, required=True, help=argparse.SUPPRESS)
    parser.add_argument("--numa-replayer", type=Path, required=True, help=argparse.SUPPRESS)
    parser.add_argument("--ilb-replayer", type=Path, required=True, help=argparse.SUPPRESS)
    return parser.parse_args()


if __name__ == "__main__":
    # Without our packages: the list of options needs no build.
    options()
