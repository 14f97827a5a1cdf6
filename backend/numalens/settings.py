"""Everything an operator can set, by environment. Names, units and defaults stand here and nowhere else."""

from functools import cached_property
from pathlib import Path
from typing import Final, Literal

from pydantic import Field
from pydantic_settings import BaseSettings, SettingsConfigDict

GIB: Final = 1 << 30


class Settings(BaseSettings):
    """The service's settings; each field is read from `NUMALENS_<FIELD NAME>`."""

    model_config = SettingsConfigDict(env_prefix="NUMALENS_", frozen=True, extra="forbid")

    data: Path = Field(Path(".data"), description="Folder of the database, the stored files and the bundles.")
    web: Path | None = Field(None, description="Folder of the built page; found beside the checkout when unset.")
    owner: Literal["loopback", "any"] = Field(
        "loopback",
        description="Who may do everything: peers on this machine, or anyone who reaches the port.",
    )
    hosts: str = Field(
        "", description="Further host names, comma separated, under which an owner may reach the page; `*` = all."
    )

    slow_seconds: float = Field(
        60.0,
        gt=0,
        description="Time that a client has for the head of a request, and for every 4,096 bytes of its body.",
    )
    max_upload_bytes: int = Field(50 * GIB, gt=0, description="Largest file accepted.")
    max_files: int = Field(64, gt=0, description="Most files of one analysis.")
    min_free_bytes: int = Field(GIB // 2, ge=0, description="Space that an upload must leave free on the disk.")
    upload_days: float = Field(
        7.0, gt=0, description="Days without a new byte after which an unused upload is removed."
    )
    keep_days: float | None = Field(
        None, gt=0, description="Days after which analyses that nobody marked to be kept are deleted; never when unset."
    )

    jobs: int = Field(1, ge=1, le=64, description="Recordings read at the same time.")
    job_memory_bytes: int = Field(4 * GIB, gt=0, description="Memory of one reading process, mapped files not counted.")
    job_seconds: float = Field(3600.0, gt=0, description="Wall-clock time of one reading process.")
    job_file_bytes: int = Field(64 * GIB, gt=0, description="Largest single file that a reading process may write.")
    confine: Literal["auto", "require", "off"] = Field(
        "auto",
        description="Whether processes that read recordings and answer SQL are confined by the kernel (Landlock, seccomp):"
        " as far as the host can, or nothing is read unless it can, or never.",
    )
    max_events: int = Field(2_000_000_000, gt=0, description="Most events of one analysis.")
    max_bundle_bytes: int = Field(200 * GIB, gt=0, description="Most bytes of decoded columns of one analysis.")

    trace_processor: Path | None = Field(
        None, description="A trace_processor_shell to be asked instead of Perfetto's WebAssembly."
    )
    sql_engines: int = Field(2, ge=1, le=64, description="Traces that are held for SQL at the same time.")
    sql_memory_bytes: int = Field(
        2 * GIB, ge=64 << 20, description="Memory of one engine; above 4 GiB its 64-bit form is used, which is slower."
    )
    sql_seconds: float = Field(30.0, gt=0, description="Longest time of one query.")
    sql_load_seconds: float = Field(120.0, gt=0, description="Longest time of giving a trace to an engine.")
    sql_wait_seconds: float = Field(60.0, gt=0, description="Longest wait for an engine that others use.")
    sql_idle_seconds: float = Field(300.0, gt=0, description="After this time without a query an engine is ended.")
    sql_rows: int = Field(1_000_000, ge=1, description="Most rows of a query's download.")

    @cached_property
    def owner_hosts(self) -> frozenset[str]:
        """The extra host names of `hosts`, lower case."""
        return frozenset(name.strip().lower() for name in self.hosts.split(",") if name.strip())
