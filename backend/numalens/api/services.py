"""The parts that the routes work with, made once per server."""

import asyncio
import logging
import os
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, TypeVar

from anyio import CapacityLimiter
from starlette.requests import HTTPConnection

from numalens.api.bundles import BundleCache
from numalens.api.limits import Budget, Budgets, RateLimit, UploadLocks, UsedNonces
from numalens.api.metrics import Metrics
from numalens.api.parts import Host, Part, modules
from numalens.auth.checks import problem_of
from numalens.auth.rules import ProxyHeader, Rules
from numalens.errors import SentenceError
from numalens.jobs.runner import JobRunner, ProgressBoard
from numalens.jobs.task import Executor, LocalExecutor
from numalens.settings import Settings
from numalens.store.analyses import AnalysisStore
from numalens.store.folder import DataFolder
from numalens.store.members import MemberStore
from numalens.store.notes import NoteStore
from numalens.store.reports import ReportStore
from numalens.store.shares import ShareStore
from numalens.store.uploads import UploadStore
from numalens.store.users import SessionStore, TokenStore, UserStore

SWEEP_INTERVAL_S: Final = 3600.0
LINK_BYTES_A_MINUTE: Final = float(1 << 30)
LINK_QUERY_SECONDS_A_MINUTE: Final = 30.0
FLOW_S: Final = 600
"""Longest time from the start of a sign-in to its end."""
SWEEP_AGAIN_S: Final = 20.0
"""Time until the next sweep when the store or the database was unavailable, and parts of a deleted analysis are left."""

if TYPE_CHECKING:
    from numalens.auth.issuer import Issuer

log = logging.getLogger(__name__)
P = TypeVar("P", bound=Part)


@dataclass(frozen=True)
class Services:
    """Settings, stores, jobs, open bundles and optional parts of one server."""

    settings: Settings
    folder: DataFolder
    uploads: UploadStore
    analyses: AnalysisStore
    shares: ShareStore
    notes: NoteStore
    reports: ReportStore
    tokens: TokenStore
    users: UserStore
    sessions: SessionStore
    members: MemberStore
    rules: Rules
    issuer: "Issuer | None"
    proxy: ProxyHeader | None
    flows: UsedNonces
    board: ProgressBoard
    jobs: JobRunner
    bundles: BundleCache
    upload_locks: UploadLocks
    rate_limit: RateLimit
    budgets: Budgets
    link_budgets: Budgets
    """Clients that came by a link."""
    parts: Sequence[Part]
    metrics: Metrics
    on_gone: Callable[[str], None]
    """Lets go of everything that is held open of an analysis."""

    def metrics_text(self) -> bytes:
        """The metrics as text, including those computed on request."""
        now = {
            "jobs_queued": self.jobs.queued,
            "jobs_running": self.jobs.running,
            "disk_free_bytes": self.folder.free_bytes(),
            "bundles_open": self.bundles.held,
        }
        for part in self.parts:
            now.update(part.gauges())
        return self.metrics.text(self.analyses.count_by_status(), now, self.folder.root)

    @classmethod
    def make(cls, settings: Settings, folder: DataFolder) -> "Services":
        """Connects the parts on an opened data folder. Raises ValueError for settings of sign-in that cannot be."""
        if (problem := problem_of(settings)) is not None:
            raise ValueError(problem)
        uploads = UploadStore(
            folder,
            max_bytes=settings.max_upload_bytes,
            min_free_bytes=settings.min_free_bytes,
            days=settings.upload_days,
        )
        analyses = AnalysisStore(folder, uploads)
        cpus = max(2, os.cpu_count() or 2)
        board = ProgressBoard()
        metrics = Metrics()
        bundles = BundleCache(folder, metrics.bundle)
        host = Host(settings, folder, analyses, bundles)
        parts: list[Part] = [module.make(host) for module in modules().values()]

        def forget(analysis_id: str) -> None:
            bundles.forget(analysis_id)
            for part in parts:
                part.forget(analysis_id)

        async def added(analysis_id: str) -> None:
            for part in parts:
                await part.added(analysis_id)

        executor = _executor(settings, folder)
        jobs = JobRunner(settings, folder, analyses, board, executor, forget, added, metrics.job)
        if folder.database_lock is not None:
            folder.database_lock.on_regained = jobs.look_again
        return cls(
            settings=settings,
            folder=folder,
            uploads=uploads,
            analyses=analyses,
            shares=ShareStore(folder.database),
            notes=NoteStore(folder.database),
            reports=ReportStore(folder.database),
            tokens=TokenStore(folder.database),
            users=UserStore(folder.database),
            sessions=SessionStore(folder.database),
            members=MemberStore(folder.database),
            rules=Rules.of(settings),
            issuer=_issuer(settings),
            proxy=ProxyHeader(settings.user_header, settings.proxies) if settings.sign_in == "header" else None,
            flows=UsedNonces(FLOW_S),
            board=board,
            jobs=jobs,
            bundles=bundles,
            upload_locks=UploadLocks(),
            rate_limit=RateLimit(on_refused=metrics.guess),
            budgets=Budgets(Budget("downloads", 16), Budget("queries", 64), CapacityLimiter(cpus)),
            link_budgets=Budgets(
                Budget("downloads", 2, LINK_BYTES_A_MINUTE),
                Budget("queries", 2, LINK_QUERY_SECONDS_A_MINUTE),
                CapacityLimiter(cpus),
            ),
            parts=parts,
            metrics=metrics,
            on_gone=forget,
        )

    def part(self, kind: type[P]) -> P:
        """The optional part of this kind. Raises LookupError when this installation lacks it."""
        for part in self.parts:
            if isinstance(part, kind):
                return part
        raise LookupError(kind.__name__)

    def forget(self, analysis_id: str) -> None:
        """Lets go of everything that is held open of an analysis."""
        self.on_gone(analysis_id)

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        """Removes leftovers of a killed server, then runs jobs and the hourly cleanup until the block ends."""
        await asyncio.to_thread(self.sweep)
        await self.jobs.start()
        async with AsyncExitStack() as stack:
            for part in self.parts:
                await stack.enter_async_context(part.running())
            sweeper = asyncio.create_task(self._sweep_hourly())
            try:
                yield
            finally:
                sweeper.cancel()
                with suppress(asyncio.CancelledError):
                    await sweeper
                await self.jobs.stop(self.settings.stop_seconds)

    def retire(self) -> None:
        """Deletes what the rule of retention (`NUMALENS_KEEP_DAYS`) no longer keeps."""
        if self.settings.keep_days is None:
            return
        for analysis_id in self.analyses.outlived(self.settings.keep_days):
            log.warning("deleting analysis %s: it is older than %g days", analysis_id, self.settings.keep_days)
            self.analyses.delete(analysis_id)
            self.forget(analysis_id)

    def sweep(self) -> None:
        """Removes unneeded data; data of an unavailable service is removed the next time."""
        for part in (self.analyses.sweep, self.uploads.sweep, self.retire):
            try:
                part()
            except SentenceError as error:
                log.warning("sweeping: %s", error.sentence)
            except Exception:
                log.exception("sweeping")

    async def _sweep_hourly(self) -> None:
        loop = asyncio.get_running_loop()
        last = loop.time()
        while True:
            await asyncio.sleep(SWEEP_AGAIN_S)
            if loop.time() - last >= SWEEP_INTERVAL_S or not self.analyses.swept:
                await asyncio.to_thread(self.sweep)
                last = loop.time()


def _issuer(settings: Settings) -> "Issuer | None":
    if settings.sign_in != "oidc":
        return None
    # Its libraries take a tenth of the server's start, and most servers have no sign-in.
    from numalens.auth.issuer import Issuer  # noqa: PLC0415

    return Issuer(settings)


def _executor(settings: Settings, folder: DataFolder) -> Executor:
    if settings.scheduler is None:
        return LocalExecutor(folder.blobs, folder.kept, settings.jobs, settings.jobs_memory_bytes)
    # Its libraries take a second to load, and few have a cluster.
    from numalens.jobs.cluster import ClusterExecutor  # noqa: PLC0415

    return ClusterExecutor(settings.scheduler)


def services_of(connection: HTTPConnection) -> Services:
    """The server's parts, from a request."""
    services: Services = connection.app.state.services
    return services
