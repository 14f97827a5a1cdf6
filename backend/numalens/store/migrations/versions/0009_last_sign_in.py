"""People have the moment of their last sign-in; of those before nothing is known but what a session that goes on tells."""

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("people", sa.Column("signed_in_at", sa.DateTime(), nullable=True))
    op.execute(
        "UPDATE people SET signed_in_at ="
        " (SELECT max(sessions.created_at) FROM sessions WHERE sessions.person_id = people.id)"
    )


def downgrade() -> None:
    op.drop_column("people", "signed_in_at")
