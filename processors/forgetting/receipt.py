"""The receipt of a forget: what was destroyed, where, and what is out of reach. Signed, and without personal data.

The signature is Ed25519 (RFC 8032) over the canonical JSON of everything but itself: keys sorted, no spaces, UTF-8.
"""

from typing import Any, Literal

import msgspec
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from eunoe.streams.errors import BadInput

VERSION = 1
OUT_OF_REACH = (
    "what other people said of the forgotten in their own words",
    "backups made before the request, until they are deleted or restored beside this log",
    "files and contexts that were exported or handed to agents and model providers before the request",
    "serving caches of models that were shown the forgotten",
)


class ChainHead(msgspec.Struct, frozen=True):
    """The head of one partition: its last position and record hash (hex)."""

    partition: int
    position: int
    hash: str


class Destroyed(msgspec.Struct, frozen=True):
    """One record that no longer opens."""

    partition: int
    position: int
    opens: bool = False


class Receipt(msgspec.Struct, frozen=True, kw_only=True):
    """See DESIGN D6. counts: rows by projection. keys: how many of which kind were destroyed."""

    version: int = VERSION
    depth: Literal["redact", "forget"]
    target: str
    home: str
    at: str
    request: Destroyed
    request_id: str
    completion_id: str
    records: tuple[Destroyed, ...]
    keys: dict[str, int]
    projections: dict[str, dict[str, int]]
    rebuilt: int
    chain_before: tuple[ChainHead, ...]
    chain_after: tuple[ChainHead, ...]
    out_of_reach: tuple[str, ...] = OUT_OF_REACH
    public_key: str
    signature: str = ""


def signed(receipt: Receipt, seed: bytes) -> Receipt:
    """The receipt with public key and signature of the home. seed: 32 bytes."""
    key = Ed25519PrivateKey.from_private_bytes(seed)
    bare = msgspec.structs.replace(receipt, public_key=public_key(seed), signature="")
    return msgspec.structs.replace(bare, signature=key.sign(_message(msgspec.to_builtins(bare))).hex())


def public_key(seed: bytes) -> str:
    """The public half, 64 hex digits."""
    return Ed25519PrivateKey.from_private_bytes(seed).public_key().public_bytes_raw().hex()


def verified(document: dict[str, Any], key: str) -> bool:
    """Whether a receipt's JSON was signed by this public key and not changed since. Raises BadInput for no receipt."""
    if not isinstance(document, dict) or not isinstance(document.get("signature"), str):
        raise BadInput("this is no receipt: it has no signature")
    try:
        public = Ed25519PublicKey.from_public_bytes(bytes.fromhex(key.strip()))
        signature = bytes.fromhex(document["signature"])
    except ValueError:
        raise BadInput("a public key is 64 and a signature 128 hex digits") from None
    try:
        public.verify(signature, _message({**document, "signature": ""}))
    except InvalidSignature:
        return False
    return True


def _message(document: Any) -> bytes:
    return msgspec.json.encode(document, order="sorted")
