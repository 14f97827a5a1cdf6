"""The tables. Times are UTC; a file's content is named by its SHA-256; a link's secret is kept only as a hash."""

from datetime import UTC, datetime
from typing import Any, ClassVar, Final, Literal, TypeVar, get_args

from sqlalchemy import JSON, BigInteger, DateTime, Dialect, ForeignKey, Integer, MetaData, String, TypeDecorator
from sqlalchemy.orm import DeclarativeBase, Mapped, Session, mapped_column, relationship
from typing_extensions import override

from numalens.errors import not_found


class UtcDateTime(TypeDecorator[datetime]):
    """A moment. It is stored as UTC without a zone, which SQLite cannot keep, and gets its zone back when read."""

    impl = DateTime
    cache_ok = True

    @override
    def process_bind_param(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        return None if value is None else value.astimezone(UTC).replace(tzinfo=None)

    @override
    def process_result_value(self, value: datetime | None, dialect: Dialect) -> datetime | None:
        return None if value is None else value.replace(tzinfo=UTC)


May = Literal["comment", "download"]
"""Rights for an analysis besides viewing; its owners have all."""
EVERYTHING: Final[tuple[May, ...]] = get_args(May)

Bytes = BigInteger().with_variant(Integer, "sqlite")
"""The size of a file: may be above 2 GiB, which SQLite's integers always may."""


class Base(DeclarativeBase):
    """Base of the tables; constraint names are fixed so that migrations can name them."""

    metadata = MetaData(
        naming_convention={
            "ix": "ix_%(column_0_label)s",
            "uq": "uq_%(table_name)s_%(column_0_name)s",
            "fk": "fk_%(table_name)s_%(column_0_name)s_%(referred_table_name)s",
            "pk": "pk_%(table_name)s",
        }
    )
    type_annotation_map: ClassVar[dict[Any, Any]] = {
        datetime: UtcDateTime,
        dict[str, Any]: JSON,
        list[dict[str, Any]]: JSON,
    }


class User(Base):
    """User who signed in, or was named by an owner before that."""

    __tablename__ = "people"

    id: Mapped[str] = mapped_column(String(16), primary_key=True)
    name: Mapped[str] = mapped_column(String(200), unique=True)
    """E-mail address or user name, as `auth.rules.known_name` writes it."""
    subject: Mapped[str | None] = mapped_column(unique=True)
    """The issuer and its own name for the account; None before the first sign-in, and where a proxy vouches."""
    groups: Mapped[list[str]] = mapped_column(JSON, default=list)
    """As the issuer listed them at the last sign-in."""
    created_at: Mapped[datetime]
    signed_in_at: Mapped[datetime | None]
    """The last sign-in; None before the first one, and where a proxy vouches."""


class SignedIn(Base):
    """A browser in which a user is signed in."""

    __tablename__ = "sessions"

    token_hash: Mapped[str] = mapped_column(String(64), primary_key=True)
    person_id: Mapped[str] = mapped_column(ForeignKey("people.id", ondelete="CASCADE"), index=True)
    created_at: Mapped[datetime]
    expires_at: Mapped[datetime]

    person: Mapped[User] = relationship()


class Member(Base):
    """A person who owns an analysis or may read it. One without owners is its administrators'."""

    __tablename__ = "members"

    analysis_id: Mapped[str] = mapped_column(ForeignKey("analyses.id", ondelete="CASCADE"), primary_key=True)
    person_id: Mapped[str] = mapped_column(ForeignKey("people.id", ondelete="CASCADE"), primary_key=True, index=True)
    role: Mapped[str]
    """`owner` or `reader`."""
    download: Mapped[bool] = mapped_column(default=False)
    """Rights of a reader besides viewing and writing notes."""
    handed_to: Mapped[str | None] = mapped_column(String(16))
    """The user who received this analysis from this one, who can reclaim it."""
    created_at: Mapped[datetime]

    analysis: Mapped["Analysis"] = relationship(back_populates="members")
    person: Mapped[User] = relationship()

    @property
    def may(self) -> list[May]:
        """Rights of a reader besides viewing."""
        return ["comment", "download"] if self.download else ["comment"]


class Upload(Base):
    """An incoming file. The number of received bytes is the file's size, never in this row."""

    __tablename__ = "uploads"

    id: Mapped[str] = mapped_column(String(32), primary_key=True)
    name: Mapped[str]
    length: Mapped[int] = mapped_column(Bytes)
    metadata_header: Mapped[str]
    created_at: Mapped[datetime]
    person_id: Mapped[str | None] = mapped_column(String(16))
    """Uploading user; None for the owner of a server without sign-in."""
    made_by: Mapped[str | None] = mapped_column(String(16))
    """The API token of scope `upload` that began it; None where a person did."""


class Analysis(Base):
    """One or more inputs that are read together, and how far that is."""

    __tablename__ = "analyses"

    id: Mapped[str] = mapped_column(String(16), primary_key=True)
    title: Mapped[str]
    status: Mapped[str] = mapped_column(index=True)
    created_at: Mapped[datetime] = mapped_column(index=True)
    sample: Mapped[bool] = mapped_column(default=False)
    origin: Mapped[str | None] = mapped_column(index=True)
    """Origin of an analysis without an upload: `sample:<hash>` or `bundle:<hash>`."""
    error: Mapped[dict[str, Any] | None]
    """Reason for which the latest import failed: the fields of the API's `InputFailure`."""
    input_summaries: Mapped[list[dict[str, Any]] | None]
    """Each input as the bundle's manifest describes it (`analyses.input_summaries`); None while there is no bundle."""
    options: Mapped[dict[str, Any] | None]
    """The `ReadOptions` that the bundle was read with, or of the first reading while there is none."""
    wanted: Mapped[dict[str, Any] | None]
    """The `ReadOptions` of an import that is to replace the bundle; None when none is running."""
    generation: Mapped[str | None] = mapped_column(String(40))
    """Generation of the bundle to read; None while there is none."""
    attempt: Mapped[str | None] = mapped_column(String(16))
    """The latest try to read it: what another one comes to has no effect any more."""
    description: Mapped[str] = mapped_column(default="")
    tags: Mapped[list[str]] = mapped_column(JSON, default=list)
    incident: Mapped[str | None] = mapped_column(index=True)
    """Incident shared by several analyses."""
    keep: Mapped[bool] = mapped_column(default=False)
    """Never removed by the rule of retention."""
    made_by: Mapped[str | None] = mapped_column(String(16))
    """The API token that made it; None where its owner did."""

    inputs: Mapped[list["Input"]] = relationship(
        back_populates="analysis", order_by="Input.position", cascade="all, delete-orphan", passive_deletes=True
    )
    members: Mapped[list[Member]] = relationship(
        back_populates="analysis", order_by=Member.created_at, cascade="all, delete-orphan", passive_deletes=True
    )
    shares: Mapped[list["Share"]] = relationship(
        back_populates="analysis", cascade="all, delete-orphan", passive_deletes=True
    )
    notes: Mapped[list["Note"]] = relationship(
        back_populates="analysis", cascade="all, delete-orphan", passive_deletes=True
    )
    reports: Mapped[list["Report"]] = relationship(
        back_populates="analysis", cascade="all, delete-orphan", passive_deletes=True
    )


class Input(Base):
    """One file of an analysis: first a claimed upload, then a stored file named by its content."""

    __tablename__ = "inputs"

    analysis_id: Mapped[str] = mapped_column(ForeignKey("analyses.id", ondelete="CASCADE"), primary_key=True)
    position: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str]
    bytes: Mapped[int] = mapped_column(Bytes)
    upload_id: Mapped[str | None] = mapped_column(ForeignKey("uploads.id"), unique=True)
    sha256: Mapped[str | None] = mapped_column(String(64), index=True)

    analysis: Mapped[Analysis] = relationship(back_populates="inputs")


class Share(Base):
    """A link that opens one analysis for looking, and for what else it allows."""

    __tablename__ = "shares"

    id: Mapped[str] = mapped_column(String(16), primary_key=True)
    analysis_id: Mapped[str] = mapped_column(ForeignKey("analyses.id", ondelete="CASCADE"), index=True)
    token_hash: Mapped[str] = mapped_column(String(64), unique=True)
    name: Mapped[str] = mapped_column(default="")
    """Purpose or recipient of the link, in its owner's words."""
    view: Mapped[str]
    comment: Mapped[bool] = mapped_column(default=False)
    download: Mapped[bool] = mapped_column(default=False)
    created_at: Mapped[datetime]
    expires_at: Mapped[datetime | None]
    revoked_at: Mapped[datetime | None]
    opened: Mapped[int] = mapped_column(default=0)
    last_opened_at: Mapped[datetime | None]

    analysis: Mapped[Analysis] = relationship(back_populates="shares")

    @property
    def may(self) -> list[May]:
        """Rights besides viewing."""
        granted: tuple[tuple[May, bool], ...] = (("comment", self.comment), ("download", self.download))
        return [right for right, given in granted if given]

    @property
    def revoked(self) -> bool:
        """Returns whether it was revoked or has expired."""
        return self.revoked_at is not None

    @property
    def analysis_title(self) -> str:
        """Title of its analysis, which must be loaded."""
        return self.analysis.title


class Note(Base):
    """A user's note about an analysis, or an answer to such a note."""

    __tablename__ = "notes"

    id: Mapped[str] = mapped_column(String(16), primary_key=True)
    analysis_id: Mapped[str] = mapped_column(ForeignKey("analyses.id", ondelete="CASCADE"), index=True)
    parent_id: Mapped[str | None] = mapped_column(ForeignKey("notes.id", ondelete="CASCADE"), index=True)
    """The note that began the conversation; None for that one itself."""
    author: Mapped[str]
    text: Mapped[str]
    about: Mapped[dict[str, Any] | None]
    """Place of the note: the fields of the API's `NotePlace`; None for the analysis as a whole and for answers."""
    key_hash: Mapped[str] = mapped_column(String(64))
    """Hash of the secret with which its author may change it."""
    by_owner: Mapped[bool]
    person_id: Mapped[str | None] = mapped_column(String(16))
    """Signed-in author; None if `author` is only a typed name."""
    created_at: Mapped[datetime]
    changed_at: Mapped[datetime | None]

    analysis: Mapped[Analysis] = relationship(back_populates="notes")


class Report(Base):
    """A user's report about an analysis; its text is that of one of its revisions."""

    __tablename__ = "reports"

    id: Mapped[str] = mapped_column(String(16), primary_key=True)
    analysis_id: Mapped[str] = mapped_column(ForeignKey("analyses.id", ondelete="CASCADE"), index=True)
    revision: Mapped[int]
    """Number of the published revision."""
    given: Mapped[int]
    """The highest number that a revision was given."""
    created_at: Mapped[datetime]

    analysis: Mapped[Analysis] = relationship(back_populates="reports")


class ReportRevision(Base):
    """A report as saved by a user."""

    __tablename__ = "report_revisions"

    report_id: Mapped[str] = mapped_column(ForeignKey("reports.id", ondelete="CASCADE"), primary_key=True)
    number: Mapped[int] = mapped_column(primary_key=True)
    title: Mapped[str]
    text: Mapped[str]
    aside: Mapped[bool]
    """True if it was based on an outdated revision, so it was never published."""
    created_at: Mapped[datetime]


class ApiToken(Base):
    """A secret by which a program acts for a person, or for the server's administrators."""

    __tablename__ = "api_tokens"

    id: Mapped[str] = mapped_column(String(16), primary_key=True)
    name: Mapped[str]
    scope: Mapped[str]
    """`owner`: all that its person may. `upload`: new analyses, and what was made with the token itself."""
    person_id: Mapped[str | None] = mapped_column(String(16), index=True)
    """User of the token; None for one of the command line or of a server without sign-in: it acts for an administrator."""
    token_hash: Mapped[str] = mapped_column(String(64), unique=True)
    created_at: Mapped[datetime]
    expires_at: Mapped[datetime | None]
    revoked_at: Mapped[datetime | None]
    last_used_at: Mapped[datetime | None]


def require_analysis(session: Session, analysis_id: str) -> None:
    """Raises 404 when there is no such analysis."""
    if session.get(Analysis, analysis_id) is None:
        raise not_found("analysis")


T = TypeVar("T", Note, Share)


def of_analysis(session: Session, kind: type[T], row_id: str, analysis_id: str, what: str) -> T:
    """The note or link of an analysis. Raises 404, in which it is called `what`, when the analysis has none with this id."""
    found = session.get(kind, row_id)
    if found is None or found.analysis_id != analysis_id:
        raise not_found(what)
    return found
