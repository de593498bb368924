"""The chain of one partition, followed record by record. Every reader of every log follows it."""

from eunoe.streams.errors import LogDamaged
from eunoe.streams.frames import body_hash, chained


class Chain:
    """Where a reader stands: the hash so far and the number that comes next."""

    def __init__(self, partition: int, number: int, previous: bytes) -> None:
        self.partition, self.number, self.previous = partition, number, previous

    def follow(
        self,
        number: int,
        envelope_number: int,
        envelope: bytes,
        sealed: bytes | None,
        kept: bytes | None,
        found: bytes,
    ) -> None:
        """Take the next record. kept: H(ciphertext) of a dropped one; found: the hash that it was stored with.

        Raises LogDamaged where number or hash don't continue what came before.
        """
        if number != self.number or envelope_number != self.number:
            raise LogDamaged(f"record {self.number} is missing or out of its place", self.partition, self.number)
        digest = body_hash(sealed) if sealed is not None else kept
        if digest is None or chained(self.previous, envelope, digest) != found:
            raise LogDamaged("the hash does not continue the chain", self.partition, self.number)
        self.previous, self.number = found, number + 1
