"""A place in the log, (partition, position), as one number: partition · 2⁴⁰ + position.

Numbers of one partition lie side by side and in order, which is what tables keyed by them are for.
"""

SHIFT = 40

Place = tuple[int, int]
"""(partition, position)."""


def number_of(place: Place) -> int:
    """The one number."""
    return (place[0] << SHIFT) + place[1]


def place_of(number: int) -> Place:
    """The place behind the number."""
    return number >> SHIFT, number & ((1 << SHIFT) - 1)
