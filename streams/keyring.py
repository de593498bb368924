"""The keyring contract: subject keys, stream and subject pseudonyms, and the home's own keys.

It is mutable and stands beside the log; the truth is both together. Whatever it gives out was made durable
before, so that no record can stand sealed under a key that a crash takes away.
"""

from collections.abc import Sequence
from typing import Protocol

from cryptography.hazmat.primitives.ciphers.aead import AESGCM


class SubjectKey:
    """One version of a subject's key. number: small, local to the home. pseudonym: 16 random bytes.

    cipher: AES-GCM under the key, made once since making it costs as much as a sealing.
    """

    __slots__ = ("cipher", "number", "pseudonym", "secret", "version")

    def __init__(self, number: int, pseudonym: bytes, version: int, secret: bytes) -> None:
        self.number, self.pseudonym, self.version, self.secret = number, pseudonym, version, secret
        self.cipher = AESGCM(secret)

    def __repr__(self) -> str:
        return f"SubjectKey(number={self.number}, version={self.version})"


class Keyring(Protocol):
    """Every method is safe from any thread; several processes may share one keyring."""

    home: bytes
    """16 random bytes that name the home; the chain starts from them."""

    def purpose(self, name: str) -> bytes:
        """A 32-byte key of the home for one purpose (`lookup`, `suppression`, …), made on first use."""

    def stream(self, scope: str) -> bytes:
        """The stream pseudonym of a scope, made on first use."""

    def find_stream(self, scope: str) -> bytes | None:
        """The stream pseudonym of a scope that has one."""

    def subject(self, name: str) -> SubjectKey:
        """The newest key of a subject, made on first use."""

    def find_subject(self, name: str) -> int | None:
        """The number of a subject that has a key."""

    def subject_by_pseudonym(self, pseudonym: bytes) -> int | None:
        """The number behind a pseudonym; None when its keys were destroyed or never stood here."""

    def key(self, number: int, version: int) -> SubjectKey | None:
        """One version of a subject's key; None when it was destroyed or never stood here."""

    def destroy(self, pseudonyms: Sequence[bytes]) -> int:
        """Destroy the keys and names behind these subject and stream pseudonyms; how many were there."""

    def refresh(self) -> None:
        """Drop what is cached, since another process changed the keyring."""
