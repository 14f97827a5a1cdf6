"""What an engine tells of the NUMA balancers: an example of each section."""

from typing import Any

MOMENT = 9_007_199_254_740_993
"""More than a number keeps in a browser."""
REPLAYED: dict[str, Any] = {"label": "replayed", "missing": []}
ROWS = dict.fromkeys(
    (
        "migrate_failed_no_cpu",
        "migrate_failed_move_to_idle",
        "migrate_failed_swap_task_fail",
        "task_migrated_swapped",
        "task_migrated_swapped_local_nid",
        "task_migrated_swapped_within_group",
        "task_migrated_idle_cpu",
        "task_migrated_idle_cpu_local_nid",
        "task_migrate_retry",
        "task_migrate_retry_success",
        "task_migrate_retry_failed",
        "load_balance_cross_numa",
    ),
    4,
)
OPS = {
    "attempts": 9,
    "unknown": 1,
    "moves": 4,
    "moves_ok": 3,
    "swaps": 2,
    "swaps_ok": 1,
    "swaps_local": 0,
    "swaps_within_group": 1,
    "failures": {
        "no_cpu": 2,
        "move_failed": 1,
        "move_refused": 0,
        "swap_raced": 1,
        "swap_refused": 0,
        "no_domain": 0,
    },
    "retries": 1,
    "migrations": 90,
    "crossings": {
        "total": 12,
        "numa": 5,
        "lb_cross": 7,
        "wakeup": 2,
        "runnable": 4,
        "asleep": 0,
        "unknown": 0,
        "unexplained": 1,
    },
    "rows": ROWS,
    "mmtests": {**ROWS, "task_migrate_retry_success": None},
    "mmtests_warnings": 3,
    **REPLAYED,
}
ATTEMPT = {
    "start_ns": MOMENT + 1,
    "end_ns": MOMENT + 2,
    "cpu": 2,
    "pid": 77,
    "comm": "worker",
    "tgid": 70,
    "ngid": 0,
    "src_cpu": 2,
    "src_nid": 0,
    "dst_cpu": -1,
    "dst_nid": -1,
    "target_nid": 1,
    "target_from": "two_nodes",
    "verdict": "no_cpu",
    "failed": True,
    "ret": -11,
    "partner": {"pid": 78, "tgid": 70, "ngid": 0},
    "partner_comm": "other",
    "explanation": {
        "src_nid": 0,
        "dst_nid": 1,
        "nodes": [
            {
                "nid": 1,
                "nr_running": 5,
                "weight": 4,
                "idle_cpus": 0,
                "unknown_cpus": 0,
                "node_type": ["overloaded"],
                "label": "replayed",
            }
        ],
        "imbalance": {"src_running": 8, "dst_running": 6, "imbalance": 0},
        "answers": [
            {
                "rules": "6.0",
                "recorded": True,
                "maymove": "denied",
                "imbalance": 2,
                "imb_numa_nr": 1,
                "label": "inferred",
            }
        ],
        "no_cpu": "dst_overloaded",
        "extra_wait_ns": None,
        "label": "inferred",
        "missing": ["llc_topology"],
    },
}
COUNTERS = {"f": 1536, "t": 1536, "q": 99, "busiest_nid": 0}
NOTE = {
    "t_ns": MOMENT + 3,
    "kind": "load_balance",
    "outcome": "clings",
    "group": 1,
    "pid": 77,
    "snid": 0,
    "dnid": 1,
    "by": {**COUNTERS, "nid": 0, "degree": 20},
    "function": "migrate_degrades_locality",
    "after_parting": False,
    "label": "observed",
    "missing": [],
}
STEP = {
    "t_ns": MOMENT + 4,
    "nid": 0,
    "failure_scaled": 1536,
    "total_scaled": 1536,
    "ratio_percent": 99,
    "busiest_nid": 0,
}
CLING_GROUP = {
    "number": 1,
    "gid": 755,
    "cgroup": "/a/b",
    "from_ns": MOMENT,
    "to_ns": MOMENT + 9,
    "disabled_ns": None,
    "nodes": [
        {
            "nid": 0,
            "attempts": 5,
            "failures": 4,
            "failure_scaled": 1536,
            "total_scaled": 1536,
            "ratio_percent": 99,
        }
    ],
    "series": [STEP],
    "busy": [{"nid": 0, "from_ns": MOMENT + 4, "to_ns": MOMENT + 8}],
    "flips": [{**COUNTERS, "t_ns": MOMENT + 4, "nid": 0, "busy": True, "degree": 20}],
    **REPLAYED,
}
REPRODUCED = {
    "printed": 9,
    "reproduced": 8,
    "shifted": 2,
    "percent": 88.9,
    "missed": [{"reason": "timer_order", "count": 1, "first_ns": MOMENT + 5}],
    "extra": [],
}
WHAT_IF = {
    "degree": 40,
    "groups": [{"group": 1, "parts_ns": MOMENT + 6, "differing": 2, "points": 9}],
    "parts": {
        **COUNTERS,
        "t_ns": MOMENT + 6,
        "site": "memory",
        "group": 1,
        "pid": 77,
        "snid": 1,
        "dnid": 0,
        "nid": 0,
        "fits_busy": None,
        "label": "observed",
    },
    "first_reset_ns": MOMENT + 7,
    "label": "what-if",
    "missing": [],
}
SHORTER = {"than_ns": 1_000_000_000, "count": 2, "share": 0.5}
REMOTE = {"ns": 0, "missing": ["run times"]}
METRICS = {
    "moves": {"count": 9, "per_s": 0.5, "by_how": [["waking", 2]], "unseen": 0, "unplaced": 0, **REPLAYED},
    "dwell": {
        "count": 4,
        "p50_ns": 5,
        "p99_ns": 6,
        "max_ns": 7,
        "sum_ns": 20,
        "violations": [SHORTER],
        "short": SHORTER,
        "short_remote": REMOTE,
        **REPLAYED,
    },
    "just_too_late": {
        "amortisation_ns": 1_000_000_000,
        "migrated_pages": 9,
        "pages": 3,
        "share": 0.33,
        "undecided_pages": 1,
        "batches": 3,
        "migrate_ns": 8,
        "untimed_batches": 0,
        "told_batches": 0,
        **REPLAYED,
    },
    "memory_follows_cpu": {
        "pages": 9,
        "failed": 0,
        "batches": 9,
        "per_s": 0.9,
        "nodes": [{"nid": 0, "pages": 9, "per_s": 0.9}],
        **REPLAYED,
    },
    "cpu_follows_memory": {
        "moves": 9,
        "following": 2,
        "unknown": 7,
        "share": None,
        "by": [["balancer", 2]],
        **REPLAYED,
    },
    "fight": {
        "windows": 5,
        "fighting": 1,
        "index": 0.2,
        "at_most": 0.4,
        "processes": [{"tgid": 70, "windows": 1, "active": 2, "pages": 3, "moves": 4, "remote": REMOTE}],
        **REPLAYED,
    },
    "locality": {"faults": None, "faults_quality": REPLAYED, "pages": 0.5, "pages_quality": REPLAYED},
    "convergence": {"after_ns": None, **REPLAYED},
    "durations": [
        {
            "reason": "numa_misplaced",
            "batches": 9,
            "timed": 9,
            "pages": 9,
            "failed": 0,
            "sum_ns": 90,
            "p50_ns": 9,
            "p99_ns": 20,
            "max_ns": 21,
            "error_percent": 1,
        }
    ],
    "tasks": {
        "count": 1,
        "rows": [
            {
                "pid": 77,
                "tgid": 70,
                "task": None,
                "moves": 3,
                "short_dwells": 1,
                "by_node": [[0, 5], [1, 6]],
                "pages": 9,
                "just_too_late_pages": 3,
                "migrate_ns": 8,
                "run_ns": None,
            }
        ],
    },
    "series": {
        "step_ns": 100,
        "moves": [1, 2],
        "pages": [3, 4],
        "all_pages": [3, 4],
        "just_too_late": [0, 1],
        "by_node": [[3, 4]],
    },
}
RATIOS = {"misplaced_per_checked": 0.5, "lazy_waste": None}
TABLE = {
    "rows": [
        {
            "t_ns": None,
            "counters": {"loc_checked": 9},
            "cached": 1,
            "references": 2,
            "shared": 1,
            "beyond_misplaced": -1,
            "never_cached": 0,
        }
    ],
    "laws": [
        {
            "law": "C1",
            "form": "MP <= LC",
            "holds": 0,
            "skewed": 0,
            "rows": 1,
            "violated": 1,
            "violations": [{"row": 0, "t_ns": MOMENT + 3, "what": "MP > LC", "by": 4}],
        }
    ],
    "ratios": RATIOS,
    "window": None,
    "leak": {"from_ns": None, "to_ns": MOMENT + 4, "entries": 5},
    **REPLAYED,
}
NUMA_SECTIONS: dict[str, Any] = {
    "balancing": {
        "ops": OPS,
        "attempts": [ATTEMPT],
        "attempts_more": 8,
        "rules": {
            "name": "6.0",
            "allowance": "llc_eighth",
            "classifier": "util_and_runnable",
            "sd_imbalance_pct": 117,
        },
        "rules_assumed": False,
        "counts": {"moves": 4},
        "sources": {"moves": True, "stick": "ten", "timer_probe": None},
        "per_node": {
            "reading": "busy",
            "t0_ns": MOMENT,
            "step_ns": 5_000_000_000,
            "nodes": [{"nid": 0, "percent": [50], "average": 50}],
            "imbalance": [{"from_ns": MOMENT, "max_min": None, "stdev": 0.5, "hhi": 0.5}],
            **REPLAYED,
        },
    },
    "cling": {
        "known_by": "lines",
        "degree": 40,
        "degrees": [[0, 40]],
        "timer_period_ns": 204_000_000,
        "groups": [CLING_GROUP],
        "decisions": [NOTE],
        "decisions_more": 0,
        "annotations": [{**NOTE, "pid": None, "kind": "busy", "outcome": "busy"}],
        "annotations_more": 2,
        "checked": {
            "kinds": [{"check": "timer", "compared": 3, "exact": 2, "near": 1, "adopted": 0}],
            "violations": [
                {
                    "t_ns": MOMENT + 5,
                    "cpu": 1,
                    "group": 1,
                    "check": "timer",
                    "printed": "1",
                    "replayed": "2",
                    "reason": "timer",
                }
            ],
            "violations_all": 1,
        },
        "from_events": {
            "attempts": REPRODUCED,
            "rightly_not_counted": 1,
            "counters": REPRODUCED,
            "flips": {**REPRODUCED, "percent": None},
        },
        "from_everything": {
            "attempts": REPRODUCED,
            "rightly_not_counted": 0,
            "counters": REPRODUCED,
            "flips": REPRODUCED,
        },
        "readings": {"all": 9, "adopted": 1, "exactly": 7, "reordered": 1, "timer_shifted": 0, "not": 0},
        "what_if": WHAT_IF,
    },
    "migration": {
        "metrics": METRICS,
        "modern": {
            "samples_ns": [MOMENT, MOMENT + 1],
            "equivalents": [
                {"statistic": "MP", "name": "pgs misplacd", "source": None, "value": 9, "note": "a note", **REPLAYED}
            ],
            "conserved": [
                {
                    "law": "a <= b",
                    "left": 1,
                    "right": 2,
                    "residual": 1,
                    "slack": 0,
                    "rule": "at_least",
                    "holds": True,
                    **REPLAYED,
                }
            ],
        },
        "table": TABLE,
        "what_if": {
            "interval_s": 30,
            "moves": 9,
            "first": 1,
            "later": 2,
            "refused": [
                {
                    "t_ns": MOMENT + 6,
                    "pid": 77,
                    "task": 3,
                    "from_nid": 0,
                    "to_nid": 1,
                    "after_ns": 5,
                    "label": "inferred",
                }
            ],
            **REPLAYED,
        },
        "amortisation_ns": 1_000_000_000,
    },
    "vmstat": {
        "sampled_from_ns": MOMENT + 1,
        "sampled_to_ns": MOMENT + 2,
        "table": {
            "rows": [
                {"row": "hint_faults", "name": "NUMA hint faults", "value": 12.0},
                {"row": "autonuma_cost_intended", "name": None, "value": None},
            ],
            **REPLAYED,
        },
    },
}
