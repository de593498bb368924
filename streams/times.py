"""Times of the world: wall clock and offset as they were said, and a key that orders them.

A time without an offset is of unknown zone. It is kept without one, and read as UTC for ordering only.
"""

from datetime import UTC, datetime

from eunoe.streams.errors import Rejected

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def parse(text: str) -> datetime:
    """The time that an RFC 3339 text names; naive when it names no offset. Raises Rejected."""
    if len(text) > 40 or "T" not in text.upper().replace(" ", "T"):
        raise Rejected("`at` is not an RFC 3339 time such as 2026-05-12T09:30:00+02:00")
    try:
        moment = datetime.fromisoformat(text)
        order_key(moment)
    except (ValueError, OverflowError):
        raise Rejected("`at` is not an RFC 3339 time such as 2026-05-12T09:30:00+02:00") from None
    return moment


def order_key(moment: datetime) -> int:
    """Microseconds since 1970 in UTC; an unknown zone counts as UTC."""
    known = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    delta = known - _EPOCH
    return (delta.days * 86_400 + delta.seconds) * 1_000_000 + delta.microseconds


def normalised(text: str) -> str:
    """The one spelling in which a time is stored and compared. Raises Rejected."""
    return parse(text).isoformat()


def key_of(text: str) -> int:
    """`order_key` of a stored time."""
    return order_key(datetime.fromisoformat(text))
