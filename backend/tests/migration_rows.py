"""Rows as each released schema had them: of a column, from which revision to before which it was there, and its value."""

import datetime as dt
from collections.abc import Iterator
from typing import Any

MADE = dt.datetime(2026, 1, 2, 3, 4, 5, 678901)  # noqa: DTZ001  (UTC, as it is stored)
SUMMARY = {"name": "x.dat", "events": 7}

# What was in a row from the first revision on.
FIRST: list[tuple[str, str, dict[str, Any]]] = [
    ("0001", "uploads", {"id": "coming", "name": "c", "length": 5, "metadata_header": "", "created_at": MADE}),
    ("0001", "analyses", {"id": "read", "title": "T", "status": "ready", "created_at": MADE, "sample": False}),
    ("0001", "analyses", {"id": "waiting", "title": "W", "status": "queued", "created_at": MADE, "sample": False}),
    ("0001", "inputs", {"analysis_id": "read", "position": 0, "name": "x.dat", "bytes": 5, "sha256": "f" * 64}),
    ("0001", "inputs", {"analysis_id": "waiting", "position": 0, "name": "c", "bytes": 5, "upload_id": "coming"}),
    (
        "0001",
        "shares",
        {"id": "link", "analysis_id": "read", "token_hash": "h", "view": "", "created_at": MADE, "opened": 2},
    ),
    (
        "0003",
        "notes",
        {
            "id": "note",
            "analysis_id": "read",
            "author": "A",
            "text": "T",
            "key_hash": "k",
            "by_owner": True,
            "created_at": MADE,
            "about": {"lane": "cpu:1"},
        },
    ),
    (
        "0005",
        "api_tokens",
        {"id": "token", "name": "CI", "scope": "upload", "token_hash": "t", "created_at": MADE, "expires_at": MADE},
    ),
    ("0006", "reports", {"id": "report", "analysis_id": "read", "revision": 1, "given": 1, "created_at": MADE}),
    (
        "0006",
        "report_revisions",
        {"report_id": "report", "number": 1, "title": "T", "text": "# T", "aside": False, "created_at": MADE},
    ),
    ("0007", "people", {"id": "ann", "name": "ann@example.org", "groups": ["a"], "created_at": MADE}),
    ("0007", "sessions", {"token_hash": "s", "person_id": "ann", "created_at": MADE, "expires_at": MADE}),
    (
        "0007",
        "members",
        {"analysis_id": "read", "person_id": "ann", "role": "owner", "download": True, "created_at": MADE},
    ),
]
# What came later, or went: table, id, from, before, columns.
LATER: list[tuple[str, str, str, str, dict[str, Any]]] = [
    ("inputs", "read", "0001", "0002", {"summary": SUMMARY}),
    ("analyses", "read", "0002", "9999", {"told": [SUMMARY], "options": {"tolerant": True, "offsets": {}}}),
    ("shares", "link", "0003", "9999", {"name": "N", "comment": True, "download": True, "last_opened_at": MADE}),
    ("analyses", "read", "0004", "9999", {"description": "D", "tags": ["a"], "incident": "I", "keep": True}),
    ("analyses", "waiting", "0004", "9999", {"description": "", "tags": [], "keep": False}),
    ("analyses", "read", "0005", "9999", {"made_by": "token"}),
    ("api_tokens", "token", "0007", "9999", {"person_id": "ann"}),
    ("people", "ann", "0009", "9999", {"signed_in_at": MADE}),
]


def rows_of(revision: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """(table, row) in an order in which they can be inserted."""
    for since, table, row in FIRST:
        if since <= revision:
            key = row.get("id") or row.get("analysis_id")
            more = [
                columns
                for other, who, first, before, columns in LATER
                if other == table and who == key and first <= revision < before
            ]
            yield table, {column: value for part in (row, *more) for column, value in part.items()}
