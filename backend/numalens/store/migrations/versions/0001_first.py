"""The first tables: uploads, analyses, inputs, shares."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "uploads",
        sa.Column("id", sa.String(32), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("length", sa.Integer(), nullable=False),
        sa.Column("metadata_header", sa.String(), nullable=False),
        sa.Column("created_at", sa.DateTime(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_uploads"),
    )
    op.create_table(
        "analyses",
        sa.Column("id", sa.String(16), nullable=False),
        sa.Column("title", sa.String(), nullable=False),
        sa.Column("status", sa.String(), nullable=False),
        sa.Column("created_at", sa.DateTime(), nullable=False),
        sa.Column("sample", sa.Boolean(), nullable=False),
        sa.Column("origin", sa.String(), nullable=True),
        sa.Column("error", sa.JSON(), nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_analyses"),
    )
    op.create_index("ix_analyses_status", "analyses", ["status"])
    op.create_index("ix_analyses_created_at", "analyses", ["created_at"])
    op.create_index("ix_analyses_origin", "analyses", ["origin"])
    op.create_table(
        "inputs",
        sa.Column("analysis_id", sa.String(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("bytes", sa.Integer(), nullable=False),
        sa.Column("upload_id", sa.String(), nullable=True),
        sa.Column("sha256", sa.String(64), nullable=True),
        sa.Column("summary", sa.JSON(), nullable=True),
        sa.ForeignKeyConstraint(
            ["analysis_id"], ["analyses.id"], name="fk_inputs_analysis_id_analyses", ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(["upload_id"], ["uploads.id"], name="fk_inputs_upload_id_uploads"),
        sa.PrimaryKeyConstraint("analysis_id", "position", name="pk_inputs"),
        sa.UniqueConstraint("upload_id", name="uq_inputs_upload_id"),
    )
    op.create_index("ix_inputs_sha256", "inputs", ["sha256"])
    op.create_table(
        "shares",
        sa.Column("id", sa.String(16), nullable=False),
        sa.Column("analysis_id", sa.String(), nullable=False),
        sa.Column("token_hash", sa.String(64), nullable=False),
        sa.Column("view", sa.String(), nullable=False),
        sa.Column("created_at", sa.DateTime(), nullable=False),
        sa.Column("expires_at", sa.DateTime(), nullable=True),
        sa.Column("revoked_at", sa.DateTime(), nullable=True),
        sa.Column("opened", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["analysis_id"], ["analyses.id"], name="fk_shares_analysis_id_analyses", ondelete="CASCADE"
        ),
        sa.PrimaryKeyConstraint("id", name="pk_shares"),
        sa.UniqueConstraint("token_hash", name="uq_shares_token_hash"),
    )
    op.create_index("ix_shares_analysis_id", "shares", ["analysis_id"])


def downgrade() -> None:
    for table in ("shares", "inputs", "analyses", "uploads"):
        op.drop_table(table)
