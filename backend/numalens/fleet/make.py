"""The process that makes the summary of one bundle: `python -m numalens.fleet.make BUNDLE [MEMORY_BYTES FILE_BYTES CONFINE]`.

Exit status 0 when it exists, 1 when not, with the reason on standard error. A separate process, because an import must not fail
with it: whatever happens to the summary, the analysis is complete.
"""

import sys
from pathlib import Path
from typing import TYPE_CHECKING, cast

from numalens.sandbox.confine import ConfinementError, confine
from numalens.sandbox.limits import apply_limits, die_with_parent

if TYPE_CHECKING:
    from numalens.sandbox.confine import Confine


def main() -> int:
    """Makes the summary."""
    die_with_parent()
    bundle, *limits = sys.argv[1:]
    if limits:
        memory_bytes, file_bytes, how = limits
        try:
            confine(cast("Confine", how), read=[bundle], write=[bundle])
        except ConfinementError as error:
            sys.stderr.write(f"numalens: {error}\n")
            return 1
        apply_limits(memory_bytes=int(memory_bytes), file_bytes=int(file_bytes))
    # After the limits are set: what these take counts too.
    from numalens.fleet.summary import keep_summary  # noqa: PLC0415

    try:
        keep_summary(Path(bundle))
    except (MemoryError, OSError, RuntimeError, ValueError) as error:
        sys.stderr.write(f"numalens: {error}\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
