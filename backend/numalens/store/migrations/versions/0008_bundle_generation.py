"""Analyses name the bundle to be read and the latest try to make one; sizes of files may be above 2 GiB on every database."""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None

# SQLite's integers have 64 bits whatever the column says.
SIZES = (("uploads", "length"), ("inputs", "bytes"))


def upgrade() -> None:
    op.add_column("analyses", sa.Column("generation", sa.String(40), nullable=True))
    op.add_column("analyses", sa.Column("attempt", sa.String(16), nullable=True))
    if op.get_bind().dialect.name != "sqlite":
        for table, column in SIZES:
            op.alter_column(table, column, existing_type=sa.Integer(), type_=sa.BigInteger(), existing_nullable=False)


def downgrade() -> None:
    if op.get_bind().dialect.name != "sqlite":
        for table, column in SIZES:
            op.alter_column(table, column, existing_type=sa.BigInteger(), type_=sa.Integer(), existing_nullable=False)
    with op.batch_alter_table("analyses") as analyses:
        for name in ("generation", "attempt"):
            analyses.drop_column(name)
