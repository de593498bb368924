"""Tables of the books. The migrations make them; a test holds the two against each other."""

from sqlalchemy import Column, ForeignKey, Integer, LargeBinary, MetaData, String, Table

metadata = MetaData()

meta = Table("meta", metadata, Column("name", String, primary_key=True), Column("value", LargeBinary, nullable=False))

# Keys of the home, one a purpose, wrapped by the master key.
purpose = Table(
    "purpose",
    metadata,
    Column("name", String, primary_key=True),
    Column("wrapped", LargeBinary, nullable=False),
)

# mac: keyed hash of the name; sealed: the name under the home's `names` key.
subject = Table(
    "subject",
    metadata,
    Column("number", Integer, primary_key=True, autoincrement=True),
    Column("pseudonym", LargeBinary, nullable=False, unique=True),
    Column("mac", LargeBinary, nullable=False, unique=True),
    Column("sealed", LargeBinary, nullable=False),
    sqlite_autoincrement=True,
)

subject_key = Table(
    "subject_key",
    metadata,
    Column("subject", Integer, ForeignKey("subject.number", ondelete="CASCADE"), primary_key=True),
    Column("version", Integer, primary_key=True),
    Column("wrapped", LargeBinary, nullable=False),
)

stream = Table(
    "stream",
    metadata,
    Column("pseudonym", LargeBinary, primary_key=True),
    Column("mac", LargeBinary, nullable=False, unique=True),
    Column("sealed", LargeBinary, nullable=False),
)

# Summed by the minute; no content, no names.
bill = Table(
    "bill",
    metadata,
    Column("minute", Integer, primary_key=True),
    Column("phase", String, primary_key=True),
    Column("cause", String, primary_key=True),
    Column("system", String, primary_key=True),
    Column("model", String, primary_key=True),
    Column("calls", Integer, nullable=False),
    Column("tokens_in", Integer, nullable=False),
    Column("tokens_out", Integer, nullable=False),
    Column("microseconds", Integer, nullable=False),
)

# What agents said of a recall: keyed hashes of the memories that were used, never the memories.
report = Table(
    "report",
    metadata,
    Column("recall", String, primary_key=True),
    Column("at", Integer, nullable=False),
    Column("outcome", String, nullable=False),
    Column("tokens_in", Integer, nullable=False),
    Column("tokens_out", Integer, nullable=False),
)

# Signed receipts, which hold no personal data.
receipt = Table(
    "receipt",
    metadata,
    Column("request", String, primary_key=True),
    Column("document", LargeBinary, nullable=False),
)

use = Table(
    "use",
    metadata,
    Column("memory", LargeBinary, primary_key=True),
    Column("uses", Integer, nullable=False),
    Column("last", Integer, nullable=False),
)
