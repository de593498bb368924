"""The master key: 32 bytes that open the keyring, from a file, an environment variable or a command.

A command (a KMS client, a password manager) prints the key as base64; its exit code must be 0.
"""

import base64
import binascii
import os
import secrets
import shlex
import subprocess
from pathlib import Path
from typing import Protocol

from eunoe.streams.errors import BadInput, MasterKeyMissing
from eunoe.streams.sealing import KEY_BYTES

_COMMAND_SECONDS = 30


class MasterKeySource(Protocol):
    """Where a master key comes from. `make` is asked once, for a home that does not exist yet."""

    def read(self) -> bytes:
        """The key. Raises MasterKeyMissing, BadInput."""

    def make(self) -> bytes:
        """A new key, durably kept before it is returned. Raises MasterKeyMissing where we may not keep it."""


class KeyFile:
    """A file with mode 0600 that holds the key as base64."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def read(self) -> bytes:
        try:
            return decoded(self.path.read_text())
        except BadInput:
            raise BadInput(f"the master key at {self.path} is damaged; put it back from your backup") from None
        except (FileNotFoundError, NotADirectoryError):
            raise MasterKeyMissing(
                f"no master key at {self.path}: put it back from your backup, or set EUNOE_MASTER_KEY"
            ) from None
        except UnicodeDecodeError:
            return decoded("")
        except OSError:
            raise MasterKeyMissing(f"the master key at {self.path} can't be read; check its owner and mode") from None

    def make(self) -> bytes:
        if self.path.exists():
            return self.read()
        key = secrets.token_bytes(KEY_BYTES)
        self.write(key)
        return key

    def write(self, key: bytes) -> None:
        """Put the key there at once or not at all, readable by its owner only."""
        temporary = self.path.with_name(f"{self.path.name}.{secrets.token_hex(4)}")
        descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        try:
            with os.fdopen(descriptor, "wb") as file:
                file.write(base64.b64encode(key) + b"\n")
                file.flush()
                os.fsync(file.fileno())
            temporary.rename(self.path)
            _synced(self.path.parent)
        finally:
            temporary.unlink(missing_ok=True)

    def move(self, target: "KeyFile") -> None:
        """Take another key file's place, durably."""
        self.path.rename(target.path)
        _synced(target.path.parent)


class KeyValue:
    """A key that was handed over as base64, from a setting or an environment variable."""

    def __init__(self, value: str) -> None:
        self._value = value

    def read(self) -> bytes:
        return decoded(self._value)

    make = read


class KeyCommand:
    """A command that prints the key as base64."""

    def __init__(self, command: str) -> None:
        try:
            self._words = shlex.split(command)
        except ValueError:
            raise BadInput("the master key command has an unbalanced quote") from None

    def read(self) -> bytes:
        try:
            done = subprocess.run(self._words, capture_output=True, timeout=_COMMAND_SECONDS, check=True)
        except (OSError, subprocess.SubprocessError) as error:
            raise MasterKeyMissing(f"the master key command failed ({type(error).__name__}); run it by hand") from None
        return decoded(done.stdout.decode("ascii", "replace"))

    make = read


def _synced(directory: Path) -> None:
    """A rename is durable once its directory is."""
    descriptor = os.open(directory, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def decoded(text: str) -> bytes:
    """32 bytes from base64. Raises BadInput without repeating what it was given."""
    try:
        key = base64.b64decode(text.strip(), validate=True)
    except (binascii.Error, ValueError):
        key = b""
    if len(key) != KEY_BYTES:
        raise BadInput("the master key is not 32 bytes in base64; make one with `openssl rand -base64 32`")
    return key
