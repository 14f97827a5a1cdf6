"""Everything an operator can set, by environment or configuration file. Names, units and defaults are declared only here."""

from functools import cached_property
from pathlib import Path
from typing import Final, Literal, Self
from urllib.parse import urlsplit

from pydantic import Field, SecretStr, field_validator, model_validator
from pydantic_settings import BaseSettings, SettingsConfigDict
from sqlalchemy import make_url
from sqlalchemy.exc import ArgumentError

from numalens.extras import has, needs
from numalens.folders import data_folder
from numalens.logs import Form
from numalens.sandbox.limits import JOB_MEMORY_BYTES

GIB: Final = 1 << 30
POSTGRESQL: Final = frozenset({"postgresql", "postgresql+psycopg"})


class Settings(BaseSettings):
    """The service's settings; each field is read from `NUMALENS_<FIELD NAME>`; an empty one is as if unset."""

    model_config = SettingsConfigDict(env_prefix="NUMALENS_", env_ignore_empty=True, frozen=True, extra="forbid")

    data: Path = Field(
        default_factory=data_folder, description="Folder of the database, the stored files and the bundles."
    )
    database: SecretStr | None = Field(
        None, description="URL of a PostgreSQL database, `postgresql://user:password@host/name`; else SQLite in `data`."
    )
    store: str | None = Field(
        None,
        pattern=r"^s3://[^/]+(/.*)?$",
        description="Bucket of recordings and bundles, `s3://bucket/prefix`, reached by the AWS_* variables; else `data`.",
    )
    cache_bytes: int = Field(20 * GIB, gt=0, description="Most bytes that are kept in `data` of what is in the bucket.")
    web: Path | None = Field(None, description="Folder of the built page; that of the package when unset.")
    owner: Literal["loopback", "any"] = Field(
        "loopback",
        description="Who may do everything: peers on this machine, or anyone who reaches the port.",
    )
    hosts: str = Field(
        "", description="Further host names, comma separated, under which an owner may reach the page; `*` = all."
    )

    log: Form = Field("text", description="Lines of the log: text for people, json for programs.")
    log_level: Literal["debug", "info", "warning", "error"] | None = Field(
        None, description="Least level that is logged; warning in text, info in json (a line for each request)."
    )
    metrics_token: str | None = Field(
        None,
        min_length=16,
        repr=False,
        description="Whoever sends it as `Authorization: Bearer` may read /metrics, too; others must be owners.",
    )
    stop_seconds: float = Field(
        5.0, ge=0, description="How long a server that is stopped lets recordings be read to their end."
    )

    address: str = Field(
        "",
        description="Where people open the page, without a path: https://numalens.example. Its name is one of `hosts`, too.",
    )

    sign_in: Literal["none", "oidc", "header"] = Field(
        "none",
        description="How people sign in: not at all, by an issuer of OpenID Connect, or by a header that a proxy sets.",
    )
    oidc_issuer: str = Field("", description="Address of the issuer; its discovery document lies below it.")
    oidc_client_id: str = Field("", description="The issuer's name for this server.")
    oidc_client_secret: SecretStr | None = Field(None, description="The secret that belongs to the client id.")
    oidc_client_secret_file: Path | None = Field(None, description="A file with that secret, in place of it.")
    oidc_scopes: str = Field("openid email profile", description="Scopes that are requested from the issuer.")
    oidc_name_claim: str = Field(
        "email", min_length=1, description="The claim that names people; `email` must be verified by the issuer."
    )
    oidc_groups_claim: str = Field("groups", description="The claim that lists somebody's groups.")
    user_header: str = Field("", description="The header in which the proxy names the user: Remote-User.")
    proxies: str = Field(
        "", description="Addresses and networks, comma separated, that `user_header` is believed from."
    )
    allowed: str = Field(
        "",
        description="Who may sign in: e-mail addresses, user names and `@domain`s, comma separated; everybody who is vouched"
        " for when this and `allowed_groups` are empty.",
    )
    allowed_groups: str = Field("", description="Groups whose members may sign in, too, comma separated.")
    admins: str = Field("", description="E-mail addresses or user names, comma separated, of who may do everything.")
    session_hours: float = Field(12.0, gt=0, le=24 * 366, description="Hours after which one has to sign in again.")

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
    look_only: bool = Field(
        False, description='Whether the switch "Only look, do not upload" of the page is on at first.'
    )

    jobs: int = Field(1, ge=1, le=64, description="Recordings read at the same time.")
    job_memory_bytes: int = Field(
        JOB_MEMORY_BYTES, gt=0, description="Memory of one reading process, mapped files not counted."
    )
    job_seconds: float = Field(3600.0, gt=0, description="Wall-clock time of one reading process.")
    job_file_bytes: int = Field(64 * GIB, gt=0, description="Largest single file that a reading process may write.")
    confine: Literal["auto", "require", "off"] = Field(
        "auto",
        description="Whether processes that read recordings and answer SQL are confined by the kernel (Landlock, seccomp,"
        " namespaces): as far as the host can, or the server starts only where it has all of it, or never.",
    )
    jobs_memory_bytes: int | None = Field(
        None,
        gt=0,
        description="Memory of all reading processes together; as much as `jobs` of them may use when unset.",
    )
    scheduler: str | None = Field(
        None,
        pattern=r"^(tcp|tls)://.+:[0-9]+$",
        description="A Dask scheduler, `tcp://host:8786`, whose workers (`numalens worker`) read in place of this machine.",
    )
    max_events: int = Field(2_000_000_000, gt=0, description="Most events of one analysis.")
    max_bundle_bytes: int = Field(200 * GIB, gt=0, description="Most bytes of decoded columns of one analysis.")

    trace_processor: Path | None = Field(
        None, description="A trace_processor_shell to use instead of Perfetto's WebAssembly."
    )
    sql_engines: int = Field(2, ge=1, le=64, description="Traces that are held for SQL at the same time.")
    sql_memory_bytes: int = Field(
        2 * GIB, ge=64 << 20, description="Memory of one engine; above 4 GiB its 64-bit form is used, which is slower."
    )
    sql_seconds: float = Field(30.0, gt=0, description="Longest time of one query.")
    sql_load_seconds: float = Field(120.0, gt=0, description="Longest time of giving a trace to an engine.")
    sql_wait_seconds: float = Field(60.0, gt=0, description="Longest wait for an engine that others use.")
    sql_idle_seconds: float = Field(300.0, gt=0, description="After this time without a query an engine is ended.")
    fleet_memory_bytes: int = Field(
        GIB, ge=128 << 20, description="Memory of a query over the summaries of all analyses."
    )
    sql_rows: int = Field(1_000_000, ge=1, description="Most rows of a query's download.")

    @field_validator("scheduler")
    @classmethod
    def _has_dask(cls, value: str | None) -> str | None:
        if value is not None and not has("cluster"):
            raise ValueError(needs("a scheduler", "cluster"))
        return value

    @field_validator("store")
    @classmethod
    def _has_buckets(cls, value: str | None) -> str | None:
        if value is not None and not has("team"):
            raise ValueError(needs("a bucket", "team"))
        return value

    @field_validator("sign_in")
    @classmethod
    def _has_openid(cls, value: str) -> str:
        if value == "oidc" and not has("team"):
            raise ValueError(needs("sign-in by OpenID Connect", "team"))
        return value

    @field_validator("database")
    @classmethod
    def _is_postgresql(cls, value: SecretStr | None) -> SecretStr | None:
        try:
            known = value is None or make_url(value.get_secret_value()).drivername in POSTGRESQL
        except ArgumentError:
            known = False
        if not known:
            raise ValueError("expected postgresql://user:password@host/name")
        if value is not None and not has("team"):
            raise ValueError(needs("PostgreSQL", "team"))
        return value

    @model_validator(mode="after")
    def _one_job_fits(self) -> Self:
        if self.jobs_memory_bytes is not None and self.jobs_memory_bytes < self.job_memory_bytes:
            raise ValueError("NUMALENS_JOBS_MEMORY_BYTES is less than what one job may use (NUMALENS_JOB_MEMORY_BYTES)")
        return self

    @property
    def database_url(self) -> str | None:
        """Where the database is; None for SQLite in the data folder."""
        return None if self.database is None else self.database.get_secret_value()

    @cached_property
    def owner_hosts(self) -> frozenset[str]:
        """The extra host names of `hosts`, lower case, and that of `address`."""
        names = {name.strip().lower() for name in self.hosts.split(",") if name.strip()}
        return frozenset(names | {urlsplit(self.address).hostname or ""} - {""})

    def issuer_secret(self) -> str:
        """The client secret for the issuer. Raises OSError when its file cannot be read."""
        if self.oidc_client_secret_file is not None:
            return self.oidc_client_secret_file.read_text().strip()
        return "" if self.oidc_client_secret is None else self.oidc_client_secret.get_secret_value()
