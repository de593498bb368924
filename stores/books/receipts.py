"""Receipts of what was forgotten, kept by the id of their request."""

from sqlalchemy import select
from sqlalchemy.dialects.sqlite import insert

from eunoe.stores.books.database import Database
from eunoe.stores.books.tables import receipt


class Receipts:
    """The kept receipts, each a signed JSON document."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def keep(self, request: str, document: bytes) -> None:
        """Keep a receipt; a second one of the same request changes nothing."""
        with self._database.write() as connection:
            connection.execute(insert(receipt).values(request=request, document=document).on_conflict_do_nothing())

    def all(self) -> dict[str, bytes]:
        """All receipts by the id of their request."""
        with self._database.read() as connection:
            found = connection.execute(select(receipt.c.request, receipt.c.document).order_by(receipt.c.request)).all()
        return {row[0]: row[1] for row in found}

    def requests(self) -> list[str]:
        """The ids of the requests that have a receipt."""
        with self._database.read() as connection:
            return list(connection.execute(select(receipt.c.request)).scalars())
