"""Analyses have a description, tags and an incident, and may be kept for good."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("analyses", sa.Column("description", sa.String(), nullable=False, server_default=""))
    op.add_column("analyses", sa.Column("tags", sa.JSON(), nullable=False, server_default="[]"))
    op.add_column("analyses", sa.Column("incident", sa.String(), nullable=True))
    op.add_column("analyses", sa.Column("keep", sa.Boolean(), nullable=False, server_default=sa.false()))
    op.create_index("ix_analyses_incident", "analyses", ["incident"])


def downgrade() -> None:
    op.drop_index("ix_analyses_incident", "analyses")
    with op.batch_alter_table("analyses") as analyses:
        for name in ("description", "tags", "incident", "keep"):
            analyses.drop_column(name)
