"""The summary of each input that a row of the database keeps of a bundle's manifest."""

from typing import Any, Final

SKIPPED_KEPT: Final = 20
"""Skipped parts of an input that its row keeps; the manifest has them all."""


def input_summaries(manifest: dict[str, Any]) -> list[dict[str, Any]]:
    """The manifest's entries of the inputs, without most of a long list of skipped parts."""
    return [_shortened(entry) for entry in manifest["inputs"]]


def _shortened(entry: dict[str, Any]) -> dict[str, Any]:
    skipped = entry.get("skipped") or []
    more = int(entry.get("skipped_more") or 0) + max(0, len(skipped) - SKIPPED_KEPT)
    return {**entry, "skipped": skipped[:SKIPPED_KEPT], "skipped_more": more}
