"""The doors to a home's health: its log, replay, dead letters and keys."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from eunoe.gateway import arguments, looking, replaying
from eunoe.gateway.answers import DeadLetter, LogLine, Rebuilt, Status
from eunoe.gateway.auditing import act, note
from eunoe.gateway.deciding import Decider
from eunoe.gateway.home import Home
from eunoe.gateway.proving import witnessed
from eunoe.gateway.recording import Progress
from eunoe.processors.digest import Digest, digest_of
from eunoe.processors.forgetting.heads import SignedHead, own_key
from eunoe.processors.projection.projector import check_same_log
from eunoe.stores.books.master import KeyFile
from eunoe.streams.errors import BadInput, LogTruncated, NotFound
from eunoe.streams.log import Bad, Verification


class UpkeepDoor:
    """What an operator does with a memory."""

    _home: Home
    _decider: Decider

    def log(
        self, scope: str | None = None, after: int | None = None, limit: int | None = None, tail: bool = False
    ) -> Iterator[LogLine]:
        """The events of the log, opened; with `tail`, on and on as they come. Raises UnknownScope."""
        arguments.optional_text("scope", scope)
        arguments.optional_number("after", after, least=-1)
        arguments.optional_number("limit", limit)
        return looking.log_lines(self._home, scope, after, limit, tail)

    def verify(self, heads: str | Path | None = None, public_key: str | None = None) -> Verification:
        """Check numbering, chain, seals, look-ups and tree of every record, and that nothing was cut off its end.

        heads: a file of signed tree heads, else that of the settings, else only the heads of the receipts here.
        public_key: whose signature they must have, else this home's. Raises BadInput for heads that are not signed.
        """
        roots, fork = witnessed(self._home, None if heads is None else Path(heads), public_key)
        found = self._home.log.verify(roots)
        if found.ok and fork is not None:
            return Verification(False, found.partitions, found.records, fork)
        lost = self._cut_off() if found.ok else None
        return found if lost is None else Verification(False, found.partitions, found.records, lost)

    def _cut_off(self) -> Bad | None:
        """Where the log no longer holds what was already read from it."""
        with self._home.projections.reading() as connection:
            positions, hashes = self._home.projections.positions(connection), self._home.projections.hashes(connection)
        for partition, position in enumerate(positions):
            if position > (head := self._home.log.head(partition)):
                return Bad(partition, head + 1, "the log is shorter than what was already read from it")
        try:
            check_same_log(self._home.log, positions, hashes)
        except LogTruncated as error:
            return Bad(error.partition or 0, error.position or 0, error.reason)
        return None

    def publish_heads(self) -> SignedHead:
        """Sign the heads of the log's hash trees, and give them to heads_file and heads_command. Raises BadInput."""
        return self._home.heads.publish()

    def rebuild(self, progress: Progress | None = None) -> Rebuilt:
        """Make the projections anew from the log; no model is called. Raises Parked and keeps the old ones."""
        return replaying.rebuild(self._home, progress)

    def digest(self) -> Digest:
        """The digest of all logical content, once all that was recorded is settled."""
        self._home.runtime.settle()
        with self._home.projections.reading() as connection:
            return digest_of(connection)

    def status(self) -> Status:
        """How far each part is, what waits, what failed."""
        return looking.status(self._home)

    def pause(self) -> None:
        """Let recording go on without projecting in the background."""
        self._home.runtime.pause()

    def resume(self) -> None:
        """Project in the background again."""
        self._home.runtime.resume()

    # -- dead letters and keys --------------------------------------------------------------------

    def dead_letters(self) -> list[DeadLetter]:
        """What failed and waits for a person."""
        return self._decider.dead_letters()

    def dead_letter(self, letter_id: str) -> DeadLetter:
        """One of them. Raises NotFound."""
        return self._decider.dead_letter(letter_id)

    def retry(self, letter_id: str) -> DeadLetter:
        """Run a parked step again."""
        return self._decider.retry(letter_id)

    def drop(self, letter_id: str, *, reason: str, actor: str = "user") -> DeadLetter:
        """Go on without what failed, by a decision in the log."""
        return self._decider.drop(letter_id, reason, actor)

    def keys(self) -> dict[str, Any]:
        """Where the master key comes from, and how many keys there are. Never a key."""
        source = self._home.source
        where = str(source.path) if isinstance(source, KeyFile) else type(source).__name__
        return {"master": where, "public_key": own_key(self._home.keyring), **self._home.keyring.counts()}

    def rotate_master(self, *, actor: str = "user") -> dict[str, int]:
        """A new master key in the key file, and every key wrapped under it."""
        source = self._home.source
        if not isinstance(source, KeyFile):
            raise BadInput("the master key comes from outside this home: rotate it there, or use a key file")
        with self._home.lock():
            done = {"rewrapped": self._home.keyring.rotate_master(source)}
        note(self._home, act("rotate", self._home.now(), actor, reason="master key", counts=done))
        return done

    def rotate_subject(self, subject: str, *, actor: str = "user") -> dict[str, int]:
        """A new key for a subject; its records' shares are wrapped under it and the old key is destroyed."""
        if self._home.keyring.find_subject(arguments.text("subject", subject)) is None:
            raise NotFound("no such subject; it is the scope path unless a turn names another")
        old, new = self._home.keyring.renew(subject)
        count = self._home.log.rewrap(old, new)
        self._home.keyring.retire(old)
        done = {"version": new.version, "rewrapped": count}
        note(self._home, act("rotate", self._home.now(), actor, reason="a subject's key", counts=done))
        return done
