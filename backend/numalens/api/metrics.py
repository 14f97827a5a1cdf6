"""Metrics of the server. No metric has a name, an id, an address or a secret in it."""

import time
from collections.abc import Mapping
from pathlib import Path
from typing import Final

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram, ProcessCollector, generate_latest

from numalens import __version__
from numalens.jobs.runner import JOB_RESULTS

REQUEST_SECONDS: Final = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60)
JOB_SECONDS: Final = (0.5, 1, 2, 5, 10, 30, 60, 120, 300, 600, 1800, 3600)
STATES: Final = ("queued", "parsing", "ready", "failed")
SIZED_EVERY_S: Final = 60.0
"""Interval of counting the stored bytes: that looks at every file."""


class Metrics:
    """The metrics of one server."""

    def __init__(self) -> None:
        """All begin at 0."""
        self.registry = CollectorRegistry()
        registry = self.registry
        ProcessCollector(registry=registry)
        Gauge("numalens_build_info", "Version of the server.", ["version"], registry=registry).labels(__version__).set(
            1
        )
        labels = ["method", "route", "status"]
        self._requests = Counter("numalens_http_requests", "Requests by route template.", labels, registry=registry)
        self._seconds = Histogram(
            "numalens_http_request_seconds",
            "Time from the first byte of the request to the last of the response; for streams, their duration.",
            ["method", "route"],
            buckets=REQUEST_SECONDS,
            registry=registry,
        )
        self._job_seconds = Histogram(
            "numalens_job_seconds", "Time of an import.", ["result"], buckets=JOB_SECONDS, registry=registry
        )
        for result in JOB_RESULTS:
            self._job_seconds.labels(result)
        self._analyses = Gauge("numalens_analyses", "Analyses by state.", ["state"], registry=registry)
        self._simple = {
            name: Gauge(f"numalens_{name}", text, registry=registry)
            for name, text in {
                "jobs_queued": "Imports that wait in the queue.",
                "jobs_running": "Imports in progress.",
                "summaries_pending": "Summaries of the fleet still to be computed.",
                "disk_free_bytes": "Free space on the disk of the data folder.",
                "bundles_open": "Open bundles.",
                "sql_engines": "Traces loaded for SQL.",
                "sql_waiting": "Queries that wait for an engine.",
            }.items()
        }
        self._stored = Gauge("numalens_stored_bytes", "Bytes in the data folder.", ["what"], registry=registry)
        self._opened = Counter(
            "numalens_bundle_opens",
            "Requests for bundles, by whether the bundle was already open.",
            ["cache"],
            registry=registry,
        )
        self._guesses = Counter(
            "numalens_guesses_refused", "Unknown links and tokens refused with 429.", registry=registry
        )
        self._sized = -SIZED_EVERY_S

    def request(self, method: str, route: str, status: int, seconds: float) -> None:
        """Counts an answered request."""
        self._requests.labels(method, route, str(status)).inc()
        self._seconds.labels(method, route).observe(seconds)

    def job(self, result: str, seconds: float) -> None:
        """Counts a finished import."""
        self._job_seconds.labels(result).observe(seconds)

    def bundle(self, held: bool) -> None:
        """Counts a bundle that was opened."""
        self._opened.labels("hit" if held else "miss").inc()

    def guess(self) -> None:
        """Counts a secret that was refused with 429."""
        self._guesses.inc()

    def text(self, analyses: Mapping[str, int], now: Mapping[str, float], root: Path) -> bytes:
        """All metrics as text: with numbers of analyses by state, values of this moment, and the bytes below the data folder."""
        for state in STATES:
            self._analyses.labels(state).set(analyses.get(state, 0))
        for name, value in now.items():
            self._simple[name].set(value)
        if time.monotonic() - self._sized >= SIZED_EVERY_S:
            self._sized = time.monotonic()
            # What lies in a bucket is the bucket's to count; what was fetched from it is `cache`.
            for what, name in (("files", "blobs"), ("bundles", "bundles"), ("uploads", "uploads"), ("cache", "cache")):
                self._stored.labels(what).set(bytes_below(root / name))
        return generate_latest(self.registry)


def bytes_below(folder: Path) -> int:
    """The bytes of all files below a folder; files that disappear during the count do not count."""
    total = 0
    for file in folder.rglob("*"):
        try:
            total += file.stat().st_size if file.is_file() else 0
        except OSError:
            continue
    return total
