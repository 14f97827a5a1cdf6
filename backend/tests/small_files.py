"""Folders of small files, as the kernel's are."""

from pathlib import Path


def put(root: Path, files: dict[str, str]) -> None:
    """Writes files, each by its path below `root`."""
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
