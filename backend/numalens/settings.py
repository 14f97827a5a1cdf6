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
        None,
        description="URL of a PostgreSQL database, `postgresql://user:password@host/name` (default: SQLite in NUMALENS_DATA).",
    )
    store: str | None = Field(
        None,
        pattern=r"^s3://[^/]+(/.*)?$",
        description="Bucket for recordings and bundles, `s3://bucket/prefix`, with the AWS_* variables (default: NUMALENS_DATA).",
    )
    cache_bytes: int = Field(20 * GIB, gt=0, description="Size limit of the bucket's cache in NUMALENS_DATA.")
    web: Path | None = Field(None, description="Folder of the built page (default: the page of the package).")
    owner: Literal["loopback", "any"] = Field(
        "loopback",
        description="Clients that may do everything: those on this machine, or `any` that reaches the port.",
    )
    hosts: str = Field(
        "",
        description="Additional host names under which an owner may reach the page, comma-separated; `*` allows all.",
    )

    log: Form = Field("text", description="Format of the log: `text`, or `json` for programs.")
    log_level: Literal["debug", "info", "warning", "error"] | None = Field(
        None,
        description="Minimum level that is logged (default: warning for text; info for json, one line per request).",
    )
    metrics_token: str | None = Field(
        None,
        min_length=16,
        repr=False,
        description="Bearer token that grants access to /metrics; owners always have access.",
    )
    stop_seconds: float = Field(5.0, ge=0, description="Seconds that a stopping server waits for running imports.")

    address: str = Field(
        "",
        description="Public address of the page without a path, such as https://numalens.example. "
        "Its host name is added to NUMALENS_HOSTS.",
    )

    sign_in: Literal["none", "oidc", "header"] = Field(
        "none",
        description="Sign-in of users: none, OpenID Connect, or a header that a proxy sets.",
    )
    oidc_issuer: str = Field(
        "", description="Address of the OpenID Connect issuer, without the path of the discovery document."
    )
    oidc_client_id: str = Field("", description="Client ID of this server at the issuer.")
    oidc_client_secret: SecretStr | None = Field(None, description="Client secret of this server at the issuer.")
    oidc_client_secret_file: Path | None = Field(None, description="File that contains the client secret.")
    oidc_scopes: str = Field("openid email profile", description="Scopes to request from the issuer.")
    oidc_name_claim: str = Field(
        "email", min_length=1, description="Claim with the user's name; the issuer must verify `email`."
    )
    oidc_groups_claim: str = Field("groups", description="Claim with the user's groups.")
    user_header: str = Field("", description="Header with the user's name, set by the proxy, such as Remote-User.")
    proxies: str = Field(
        "", description="Proxy addresses or networks, comma-separated, whose NUMALENS_USER_HEADER is trusted."
    )
    allowed: str = Field(
        "",
        description="Users that may sign in, comma-separated: e-mail addresses, user names and `@domain`s."
        " Every authenticated user may if this and NUMALENS_ALLOWED_GROUPS are empty.",
    )
    allowed_groups: str = Field("", description="Groups whose members may also sign in, comma-separated.")
    admins: str = Field(
        "", description="Administrators, who may do everything, comma-separated: e-mail addresses or user names."
    )
    session_hours: float = Field(12.0, gt=0, le=24 * 366, description="Hours after which a user must sign in again.")

    slow_seconds: float = Field(
        60.0,
        gt=0,
        description="Seconds that a client may take for the head of a request, and for every 4,096 bytes of its body.",
    )
    max_upload_bytes: int = Field(50 * GIB, gt=0, description="Size limit of an uploaded file.")
    max_files: int = Field(64, gt=0, description="Maximum number of files of one analysis.")
    min_free_bytes: int = Field(GIB // 2, ge=0, description="Space that uploads must leave free on the disk.")
    upload_days: float = Field(
        7.0, gt=0, description="Days without a new byte after which an unused upload is removed."
    )
    keep_days: float | None = Field(
        None, gt=0, description='Days after which analyses that are not marked "keep" are deleted (default: never).'
    )
    look_only: bool = Field(False, description='Initial state of the switch "Analyze in this browser (no upload)".')

    jobs: int = Field(1, ge=1, le=64, description="Number of imports that run at the same time.")
    job_memory_bytes: int = Field(
        JOB_MEMORY_BYTES, gt=0, description="Memory limit of one import process, excluding mapped files."
    )
    job_seconds: float = Field(3600.0, gt=0, description="Wall-clock limit of one import process, in seconds.")
    job_file_bytes: int = Field(64 * GIB, gt=0, description="Size limit of a file that an import process writes.")
    confine: Literal["auto", "require", "off"] = Field(
        "auto",
        description="Confinement of import and SQL processes by Landlock, seccomp and namespaces:"
        " `auto` as far as the host allows, `require` refuses to start without all three, `off` never.",
    )
    jobs_memory_bytes: int | None = Field(
        None,
        gt=0,
        description="Memory limit of all import processes together (default: NUMALENS_JOBS times NUMALENS_JOB_MEMORY_BYTES).",
    )
    scheduler: str | None = Field(
        None,
        pattern=r"^(tcp|tls)://.+:[0-9]+$",
        description="Dask scheduler, `tcp://host:8786`, whose workers (`numalens worker`) run the imports (default: this machine).",
    )
    max_events: int = Field(2_000_000_000, gt=0, description="Maximum number of events of one analysis.")
    max_bundle_bytes: int = Field(200 * GIB, gt=0, description="Size limit of the decoded columns of one analysis.")

    trace_processor: Path | None = Field(
        None, description="Path of a trace_processor_shell to use instead of Perfetto's WebAssembly."
    )
    sql_engines: int = Field(2, ge=1, le=64, description="Number of traces that are loaded for SQL at the same time.")
    sql_memory_bytes: int = Field(
        2 * GIB, ge=64 << 20, description="Memory limit of one SQL engine; above 4 GiB the slower 64-bit build is used."
    )
    sql_seconds: float = Field(30.0, gt=0, description="Time limit of one query, in seconds.")
    sql_load_seconds: float = Field(
        120.0, gt=0, description="Time limit for loading a trace into an SQL engine, in seconds."
    )
    sql_wait_seconds: float = Field(
        60.0, gt=0, description="Time limit for waiting until an SQL engine is free, in seconds."
    )
    sql_idle_seconds: float = Field(
        300.0, gt=0, description="Seconds without a query after which an SQL engine is stopped."
    )
    fleet_memory_bytes: int = Field(
        GIB, ge=128 << 20, description="Memory limit of a query over the summaries of all analyses."
    )
    sql_rows: int = Field(1_000_000, ge=1, description="Maximum number of rows of a query's download.")

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
        """URL of the database; None for SQLite in the data folder."""
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
