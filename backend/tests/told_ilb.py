"""What an engine tells of the idle load balancer: an example of the section."""

from typing import Any

from tests.told_numa import MOMENT

UNKNOWN = ["nohz.next_balance", "sched_domain intervals", "nohz.has_blocked"]
INFERRED: dict[str, Any] = {"label": "inferred", "missing": UNKNOWN}
SHARE = {"windows": 46, "mean": 16.7, "stdev": 30.2, "min": 2.2, "max": 99.4}
BLANK = dict.fromkeys(
    ("target", "fate", "arrived_ns", "handled_ns", "flags", "why", "jiffies", "served", "migrations"), None
)
KICK = {
    **BLANK,
    "t_ns": MOMENT + 1,
    "kind": "kick_sent",
    "cpu": None,
    "target": 3,
    "fate": "handled",
    "arrived_ns": MOMENT + 2,
    "handled_ns": MOMENT + 3,
    "flags": 11,
    "label": "observed",
}
MODEL = {
    "kicks": 5,
    "ipis": 5,
    "dropped": 1,
    "latched": 0,
    "passes": 4,
    "gate_closed_ticks": 1_234,
    "blocked_ticks": 0,
    "stale_most_jiffies": 7,
    "waste_cpu_ms": 12.5,
}
ILB: dict[str, Any] = {
    **INFERRED,
    "model": "modern",
    "kernel": "7.2.13+deb14-amd64",
    "hz": 250,
    "cpus": 8,
    "observation": {
        "tick": {"by": "probe trigger_load_balance", "label": "observed"},
        "idle_entry": {"by": "tick_stop", "label": "observed"},
        "kick": {"by": "csd_queue_cpu", "label": "observed"},
        "pass": {"by": "made up", "label": "inferred"},
    },
    "kicks": {
        "sent": 9,
        "handled": 6,
        "dropped": 2,
        "latched": 0,
        "blocked": 0,
        "not_seen": 1,
        "with_sender": 8,
        "label": "observed",
        "missing": ["csd_queue_cpu"],
    },
    "passes": {"count": 12, "kicked": 6, "aborted": 1, "migrations": 3, "label": "observed"},
    "blocked_ticks": 0,
    "stale_next_balance": [{"t_ns": MOMENT + 4, "cpu": 2, "jiffies": 7, "label": "inferred"}],
    "idle_percent": {**SHARE, "label": "replayed"},
    "idle_sampled": {**SHARE, "mean": 15.4, "label": "observed"},
    "idle_vmstat": {**SHARE, "mean": 22.1, "label": "observed"},
    "idle_difference": {
        "mean": 0.1,
        "largest": 0.53,
        "by": "dyntick",
        "windows": 46,
        "traced": {**SHARE, "mean": 15.5, "label": "replayed"},
        "counted_percent": 45.8,
        "sentence": "The trace has 15.50 %, the samples 15.40 % in the same 46 windows.",
    },
    "waste": {
        "cpu_ms": 1641.0,
        "beside_waiting_cpu_ms": 16461.1,
        "windows": [{"from_ns": MOMENT + 5, "to_ns": MOMENT + 6, "cpu_ms": 9.8}],
        "label": "inferred",
    },
    "models": [
        {**MODEL, "name": "2011", "label": "what-if", "missing": ["exit of nohz"], "blocked_ticks": 9_759},
        {**MODEL, "name": "2011-patched", "label": "what-if", "missing": []},
        {**MODEL, "name": "modern", **INFERRED},
    ],
    "may": ["These are the kicks that each version would have sent."],
    "may_not": ["It is no prediction of idle time."],
    "comparison": {
        "observed": 9,
        "model": 8,
        "both": 7,
        "reasons": [
            {
                "reason": "same",
                "words": "on both sides",
                "observed_only": 0,
                "model_only": 0,
                "both": 7,
                "sentence": "7 kicks are on both sides.",
            },
            {
                "reason": "gate_later",
                "words": "the kernel's next_balance was later than the model's",
                "observed_only": 2,
                "model_only": 1,
                "both": 0,
                "sentence": "2 kicks only recorded, 1 only of the model.",
            },
        ],
        "same_flags": 6,
        "told_flags": 7,
    },
    "events": [
        KICK,
        {
            **BLANK,
            "t_ns": MOMENT + 7,
            "kind": "pass",
            "cpu": 3,
            "handled_ns": MOMENT + 8,
            "served": 2,
            "migrations": 1,
            "label": "observed",
        },
        {
            **BLANK,
            "t_ns": MOMENT + 9,
            "kind": "stale_next_balance",
            "cpu": 2,
            "why": "enter_nohz",
            "jiffies": 7,
            "label": "inferred",
        },
    ],
    "events_all": 1_451,
    "idle_mask": [{"cpu": 0, "spans": [[MOMENT, MOMENT + 9]]}, {"cpu": 1, "spans": []}],
    "thinned": False,
    "lost_gaps": 0,
}
