"""The first books: keyring, bills, reports."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Make the tables of release 0.1."""
    op.create_table(
        "meta",
        sa.Column("name", sa.String, primary_key=True),
        sa.Column("value", sa.LargeBinary, nullable=False),
    )
    op.create_table(
        "purpose",
        sa.Column("name", sa.String, primary_key=True),
        sa.Column("wrapped", sa.LargeBinary, nullable=False),
    )
    op.create_table(
        "subject",
        sa.Column("number", sa.Integer, primary_key=True, autoincrement=True),
        sa.Column("pseudonym", sa.LargeBinary, nullable=False, unique=True),
        sa.Column("mac", sa.LargeBinary, nullable=False, unique=True),
        sa.Column("sealed", sa.LargeBinary, nullable=False),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "subject_key",
        sa.Column("subject", sa.Integer, sa.ForeignKey("subject.number", ondelete="CASCADE"), primary_key=True),
        sa.Column("version", sa.Integer, primary_key=True),
        sa.Column("wrapped", sa.LargeBinary, nullable=False),
    )
    op.create_table(
        "stream",
        sa.Column("pseudonym", sa.LargeBinary, primary_key=True),
        sa.Column("mac", sa.LargeBinary, nullable=False, unique=True),
        sa.Column("sealed", sa.LargeBinary, nullable=False),
    )
    op.create_table(
        "bill",
        *(sa.Column(name, sa.Integer, primary_key=True) for name in ("minute",)),
        *(sa.Column(name, sa.String, primary_key=True) for name in ("phase", "cause", "system", "model")),
        *(sa.Column(name, sa.Integer, nullable=False) for name in ("calls", "tokens_in", "tokens_out", "microseconds")),
    )
    op.create_table(
        "report",
        sa.Column("recall", sa.String, primary_key=True),
        sa.Column("at", sa.Integer, nullable=False),
        sa.Column("outcome", sa.String, nullable=False),
        sa.Column("tokens_in", sa.Integer, nullable=False),
        sa.Column("tokens_out", sa.Integer, nullable=False),
    )
    op.create_table(
        "receipt",
        sa.Column("request", sa.String, primary_key=True),
        sa.Column("document", sa.LargeBinary, nullable=False),
    )
    op.create_table(
        "use",
        sa.Column("memory", sa.LargeBinary, primary_key=True),
        sa.Column("uses", sa.Integer, nullable=False),
        sa.Column("last", sa.Integer, nullable=False),
    )


def downgrade() -> None:
    """There is nothing before the first release."""
