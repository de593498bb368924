"""Arguments of the front door, checked where they come in. What is refused is never repeated."""

from collections.abc import Sequence

from eunoe.streams.errors import BadInput

MOST = 2**63 - 1


def text(name: str, value: object) -> str:
    """Text that every store can hold. Raises BadInput."""
    if not isinstance(value, str):
        raise BadInput(f"{name} must be text")
    if not value.isascii():
        try:
            value.encode("utf-8")
        except UnicodeEncodeError:
            raise BadInput(f"{name} holds a lone surrogate") from None
    return value


def optional_text(name: str, value: object) -> str | None:
    """`text`, or None."""
    return None if value is None else text(name, value)


def texts(name: str, value: object) -> list[str]:
    """A list of texts. Raises BadInput."""
    if isinstance(value, str | bytes) or not isinstance(value, Sequence):
        raise BadInput(f"{name} must be a list of texts")
    return [text(name, one) for one in value]


def number(name: str, value: object, least: int = 0) -> int:
    """A whole number of 64 bits, no smaller than `least`. Raises BadInput."""
    if not isinstance(value, int) or isinstance(value, bool) or not least <= value <= MOST:
        raise BadInput(f"{name} must be a whole number of at least {least}")
    return value


def optional_number(name: str, value: object, least: int = 0) -> int | None:
    """`number`, or None."""
    return None if value is None else number(name, value, least)
