"""What proves a home to others: the heads that its log must continue, and the long proof of a forget."""

import shutil
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import msgspec

from eunoe.gateway.home import PROOF, Home
from eunoe.gateway.replaying import rebuild
from eunoe.processors.digest import digest_of
from eunoe.processors.forgetting.heads import expected, own_key, read_heads
from eunoe.processors.forgetting.proof import (
    Proof,
    Rebuild,
    Scan,
    index_whole,
    keys_destroyed,
    scanned,
    searched,
    spellings,
)
from eunoe.processors.forgetting.receipt import Receipt
from eunoe.processors.forgetting.signing import signed, verified
from eunoe.stores.erasable import erasables
from eunoe.streams.errors import LogDamaged, NotFound, Rejected
from eunoe.streams.events import AnyEvent, Forget, Result, Settings
from eunoe.streams.log import Bad, Entry, Heads, entry
from eunoe.streams.merkle import TreeHead
from eunoe.streams.sqlite_files import connect, rows

_PAGE = 500


def witnessed(home: Home, file: Path | None, key: str | None) -> tuple[Heads, Bad | None]:
    """The roots that a home's log must have, by a file of signed heads and by its own receipts; and a fork in them.

    Raises BadInput for a file that is not of this home and key.
    """
    own = own_key(home.keyring)
    filed = home.settings.heads_file if file is None else file
    sides: list[tuple[TreeHead, ...]] = []
    if filed is not None and (file is not None or filed.exists()):
        sides += [head.partitions for head in read_heads(filed, home.keyring.home, key or own)]
    for document in home.receipts.all().values():
        if verified(msgspec.json.decode(document), own):
            receipt = msgspec.json.decode(document, type=Receipt)
            sides += [receipt.trees_before, receipt.trees_after]
    return expected(sides)


def prove(home: Home, request_id: str | None, texts: Sequence[str], now: Callable[[], str]) -> Proof:
    """The long proof of a forget (the last one, where none is named): see `processors.forgetting.proof`.

    texts: what must stand in no file any more. Raises NotFound, Parked.
    """
    receipts = [msgspec.json.decode(document, type=Receipt) for document in home.receipts.all().values()]
    found = [r for r in receipts if request_id in (None, r.request_id)]
    if not found:
        raise NotFound("no such receipt; `eunoe receipts` lists those of this home")
    receipt = max(found, key=lambda r: r.at)
    home.runtime.settle()
    with home.runtime.lease():
        built = rebuild(home)
        live = built.digest if built.same_as_live else digest_of(home.projections.writer()).digest
        looks = Rebuild(live, built.digest, never_had(home))
        scans, keys, index = _scans(home, spellings(texts))
        searched_bytes = searched(home.path, texts)
    clean = looks.same and built.same_as_live and all(scan.clean for scan in scans) and keys and index
    proof = Proof(
        home=home.keyring.home.hex(), at=now(), request_id=receipt.request_id,
        ok=clean and not searched_bytes.hits and not searched_bytes.unregistered,
        rebuild=looks, scans=scans, keys_destroyed=keys, index_whole=index, bytes=searched_bytes,
    )  # fmt: skip
    return signed(proof, home.keyring.purpose("signing"))


def never_had(home: Home) -> str:
    """The digest of a new home that is told only what this one still has, in the order of its log."""
    beside = home.path / PROOF
    shutil.rmtree(beside, ignore_errors=True)  # left by a kill
    try:
        settings = home.settings.model_copy(
            update={"home": beside, "partitions": home.log.partitions, "master_key": None, "master_key_file": None,
                    "master_key_command": None, "heads_file": None, "heads_command": None}
        )  # fmt: skip
        other = Home(beside, settings, home.extractor, home.clock)
        try:
            for partition in range(home.log.partitions):
                _retell(home, other, partition)
            other.runtime.settle()
            return digest_of(other.projections.reader()).digest
        finally:
            other.close()
    finally:
        shutil.rmtree(beside, ignore_errors=True)


def _retell(home: Home, other: Home, partition: int) -> None:
    after, waiting = -1, list[AnyEvent]()
    while records := home.log.read(partition, after, _PAGE):
        after, entries = records[-1].position, list[Entry]()
        for opened in home.log.open(records):
            event = opened.event
            if event is None or not _counts(event, home):
                continue
            waiting.append(event)
            if getattr(event, "chunk", 0) + 1 == getattr(event, "chunks", 1):
                entries.append(entry(*waiting))
                waiting = []
        if any(isinstance(outcome, Rejected) for outcome in other.log.append(entries)):
            raise LogDamaged("an event of this log is refused by a new one", partition, after)


def _counts(event: AnyEvent, home: Home) -> bool:
    """Whether an event is told again. The extractor's own results are made anew; a model's answers stand."""
    if isinstance(event, Result):
        return event.model is not None or event.version != home.extractor.version
    return not isinstance(event, Forget) and not (isinstance(event, Settings) and event.id == "init")


def _scans(home: Home, texts: Sequence[bytes]) -> tuple[tuple[Scan, ...], bool, bool]:
    """Every table that can hold content; whether the keys are gone; whether the lexical index holds no more."""
    log, projections = connect(home.log.path, read_only=True, create=False), home.projections.writer()
    try:
        with home.database.read() as reading:
            # the books' own SQLite: two libraries on one file of one process undo each other's locks
            books: Any = reading.connection.driver_connection
            gone = {row[0] for row in rows(log, "select row from dropped")}
            opened = {"log": log, "books": books, "projections": projections}
            scans = tuple(
                scanned(table, connection, gone, home.log, texts)
                for file, connection in opened.items()
                for table in erasables(file)
            )
            return scans, keys_destroyed(log, books), index_whole(projections)
    finally:
        log.close()
