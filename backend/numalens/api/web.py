"""The page: one document for all of its addresses."""

from pathlib import Path
from typing import Final

from starlette.requests import Request
from starlette.responses import FileResponse, HTMLResponse, Response
from starlette.routing import BaseRoute, Mount, Route
from starlette.staticfiles import StaticFiles
from starlette.types import Scope
from typing_extensions import override

from numalens.errors import SentenceError, not_found
from numalens.report.one_file import ONE_FILE, page_file

PAGE_PATHS: Final = (
    "/",
    "/a/{rest:path}",
    "/compare",
    "/fleet",
    "/local",
    "/links",
    "/account",
    "/signed-in",
    "/s",
    "/s/report/{rest:path}",
)
PAGE: Final = Path(__file__).resolve().parents[1] / "page"
"""The built page: a wheel has it, and in a checkout `npm run setup` puts it there."""
FOREVER: Final = "public, max-age=31536000, immutable"
ASK_AGAIN: Final = "no-cache"


class PageFiles(StaticFiles):
    """Files of the page. Those below `assets/` have a hash of their content in their name, so they never change."""

    @override
    async def check_config(self) -> None:
        """The folder may be missing: the page may be built while the server runs, and until then nothing is found."""

    @override
    async def get_response(self, path: str, scope: Scope) -> Response:
        response = await super().get_response(path, scope)
        response.headers["Cache-Control"] = FOREVER if path.startswith("assets/") else ASK_AGAIN
        return response


def page_routes(web: Path | None) -> list[BaseRoute]:
    """The routes of the page in the folder `web`, or of the one in this package when None."""
    folder = web or PAGE

    async def page(_request: Request) -> Response:
        index = folder / "index.html"
        if not index.is_file():
            raise SentenceError(503, "The page is not built yet: run `npm start` in the checkout, or set NUMALENS_WEB.")
        return FileResponse(index, headers={"Cache-Control": ASK_AGAIN})

    def one_file(_request: Request) -> Response:
        content = page_file(folder)
        if content is None:
            raise not_found("file of the page")
        return HTMLResponse(content, headers={"Cache-Control": ASK_AGAIN})

    routes: list[BaseRoute] = [Route(path, page, methods=["GET"]) for path in PAGE_PATHS]
    return [
        *routes,
        Route(f"/{ONE_FILE}", one_file, methods=["GET"]),
        Mount("/", PageFiles(directory=folder, check_dir=False)),
    ]
