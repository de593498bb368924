"""Replay: the projections made anew from the log, and looks at what was known at an earlier position."""

import logging
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import apsw
import msgspec

from eunoe.gateway.answers import Rebuilt
from eunoe.gateway.home import Home, lexical_index
from eunoe.processors.digest import Digest, digest_of
from eunoe.processors.projection.projector import PAGE, Projector, new_fold
from eunoe.processors.projection.results import member
from eunoe.stores.projections import Scratch
from eunoe.streams.errors import LogError, LogTruncated, NotFound, Parked
from eunoe.streams.events import Correction, Decision, Dropped, Interaction, Result
from eunoe.streams.log import Opened
from eunoe.streams.partitioning import partition_of
from eunoe.streams.sqlite_files import rows

Progress = Callable[[float, int], None]

_log = logging.getLogger("eunoe.replay")


def rebuild(home: Home, progress: Progress | None = None) -> Rebuilt:
    """A new projection file from the log alone, beside the live one; then it takes its place.

    First all that was recorded is settled; the new file is then made of the log, and no extractor and no model is
    called for it. Raises Parked, and leaves the live one, where a step fails.
    """
    with home.runtime.lease():
        live = _live(home)
        started = time.perf_counter()
        total = max(1, sum(home.log.head(partition) + 1 for partition in range(home.log.partitions)))
        with home.projections.rebuilt() as beside:
            projector, done = Projector(home.log, beside, lexical_index, home.clock), 0
            while count := projector.page():
                done += count
                if progress is not None:
                    progress(min(1.0, done / total), done)
            failed = rows(beside.writer(), "select step, reason from parked")
            if failed:
                raise Parked(f"the rebuild stopped: {failed[0][1]}; see `eunoe deadletters list` (nothing was changed)")
            built = digest_of(beside.writer())
        seconds = round(time.perf_counter() - started, 3)
    return Rebuilt(built.digest, built.projections, done, seconds, built == live, 0)


def _live(home: Home) -> Digest | None:
    """The digest of the projections in use, settled; None where they can't be read, which a rebuild mends."""
    try:
        home.runtime.settle()
        return digest_of(home.projections.writer())
    except (LogError, apsw.Error, msgspec.MsgspecError) as error:
        if isinstance(error, LogTruncated) or not home.log.verify().ok:
            raise
        _log.warning("the projections in use can't be read (%s); they are made anew", type(error).__name__)
        return None


@contextmanager
def known_at(home: Home, scopes: list[str], position: int) -> Iterator[Scratch]:
    """A projection of these scopes as their streams stood at a position of their partition.

    A result counts where all turns of its unit stood there by then: what follows from them was known with them.
    """
    scratch = Scratch(home.log.partitions)
    try:
        for scope in dict.fromkeys(scopes):
            stream = home.keyring.find_stream(scope)
            if stream is None:
                raise NotFound(f"no events in {scope}")
            _replay(home, scratch, scope, stream, position)
        yield scratch
    finally:
        scratch.close()


def _replay(home: Home, scratch: Scratch, scope: str, stream: bytes, until: int) -> None:
    partition = partition_of(scope, home.log.partitions)
    after, turns = -1, set[tuple[str, int]]()
    while records := home.log.read(partition, after, PAGE):
        page = home.log.open([r for r in records if r.envelope.stream == stream])
        kept = [opened for opened in page if _known(opened, until, turns)]
        with scratch.transaction() as connection:
            fold = new_fold(home.log, connection, lexical_index(connection))
            for opened in kept:
                fold.take(opened)
            fold.finish()
        after = records[-1].position


def _known(opened: Opened, until: int, turns: set[tuple[str, int]]) -> bool:
    """Whether an event counts; notes the turns that do."""
    match opened.event:
        case Interaction() as event if opened.record.position <= until:
            turns.add((event.id, event.chunk))
            return True
        case Result() as event:
            return all(member(name) in turns for name in event.members)
        case Correction() | Decision() | Dropped():
            return opened.record.position <= until
        case _:
            return False
