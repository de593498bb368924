"""How often the guard refused something, by day. A count names nobody."""

from datetime import UTC, datetime, timedelta

import apsw

from eunoe.streams.sqlite_files import rows

TABLE = "create table refusal(day integer primary key, count integer not null)"
_DAY_SECONDS = 86_400
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def note(connection: apsw.Connection, seconds: float, count: int) -> None:
    """Count refusals of one append, in its transaction. seconds: since 1970."""
    connection.execute(
        "insert into refusal values(?, ?) on conflict do update set count = count + excluded.count",
        (int(seconds // _DAY_SECONDS), count),
    )


def by_day(connection: apsw.Connection) -> dict[str, int]:
    """ISO date (UTC) → how many were refused."""
    found = rows(connection, "select day, count from refusal order by day")
    return {(_EPOCH + timedelta(days=day)).date().isoformat(): count for day, count in found}
