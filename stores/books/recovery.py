"""Recovery keys: what a backup's master key is sealed for, so that a backup can be opened without the home's own.

X25519 (RFC 7748): the home keeps the public half, so that a backup needs no secret to be made; the private half is
shown once and never stored. A passphrase gives a private half by scrypt (RFC 7914). Sealing is HKDF-SHA256 over the
agreement with a fresh key, then AES-256-GCM.
"""

import base64
import binascii
import os
import secrets
from typing import Any

import msgspec
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from cryptography.hazmat.primitives.kdf.scrypt import Scrypt
from sqlalchemy import select
from sqlalchemy.dialects.sqlite import insert

from eunoe.stores.books.database import Database
from eunoe.stores.books.keyring import BooksKeyring
from eunoe.stores.books.tables import meta
from eunoe.streams.errors import BadInput, LogDamaged, WrongRecoveryKey
from eunoe.streams.sealing import KEY_BYTES, seal, unseal

_NAME = "recovery"
_SALT_BYTES = 16
_SCRYPT: dict[str, Any] = {"length": KEY_BYTES, "n": 1 << 15, "r": 8, "p": 1}
_SHORTEST = 12


class Lock(msgspec.Struct, frozen=True):
    """For whom something is sealed. public: 64 hex digits. salt: hex, of a passphrase; empty for a key."""

    public: str
    salt: str = ""


def new_key() -> str:
    """A new recovery key, base64 of 32 bytes."""
    return base64.b64encode(secrets.token_bytes(KEY_BYTES)).decode()


def lock_of(words: str) -> Lock:
    """The lock that a recovery key or passphrase opens. Raises BadInput for a short passphrase."""
    key = _decoded(words)
    if key is not None:
        return Lock(_public(key).hex())
    if len(words) < _SHORTEST:
        raise BadInput(f"a recovery passphrase needs {_SHORTEST} characters; `eunoe keys recovery` makes a key")
    salt = os.urandom(_SALT_BYTES)
    return Lock(_public(_stretched(words, salt)).hex(), salt.hex())


def private_of(words: str, lock: Lock) -> bytes:
    """The private half that opens a lock. Raises WrongRecoveryKey."""
    key = _stretched(words, bytes.fromhex(lock.salt)) if lock.salt else _decoded(words)
    if key is None or _public(key).hex() != lock.public:
        what = "passphrase" if lock.salt else "recovery key"
        raise WrongRecoveryKey(f"this is not the {what} that the backup was made for")
    return key


def sealed_for(lock: Lock, secret: bytes, binding: bytes) -> bytes:
    """public half of a fresh key ‖ the secret, sealed, bound to what stands beside it."""
    once = X25519PrivateKey.generate()
    public = once.public_key().public_bytes_raw()
    theirs = bytes.fromhex(lock.public)
    shared = once.exchange(X25519PublicKey.from_public_bytes(theirs))
    return public + seal(_derived(shared, public + theirs), secret, binding)


def opened_by(private: bytes, sealed: bytes, binding: bytes) -> bytes:
    """What `sealed_for` was given. Raises LogDamaged when something was changed."""
    public, rest = sealed[:KEY_BYTES], sealed[KEY_BYTES:]
    try:
        shared = X25519PrivateKey.from_private_bytes(private).exchange(X25519PublicKey.from_public_bytes(public))
    except ValueError:
        raise LogDamaged("a sealed key is too short to be one") from None
    return unseal(_derived(shared, public + _public(private)), rest, binding)


class RecoveryLock:
    """The lock that a home's backups are made for, kept in the books, sealed so that nobody can put another there."""

    def __init__(self, database: Database, keyring: BooksKeyring) -> None:
        self._database, self._keyring = database, keyring

    def make(self, *, again: bool = False) -> str:
        """A new recovery key, to be shown once. Raises BadInput when there is one, unless `again`."""
        if self.lock() is not None and not again:
            raise BadInput("there is a recovery key already; --again makes another, and older backups keep the old one")
        words = new_key()
        self.keep(lock_of(words))
        return words

    def keep(self, lock: Lock) -> None:
        """Make later backups for this lock."""
        sealed = seal(self._keyring.purpose(_NAME), bytes.fromhex(lock.public), self._keyring.home)
        row = insert(meta).values(name=_NAME, value=sealed)
        with self._database.write() as connection:
            connection.execute(row.on_conflict_do_update(set_={"value": sealed}))

    def lock(self) -> Lock | None:
        """The lock, or None where no recovery key was made. Raises LogDamaged where it was changed."""
        with self._database.read() as connection:
            found = connection.execute(select(meta.c.value).where(meta.c.name == _NAME)).scalar()
        if found is None:
            return None
        return Lock(unseal(self._keyring.purpose(_NAME), found, self._keyring.home).hex())


def _decoded(words: str) -> bytes | None:
    try:
        key = base64.b64decode(words.strip(), validate=True)
    except (binascii.Error, ValueError):
        return None
    return key if len(key) == KEY_BYTES else None


def _stretched(words: str, salt: bytes) -> bytes:
    return Scrypt(salt, **_SCRYPT).derive(words.encode("utf-8", "surrogatepass"))


def _public(private: bytes) -> bytes:
    return X25519PrivateKey.from_private_bytes(private).public_key().public_bytes_raw()


def _derived(shared: bytes, keys: bytes) -> bytes:
    return HKDF(SHA256(), KEY_BYTES, None, b"eunoe/recovery/1" + keys).derive(shared)
