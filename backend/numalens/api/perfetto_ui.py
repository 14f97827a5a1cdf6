"""Perfetto's page, under a path of ours.

The page is served from its own package, without external resources. It gets a separate content security policy, as it needs
WebAssembly and inline styles, which NumaLens' page does not; its one inline script is allowed by its hash. The policy blocks
requests to other machines (statistics, newer versions, a trace processor on this machine), and the page works without them.
"""

import base64
import hashlib
import re
from functools import cache
from pathlib import Path, PurePosixPath
from typing import Final

from starlette.requests import Request
from starlette.responses import FileResponse, RedirectResponse, Response
from starlette.routing import BaseRoute, Route

from numalens.api.parts import Host, Part
from numalens.api.web import ASK_AGAIN, FOREVER
from numalens.errors import SentenceError, not_found
from numalens.perfetto import module
from numalens.perfetto.errors import MissingEngineError

UI: Final = "/perfetto/ui/"
MEDIA_TYPES: Final = {
    ".css": "text/css",
    ".html": "text/html",
    ".js": "text/javascript",
    ".json": "application/json",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".wasm": "application/wasm",
    ".woff2": "font/woff2",
}
"""Media types by file name: a browser that may not guess compiles a module and runs a script only by its type."""
VERSIONED: Final = re.compile(r"v[0-9][0-9A-Za-z.-]*")
NAME: Final = re.compile(r"[0-9A-Za-z_-][0-9A-Za-z._-]*")
INLINE_SCRIPT: Final = re.compile(rb"<script(?![^>]*\bsrc=)[^>]*>(.*?)</script>", re.DOTALL)


class PerfettoUiPart(Part):
    """The page."""

    def __init__(self, _host: Host) -> None:
        self.routes = _routes()


make = PerfettoUiPart


def _routes() -> list[BaseRoute]:
    """The routes of Perfetto's page, whose folder is looked up for each request."""

    def folder() -> Path:
        try:
            return module.ui_folder()
        except MissingEngineError as error:
            raise SentenceError(503, str(error)) from error

    def page(_request: Request) -> Response:
        return _ui_file(folder(), "index.html", ASK_AGAIN)

    def file(request: Request) -> Response:
        path = PurePosixPath(request.path_params["path"])
        # Only what belongs to the page: the package also has a program and a script for offline use.
        if not VERSIONED.fullmatch(path.parts[0]) or not all(NAME.fullmatch(part) for part in path.parts):
            raise not_found("file of Perfetto's page")
        return _ui_file(folder(), str(path), FOREVER)

    def slash(_request: Request) -> Response:
        return RedirectResponse(UI)

    return [
        Route(UI.rstrip("/"), slash, methods=["GET"]),
        Route(UI, page, methods=["GET"]),
        Route(UI + "{path:path}", file, methods=["GET"]),
    ]


def _ui_file(folder: Path, name: str, keep: str) -> Response:
    """A file below the folder; 404 for any other. `keep` is how long browsers may."""
    root = folder.resolve()
    # A link in the folder that leads out of it is not followed.
    path = (root / name).resolve()
    media = MEDIA_TYPES.get(path.suffix)
    if media is None or not path.is_relative_to(root) or not path.is_file():
        raise not_found("file of Perfetto's page")
    headers = {"Cache-Control": keep, "Content-Security-Policy": _policy(root), "X-Frame-Options": "SAMEORIGIN"}
    return FileResponse(path, media_type=media, headers=headers)


@cache
def _policy(folder: Path) -> str:
    """Rights of the page. Its workers take the policy from their own files, so each of them is served with it."""
    scripts = INLINE_SCRIPT.findall((folder / "index.html").read_bytes())
    hashes = [f"'sha256-{base64.b64encode(hashlib.sha256(script).digest()).decode()}'" for script in scripts]
    allowed = {
        "default-src": ["'self'"],
        "script-src": ["'self'", "'wasm-unsafe-eval'", *hashes],
        "style-src": ["'self'", "'unsafe-inline'"],
        "img-src": ["'self'", "data:", "blob:"],
        "connect-src": ["'self'", "data:", "blob:"],
        "worker-src": ["'self'", "blob:"],
        "object-src": ["'none'"],
        "base-uri": ["'none'"],
        "form-action": ["'none'"],
        "frame-ancestors": ["'self'"],
    }
    return "; ".join(" ".join([name, *sources]) for name, sources in allowed.items())
