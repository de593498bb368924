"""The clear frame of a record: what anybody may see, and what the chain is made of.

H = SHA-256. A record's hash is H(previous ‖ envelope ‖ H(ciphertext)), so that a forgotten record's ciphertext
can be dropped while the chain stays whole.
"""

from hashlib import sha256

import msgspec

EPOCH_SCHEMA = "epoch/1"


class Envelope(msgspec.Struct, frozen=True, array_like=True):
    """Nothing here is computed from content or from the caller's ids.

    record, stream, subjects: random ids and pseudonyms, 16 bytes each. size: bytes of the sealed body in clear.
    number: place in the partition, without gaps from 0. written: milliseconds since 1970, the writer's clock.
    source: (input topic, partition, offset, last of that input), where the record came through a topic.
    covers: record ids or pseudonyms that a forget request covers. count: records of one commit that belong
    together (chunks), on the first of them.
    """

    record: bytes
    stream: bytes
    subjects: tuple[bytes, ...]
    schema: str
    size: int
    epoch: int
    writer: bytes
    number: int
    written: int
    source: tuple[str, int, int, bool] | None = None
    covers: tuple[bytes, ...] = ()
    count: int = 1

    @property
    def binding(self) -> bytes:
        """Associated data that ties a ciphertext to its record, stream and schema, but not to its place."""
        return self.record + self.stream + self.schema.encode()


encode_envelope = msgspec.msgpack.Encoder().encode
decode_envelope = msgspec.msgpack.Decoder(Envelope).decode


def genesis(home: bytes, partition: int) -> bytes:
    """The hash before a partition's first record."""
    return sha256(b"eunoe/log/1" + home + partition.to_bytes(4, "big")).digest()


def chained(previous: bytes, envelope: bytes, body_hash: bytes) -> bytes:
    """The hash of a record, from the encoded envelope and H(ciphertext)."""
    return sha256(previous + envelope + body_hash).digest()


def body_hash(ciphertext: bytes) -> bytes:
    """H(ciphertext); what stays when the ciphertext is dropped."""
    return sha256(ciphertext).digest()
