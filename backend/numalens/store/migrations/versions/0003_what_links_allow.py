"""Links say what they allow, for whom they are and when they were last opened; analyses have notes.

Links of before could download everything, so they still may.
"""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("shares", sa.Column("name", sa.String(), nullable=False, server_default=""))
    op.add_column("shares", sa.Column("comment", sa.Boolean(), nullable=False, server_default=sa.false()))
    op.add_column("shares", sa.Column("download", sa.Boolean(), nullable=False, server_default=sa.true()))
    op.add_column("shares", sa.Column("last_opened_at", sa.DateTime(), nullable=True))
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
        sa.Column("created_at", sa.DateTime(), nullable=False),
        sa.Column("changed_at", sa.DateTime(), nullable=True),
        sa.ForeignKeyConstraint(
            ["analysis_id"], ["analyses.id"], name="fk_notes_analysis_id_analyses", ondelete="CASCADE"
        ),
        sa.ForeignKeyConstraint(["parent_id"], ["notes.id"], name="fk_notes_parent_id_notes", ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("id", name="pk_notes"),
    )
    op.create_index("ix_notes_analysis_id", "notes", ["analysis_id"])
    op.create_index("ix_notes_parent_id", "notes", ["parent_id"])


def downgrade() -> None:
    op.drop_table("notes")
    with op.batch_alter_table("shares") as shares:
        for name in ("name", "comment", "download", "last_opened_at"):
            shares.drop_column(name)
