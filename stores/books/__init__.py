"""The books: the relational file beside the log, kept by SQLAlchemy and migrated by Alembic.

It holds the keyring, reports and bills. Its content can't be given back by the log alone.
"""
