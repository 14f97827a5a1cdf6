"""A recording as one file that opens without a server, for the commands that write one."""

from collections.abc import Callable

from numalens.cli.inputs import OpenedBundle
from numalens.cli.usage import UsageError


def write_recording(bundle: OpenedBundle, name: str, write: Callable[[bytes], object]) -> None:
    """Writes the page with `bundle`, which is called `name` there. Raises UsageError where the page was not built."""
    # The service's page is not needed by other commands.
    from numalens.api.web import PAGE  # noqa: PLC0415
    from numalens.report.one_file import page_file, without_page, write_page  # noqa: PLC0415

    page = page_file(PAGE)
    if page is None:
        raise UsageError(without_page())
    write_page(page, bundle.path, name, write)
