"""Sealing: AES-256-GCM under a data key per record, the data key shared out to the record's subjects.

A data key of several subjects is split n-of-n by XOR, one wrapped share a subject, so that destroying any one
subject's key closes the record. Each data key seals exactly one body.
"""

import os
from collections.abc import Sequence

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from eunoe.streams.errors import LogDamaged

KEY_BYTES = 32
NONCE_BYTES = 12
_OVERHEAD = 16


def seal(key: bytes, plain: bytes, binding: bytes) -> bytes:
    """nonce ‖ ciphertext ‖ tag under a 32-byte key, bound to the associated data."""
    nonce = os.urandom(NONCE_BYTES)
    return nonce + AESGCM(key).encrypt(nonce, plain, binding)


def unseal(key: bytes, sealed: bytes, binding: bytes) -> bytes:
    """What `seal` was given. Raises LogDamaged when key, binding or bytes are not those of the sealing."""
    if len(sealed) < NONCE_BYTES + _OVERHEAD:
        raise LogDamaged("a sealed body is too short to be one")
    try:
        return AESGCM(key).decrypt(sealed[:NONCE_BYTES], sealed[NONCE_BYTES:], binding)
    except InvalidTag:
        raise LogDamaged("a sealed body does not open: its bytes, its key or its place were changed") from None


def split(key: bytes, parts: int) -> list[bytes]:
    """n shares of equal length that give the key by XOR; with one part, the key itself."""
    if parts == 1:
        return [key]
    shares = [os.urandom(len(key)) for _ in range(parts - 1)]
    return [*shares, joined([key, *shares])]


def joined(shares: Sequence[bytes]) -> bytes:
    """XOR of all shares."""
    if len(shares) == 1:
        return shares[0]
    total = 0
    for share in shares:
        total ^= int.from_bytes(share, "big")
    return total.to_bytes(KEY_BYTES, "big")
