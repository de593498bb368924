"""Signed tree heads: what the log was, said where nobody who can change the log can change it too.

A head names the size and root of every partition's hash tree. Kept outside the home, it shows later that the log was
cut, rolled back, forked or rewritten, which a log alone can't show of itself.
"""

import logging
import os
import shlex
import subprocess
import threading
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

import msgspec

from eunoe.processors.forgetting.signing import public_key, signed, verified
from eunoe.streams.errors import BadInput, EunoeError
from eunoe.streams.keyring import Keyring
from eunoe.streams.log import Bad, Log
from eunoe.streams.merkle import TreeHead, root_of

VERSION = 1
_COMMAND_SECONDS = 30

_log = logging.getLogger("eunoe.heads")


class SignedHead(msgspec.Struct, frozen=True, kw_only=True):
    """The heads of all partitions at one time, signed by the home. One line of a heads file."""

    version: int = VERSION
    home: str
    at: str
    partitions: tuple[TreeHead, ...]
    public_key: str = ""
    signature: str = ""


def tree_heads(log: Log) -> tuple[TreeHead, ...]:
    """The heads of a log's hash trees now. The cost grows with the logarithm of the log."""
    return tuple(tree_head(log, partition, log.head(partition) + 1) for partition in range(log.partitions))


def tree_head(log: Log, partition: int, size: int) -> TreeHead:
    """The head of one partition's tree as it was at a size."""
    root = root_of(size, lambda level, index: log.node(partition, level, index))
    return TreeHead(partition, size, root.hex())


class Publisher:
    """Signs heads and gives them out of the home: appended to a file, handed to a command on standard input, or both.

    every: records after which `note` publishes on its own; 0 for never. Raises BadInput for a file in the home itself.
    """

    def __init__(
        self, log: Log, keyring: Keyring, now: Callable[[], str], *, home: Path,
        file: Path | None, command: str | None, every: int = 0,
    ) -> None:  # fmt: skip
        if file is not None and file.resolve().is_relative_to(home.resolve()):
            raise BadInput("heads_file lies in the home itself, where whoever changes the log can change it too")
        self._log, self._keyring, self._now = log, keyring, now
        self._file, self._command, self._every = file, command, every
        self._lock, self._noted, self._sizes = threading.Lock(), 0, self._size()

    def head(self) -> SignedHead:
        """The signed head of the log as it stands."""
        bare = SignedHead(home=self._keyring.home.hex(), at=self._now(), partitions=tree_heads(self._log))
        return signed(bare, self._keyring.purpose("signing"))

    def publish(self) -> SignedHead:
        """Sign a head and give it out. Raises BadInput where file or command don't take it."""
        head = self.head()
        line = msgspec.json.encode(head, order="sorted") + b"\n"
        if self._file is not None:
            _append(self._file, line)
        if self._command is not None:
            _hand(self._command, line)
        self._sizes = [one.size for one in head.partitions]
        return head

    def _size(self) -> list[int]:
        return [self._log.head(partition) + 1 for partition in range(self._log.partitions)]

    def note(self, records: int) -> None:
        """So many records were appended: publish where enough have come together. Failing to is logged, not raised."""
        if not self._every:
            return
        with self._lock:
            self._noted += records
            due = self._noted >= self._every
            if due:
                self._noted = 0
        if due:
            self._try()

    def close(self) -> None:
        """Publish a last time where heads go out and the log grew since the last one. Failing to is logged."""
        if self._file is not None or self._command is not None:
            self._try()

    def _try(self) -> None:
        try:
            if self._size() != self._sizes:
                self.publish()
        except EunoeError as error:
            _log.warning("a tree head was not published: %s", error)


def _append(file: Path, line: bytes) -> None:
    """One line at the file's end, durable when this returns."""
    try:
        descriptor = os.open(file, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o644)
        try:
            os.write(descriptor, line)
            os.fsync(descriptor)
        finally:
            os.close(descriptor)
    except OSError as error:
        raise BadInput(f"heads_file can't be written ({error.strerror})") from None


def _hand(command: str, line: bytes) -> None:
    try:
        subprocess.run(shlex.split(command), input=line, capture_output=True, timeout=_COMMAND_SECONDS, check=True)
    except (OSError, ValueError, subprocess.SubprocessError) as error:  # ValueError: an unbalanced quote
        raise BadInput(f"heads_command failed ({type(error).__name__}); run it by hand") from None


# -- reading --------------------------------------------------------------------------------------


def read_heads(file: Path, home: bytes, key: str) -> list[SignedHead]:
    """The heads of a file, each signed by this key for this home. Raises BadInput and names the line that is not."""
    try:
        lines = file.read_bytes().splitlines()
    except OSError as error:
        raise BadInput(f"{file} can't be read ({error.strerror})") from None
    found = []
    for number, line in enumerate(lines, 1):
        try:
            document = msgspec.json.decode(line)
            head = msgspec.convert(document, SignedHead)
        except (msgspec.DecodeError, msgspec.ValidationError):
            raise BadInput(f"{file.name}, line {number}: this is no tree head") from None
        if head.home != home.hex() or not verified(document, key):
            raise BadInput(f"{file.name}, line {number}: this head is not signed by this home's key")
        found.append(head)
    return found


def expected(heads: Iterable[Sequence[TreeHead]]) -> tuple[dict[tuple[int, int], bytes], Bad | None]:
    """The root that each (partition, size) must have, and where two heads of one size differ: a fork."""
    roots: dict[tuple[int, int], bytes] = {}
    forks: set[tuple[int, int]] = set()
    for head in (head for side in heads for head in side):
        root = bytes.fromhex(head.root)
        if roots.setdefault((head.partition, head.size), root) != root:
            forks.add((head.partition, head.size))
    if not forks:
        return roots, None
    partition, size = min(forks)
    agreed = max((s for p, s in roots if p == partition and s < size and (p, s) not in forks), default=0)
    reason = f"two signed heads of {size} records differ: the log was forked after record {agreed - 1}"
    return roots, Bad(partition, agreed, reason)


def own_key(keyring: Keyring) -> str:
    """The public key of a home, 64 hex digits."""
    return public_key(keyring.purpose("signing"))
