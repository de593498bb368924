"""Which partition a scope lives in: the same for every home, runtime and language.

partition = (first 8 bytes of SHA-256 of the scope's UTF-8, as a big-endian unsigned integer) mod partitions.
"""

from functools import lru_cache
from hashlib import sha256


@lru_cache(4096)
def partition_of(scope: str, partitions: int) -> int:
    """The partition of a scope, from 0 to partitions - 1."""
    return int.from_bytes(sha256(scope.encode()).digest()[:8], "big") % partitions
