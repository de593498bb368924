"""Signing of documents: Ed25519 (RFC 8032) by the home's key over the canonical JSON of everything but the signature.

Canonical JSON: keys sorted, no spaces, UTF-8. Whoever has the document and the public key can check it.
"""

from typing import Any, Protocol, TypeVar

import msgspec
from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey, Ed25519PublicKey

from eunoe.streams.errors import BadInput


class Signable(Protocol):
    """A document with room for a key and a signature, both hex."""

    @property
    def public_key(self) -> str:
        """64 hex digits."""

    @property
    def signature(self) -> str:
        """128 hex digits."""


Document = TypeVar("Document", bound=Signable)


def signed(document: Document, seed: bytes) -> Document:
    """The document with public key and signature of the home. seed: 32 bytes."""
    key = Ed25519PrivateKey.from_private_bytes(seed)
    bare: Any = msgspec.structs.replace(document, public_key=public_key(seed), signature="")  # type: ignore[type-var]
    whole: Document = msgspec.structs.replace(bare, signature=key.sign(_message(msgspec.to_builtins(bare))).hex())
    return whole


def public_key(seed: bytes) -> str:
    """The public half, 64 hex digits."""
    return Ed25519PrivateKey.from_private_bytes(seed).public_key().public_bytes_raw().hex()


def verified(document: dict[str, Any], key: str) -> bool:
    """Whether a JSON document was signed by this public key and not changed since. Raises BadInput for none such."""
    if not isinstance(document, dict) or not isinstance(document.get("signature"), str):
        raise BadInput("this is no signed document: it has no signature")
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
