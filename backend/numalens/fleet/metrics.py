"""What can be followed over time. A metric is a ratio of sums, or a percentile of added histograms: both can be made of parts."""

from dataclasses import dataclass
from typing import Final

from numalens.report.compare.shapes import Better


@dataclass(frozen=True)
class Metric:
    """A number of a fleet: `scale` times the sum of the facts `top` over that of `bottom`, or over the time of counting.

    With a `quantile` it is that of all wake-up waits together, and `top` is the fact that each recording has of its own.
    """

    name: str
    title: str
    unit: str
    better: Better
    top: str
    bottom: str | None = None
    scale: float = 1.0
    quantile: float | None = None


METRICS: Final = {
    metric.name: metric
    for metric in (
        Metric("wakeup_p50", "Wake-up latency p50", "ns", "lower", "latency_p50_ns", quantile=0.5),
        Metric("wakeup_p99", "Wake-up latency p99", "ns", "lower", "latency_p99_ns", quantile=0.99),
        Metric("wakeups", "Wake-ups", "/s", "neither", "latency_wakeups"),
        Metric("cpu_some", "CPU pressure, some", "%", "lower", "psi_cpu_some", scale=0.1),
        Metric(
            "cpu_some_sampled", "CPU pressure, some, the kernel's own", "%", "lower", "psi_cpu_some_sampled", scale=0.1
        ),
        Metric("memory_some", "Memory pressure, some", "%", "lower", "psi_memory_some", scale=0.1),
        Metric("memory_full", "Memory pressure, full", "%", "lower", "psi_memory_full", scale=0.1),
        Metric("io_some", "I/O pressure, some", "%", "lower", "psi_io_some", scale=0.1),
        Metric("io_full", "I/O pressure, full", "%", "lower", "psi_io_full", scale=0.1),
        Metric("busy", "CPUs busy", "%", "neither", "cpu_busy", "cpu_known", 100.0),
        Metric("wasted", "Idle CPUs while tasks wait", "ms/s", "lower", "waste_all"),
        Metric(
            "failure_ratio", "Attempts to place a task that failed", "%", "lower", "attempts_failed", "attempts", 100.0
        ),
        Metric(
            "cling_failure_ratio",
            "Cling's attempts that failed",
            "%",
            "lower",
            "cling_failures",
            "cling_attempts",
            100.0,
        ),
        Metric("flips", "Flips of busy nodes", "/min", "lower", "cling_flips", scale=60.0),
        Metric("crossings", "Migrations to another node", "/s", "lower", "crossings_total"),
        Metric("pages", "Pages moved between nodes", "/s", "lower", "migration_pages"),
        Metric(
            "too_late", "Pages moved just too late", "%", "lower", "migration_just_too_late", "migration_pages", 100.0
        ),
        Metric("hint_faults", "NUMA hint faults", "/s", "lower", "vmstat_hint_faults"),
        Metric("kicks", "Kicks of the idle load balancer", "/s", "neither", "ilb_sent"),
        Metric("kicks_dropped", "Kicks that were dropped", "%", "lower", "ilb_dropped", "ilb_sent", 100.0),
    )
}
