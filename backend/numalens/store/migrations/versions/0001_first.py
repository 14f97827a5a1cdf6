"""The tables of 1.0."""

import sqlalchemy as sa
from alembic import op

revision = "1.0"
down_revision = None
branch_labels = None
depends_on = None

# SQLite's integers have 64 bits whatever the column says.
BYTES = sa.BigInteger().with_variant(sa.Integer(), "sqlite")


def upgrade() -> None:
    people()
    uploads()
    analyses()
    op.create_table(
        "inputs",
        sa.Column("analysis_id", sa.String(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("bytes", BYTES, nullable=False),
        sa.Column("upload_id", sa.String(), nullable=True),
        sa.Column("sha256", sa.String(64), nullable=True),
        sa.ForeignKeyConstraint(
            ["analysis_id"], ["analyses.id"], name="fk_inputs_analysis_id_analyses", ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(["upload_id"], ["uploads.id"], name="fk_inputs_upload_id_uploads"),
        sa.PrimaryKeyConstraint("analysis_id", "position", name="pk_inputs"),
        sa.UniqueConstraint("upload_id", name="uq_inputs_upload_id"),
    )
    op.create_index("ix_inputs_sha256", "inputs", ["sha256"])
    sharing()
    reports()
    op.create_table(
        "api_tokens",
        sa.Column("id", sa.String(16), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("scope", sa.String(), nullable=False),
        sa.Column("person_id", sa.String(16), nullable=True),
        sa.Column("token_hash", sa.String(64), nullable=False),
        sa.Column("created_at", sa.DateTime(), nullable=False),
        sa.Column("expires_at", sa.DateTime(), nullable=True),
        sa.Column("revoked_at", sa.DateTime(), nullable=True),
        sa.Column("last_used_at", sa.DateTime(), nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_api_tokens"),
        sa.UniqueConstraint("token_hash", name="uq_api_tokens_token_hash"),
    )
    op.create_index("ix_api_tokens_person_id", "api_tokens", ["person_id"])


def people() -> None:
    op.create_table(
        "people",
        sa.Column("id", sa.String(16), nullable=False),
        sa.Column("name", sa.String(200), nullable=False),
        sa.Column("subject", sa.String(), nullable=True),
        sa.Column("groups", sa.JSON(), nullable=False),
        sa.Column("created_at", sa.DateTime(), nullable=False),
        sa.Column("signed_in_at", sa.DateTime(), nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_people"),
        sa.UniqueConstraint("name", name="uq_people_name"),
        sa.UniqueConstraint("subject", name="uq_people_subject"),
    )
    op.create_table(
        "sessions",
        sa.Column("token_hash", sa.String(64), nullable=False),
        sa.Column("person_id", sa.String(16), nullable=False),
        sa.Column("created_at", sa.DateTime(), nullable=False),
        sa.Column("expires_at", sa.DateTime(), nullable=False),
        sa.ForeignKeyConstraint(["person_id"], ["people.id"], name="fk_sessions_person_id_people", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("token_hash", name="pk_sessions"),
    )
    op.create_index("ix_sessions_person_id", "sessions", ["person_id"])


def uploads() -> None:
    op.create_table(
        "uploads",
        sa.Column("id", sa.String(32), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("length", BYTES, nullable=False),
        sa.Column("metadata_header", sa.String(), nullable=False),
        sa.Column("created_at", sa.DateTime(), nullable=False),
        sa.Column("person_id", sa.String(16), nullable=True),
        sa.Column("made_by", sa.String(16), nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_uploads"),
    )


def analyses() -> None:
    op.create_table(
        "analyses",
        sa.Column("id", sa.String(16), nullable=False),
        sa.Column("title", sa.String(), nullable=False),
        sa.Column("status", sa.String(), nullable=False),
        sa.Column("created_at", sa.DateTime(), nullable=False),
        sa.Column("sample", sa.Boolean(), nullable=False),
        sa.Column("origin", sa.String(), nullable=True),
        sa.Column("error", sa.JSON(), nullable=True),
        sa.Column("input_summaries", sa.JSON(), nullable=True),
        sa.Column("options", sa.JSON(), nullable=True),
        sa.Column("wanted", sa.JSON(), nullable=True),
        sa.Column("generation", sa.String(40), nullable=True),
        sa.Column("attempt", sa.String(16), nullable=True),
        sa.Column("description", sa.String(), nullable=False),
        sa.Column("tags", sa.JSON(), nullable=False),
        sa.Column("incident", sa.String(), nullable=True),
        sa.Column("keep", sa.Boolean(), nullable=False),
        sa.Column("made_by", sa.String(16), nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_analyses"),
    )
    for column in ("status", "created_at", "origin", "incident"):
        op.create_index(f"ix_analyses_{column}", "analyses", [column])
    op.create_table(
        "members",
        sa.Column("analysis_id", sa.String(16), nullable=False),
        sa.Column("person_id", sa.String(16), nullable=False),
        sa.Column("role", sa.String(), nullable=False),
        sa.Column("download", sa.Boolean(), nullable=False),
        sa.Column("handed_to", sa.String(16), nullable=True),
        sa.Column("created_at", sa.DateTime(), nullable=False),
        sa.ForeignKeyConstraint(
            ["analysis_id"], ["analyses.id"], name="fk_members_analysis_id_analyses", ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(["person_id"], ["people.id"], name="fk_members_person_id_people", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("analysis_id", "person_id", name="pk_members"),
    )
    op.create_index("ix_members_person_id", "members", ["person_id"])


def sharing() -> None:
    op.create_table(
        "shares",
        sa.Column("id", sa.String(16), nullable=False),
        sa.Column("analysis_id", sa.String(), nullable=False),
        sa.Column("token_hash", sa.String(64), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("view", sa.String(), nullable=False),
        sa.Column("comment", sa.Boolean(), nullable=False),
        sa.Column("download", sa.Boolean(), nullable=False),
        sa.Column("created_at", sa.DateTime(), nullable=False),
        sa.Column("expires_at", sa.DateTime(), nullable=True),
        sa.Column("revoked_at", sa.DateTime(), nullable=True),
        sa.Column("opened", sa.Integer(), nullable=False),
        sa.Column("last_opened_at", sa.DateTime(), nullable=True),
        sa.ForeignKeyConstraint(
            ["analysis_id"], ["analyses.id"], name="fk_shares_analysis_id_analyses", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_shares"),
        sa.UniqueConstraint("token_hash", name="uq_shares_token_hash"),
    )
    op.create_index("ix_shares_analysis_id", "shares", ["analysis_id"])
    op.create_table(
        "notes",
        sa.Column("id", sa.String(16), nullable=False),
        sa.Column("analysis_id", sa.String(), nullable=False),
        sa.Column("parent_id", sa.String(16), nullable=True),
        sa.Column("author", sa.String(), nullable=False),
        sa.Column("text", sa.String(), nullable=False),
        sa.Column("about", sa.JSON(), nullable=True),
        sa.Column("key_hash", sa.String(64), nullable=False),
        sa.Column("by_owner", sa.Boolean(), nullable=False),
        sa.Column("person_id", sa.String(16), nullable=True),
        sa.Column("created_at", sa.DateTime(), nullable=False),
        sa.Column("changed_at", sa.DateTime(), nullable=True),
        sa.ForeignKeyConstraint(
            ["analysis_id"], ["analyses.id"], name="fk_notes_analysis_id_analyses", ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(["parent_id"], ["notes.id"], name="fk_notes_parent_id_notes", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name="pk_notes"),
    )
    for column in ("analysis_id", "parent_id"):
        op.create_index(f"ix_notes_{column}", "notes", [column])


def reports() -> None:
    op.create_table(
        "reports",
        sa.Column("id", sa.String(16), nullable=False),
        sa.Column("analysis_id", sa.String(16), nullable=False),
        sa.Column("revision", sa.Integer(), nullable=False),
        sa.Column("given", sa.Integer(), nullable=False),
        sa.Column("created_at", sa.DateTime(), nullable=False),
        sa.ForeignKeyConstraint(
            ["analysis_id"], ["analyses.id"], name="fk_reports_analysis_id_analyses", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_reports"),
    )
    op.create_index("ix_reports_analysis_id", "reports", ["analysis_id"])
    op.create_table(
        "report_revisions",
        sa.Column("report_id", sa.String(16), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("title", sa.String(), nullable=False),
        sa.Column("text", sa.String(), nullable=False),
        sa.Column("aside", sa.Boolean(), nullable=False),
        sa.Column("created_at", sa.DateTime(), nullable=False),
        sa.ForeignKeyConstraint(
            ["report_id"], ["reports.id"], name="fk_report_revisions_report_id_reports", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("report_id", "number", name="pk_report_revisions"),
    )
