"""Readings have options and can be repeated; what a reading told is kept per analysis, since archives have many members."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

ANALYSES = sa.table("analyses", sa.column("id", sa.String), sa.column("status", sa.String), sa.column("told", sa.JSON))
INPUTS = sa.table(
    "inputs",
    sa.column("analysis_id", sa.String),
    sa.column("position", sa.Integer),
    sa.column("summary", sa.JSON),
)


def upgrade() -> None:
    for name in ("told", "options", "wanted"):
        op.add_column("analyses", sa.Column(name, sa.JSON(), nullable=True))
    connection = op.get_bind()
    ready = connection.execute(sa.select(ANALYSES.c.id).where(ANALYSES.c.status == "ready")).scalars().all()
    for analysis_id in ready:
        summaries = sa.select(INPUTS.c.summary).where(INPUTS.c.analysis_id == analysis_id).order_by(INPUTS.c.position)
        told = [summary for summary in connection.execute(summaries).scalars() if summary is not None]
        connection.execute(sa.update(ANALYSES).where(ANALYSES.c.id == analysis_id).values(told=told))
    with op.batch_alter_table("inputs") as inputs:
        inputs.drop_column("summary")


def downgrade() -> None:
    with op.batch_alter_table("inputs") as inputs:
        inputs.add_column(sa.Column("summary", sa.JSON(), nullable=True))
    with op.batch_alter_table("analyses") as analyses:
        for name in ("told", "options", "wanted"):
            analyses.drop_column(name)
