"""The long proof of a forget: that nothing of it is left, as far as looking at everything can show. Signed.

Three looks: the memory made anew from the log against one from a log that never had it; every row of every table that
can hold content; every byte of every file. The proof names nobody and repeats no text that it was asked to look for.
"""

import json
import subprocess
import sys
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path

import apsw
import msgspec

from eunoe.processors.forgetting import searching
from eunoe.stores.erasable import Erasable, registered
from eunoe.streams.errors import LogError
from eunoe.streams.guard import event_name
from eunoe.streams.log import Log
from eunoe.streams.sqlite_files import rows

VERSION = 1
_INTEGRITY = "insert into lexical_index(lexical_index, rank) values('integrity-check', 1)"


class Rebuild(msgspec.Struct, frozen=True):
    """Digests of the memory as it stands, made anew, and made from a log that never had what went."""

    live: str
    rebuilt: str
    never_had: str

    @property
    def same(self) -> bool:
        """Whether all three are one."""
        return self.live == self.rebuilt == self.never_had


class Scan(msgspec.Struct, frozen=True):
    """One table, every row. standing: rows on dropped places. named: rows that name forgotten events. stray: rows that
    nothing stands behind. texts: rows that hold a text that was looked for.
    """

    file: str
    table: str
    rows: int
    standing: int
    named: int
    stray: int
    texts: int

    @property
    def clean(self) -> bool:
        """Whether nothing was found."""
        return not (self.standing or self.named or self.stray or self.texts)


class Bytes(msgspec.Struct, frozen=True):
    """Every file of the home, every byte. hits: by file name. unregistered: files that the registry does not know."""

    files: int
    bytes: int
    texts: int
    hits: dict[str, int]
    unregistered: int


class Proof(msgspec.Struct, frozen=True, kw_only=True):
    """The long proof. ok: every look found nothing."""

    version: int = VERSION
    home: str
    at: str
    request_id: str
    ok: bool
    rebuild: Rebuild
    scans: tuple[Scan, ...]
    keys_destroyed: bool
    index_whole: bool
    bytes: Bytes
    public_key: str = ""
    signature: str = ""


# -- tables ---------------------------------------------------------------------------------------


def scanned(
    table: Erasable, connection: apsw.Connection, gone: Collection[int], log: Log, texts: Sequence[bytes]
) -> Scan:
    """Look at every row of a table. gone: numbers of the places that were dropped."""
    count = hits = 0
    for row in table.scan(connection):
        count += 1
        hits += any(text in row for text in texts)
    names = [event_name(scope, event.partition("\x00")[0]) for scope, event in table.named(connection)]
    refused = log.refused(sorted(set(names)))
    return Scan(
        file=table.file,
        table=table.table,
        rows=count,
        standing=table.find(connection, gone),
        named=sum(name in refused for name in names),
        stray=table.strays(connection),
        texts=hits,
    )


def index_whole(connection: apsw.Connection) -> bool:
    """Whether the lexical index holds the terms of its rows and no others. The connection must be one that writes."""
    try:
        connection.execute(_INTEGRITY).fetchall()
    except apsw.CorruptError:
        return False
    return True


def keys_destroyed(log: apsw.Connection, books: apsw.Connection) -> bool:
    """Whether the keyring holds none of the pseudonyms whose keys the log says are destroyed."""
    gone = {row[0] for row in rows(log, "select pseudonym from destroyed")}
    return all(
        row[0] not in gone for table in ("subject", "stream") for row in rows(books, f"select pseudonym from {table}")
    )


# -- bytes ----------------------------------------------------------------------------------------


def spellings(texts: Iterable[str]) -> list[bytes]:
    """Every form in which a text could lie in a file: as it is and case-folded, in UTF-8, UTF-16 and JSON, as hex."""
    found = set()
    for text in texts:
        for form in {text, text.casefold()}:
            plain = form.encode("utf-8", "surrogatepass")
            found |= {plain, plain.hex().encode()}
            found |= {form.encode(name, "surrogatepass") for name in ("utf-16-le", "utf-16-be")}
            found |= {
                json.dumps(form, ensure_ascii=ascii)[1:-1].encode("utf-8", "surrogatepass") for ascii in (True, False)
            }
    return sorted(found - {b""})


def searched(home: Path, texts: Sequence[str]) -> Bytes:
    """Search every file under a home for texts, in every spelling. A process of its own reads them: see `searching`."""
    files = [path for path in sorted(home.rglob("*")) if path.is_file() and not path.is_symlink()]
    asked = {"files": [str(path) for path in files], "wanted": [text.hex() for text in spellings(texts)]}
    done = subprocess.run(
        [sys.executable, "-I", "-S", searching.__file__],
        input=json.dumps(asked).encode(),
        capture_output=True,
        check=False,
    )
    if done.returncode:
        raise LogError("the search over the files did not run; see that Python can start processes")
    hits: dict[str, int] = json.loads(done.stdout)
    return Bytes(
        files=len(files),
        bytes=sum(path.stat().st_size for path in files),
        texts=len(texts),
        hits={Path(path).name: count for path, count in hits.items() if count},
        unregistered=sum(not registered(str(path.relative_to(home))) for path in files),
    )
