"""People sign in, own analyses and read those of others; what is there has no owner: it is the administrators'."""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision: str | None = "0006"
branch_labels = None
depends_on = None

ADDED = (("uploads", "person_id"), ("uploads", "made_by"), ("notes", "person_id"), ("api_tokens", "person_id"))


def upgrade() -> None:
    op.create_table(
        "people",
        sa.Column("id", sa.String(16), nullable=False),
        sa.Column("name", sa.String(200), nullable=False),
        sa.Column("subject", sa.String(), nullable=True),
        sa.Column("groups", sa.JSON(), nullable=False),
        sa.Column("created_at", sa.DateTime(), nullable=False),
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
    # No foreign keys: SQLite can add one only by making the table anew, which would take the rows that refer to it along.
    for table, column in ADDED:
        op.add_column(table, sa.Column(column, sa.String(16), nullable=True))
    op.create_index("ix_api_tokens_person_id", "api_tokens", ["person_id"])


def downgrade() -> None:
    op.drop_index("ix_api_tokens_person_id", "api_tokens")
    for table, column in reversed(ADDED):
        op.drop_column(table, column)
    for table in ("members", "sessions", "people"):
        op.drop_table(table)
