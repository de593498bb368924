"""Digests of logical content: equal for equal memories, whatever the order of scopes, files or runtimes.

A projection's digest is SHA-256 over its rows as canonical JSON, sorted; the whole digest is over those by name.
Row numbers, positions, times of writing and use counters don't enter; empty scopes have no rows.
"""

from collections.abc import Iterable
from hashlib import sha256

import apsw
import msgspec

from eunoe.stores.contracts import Memory
from eunoe.stores.files import rendered
from eunoe.stores.lexical import SqliteLexical
from eunoe.stores.memories import SqliteMemories


class Digest(msgspec.Struct, frozen=True):
    """One digest over all, and one a projection; 64 hex digits each."""

    digest: str
    projections: dict[str, str]


def digest_of(connection: apsw.Connection) -> Digest:
    """The digest of a projection file."""
    memories = SqliteMemories(lambda: connection)
    by_number: dict[int, tuple[str, str]] = {}
    rows_of: dict[str, list[bytes]] = {"memories": [], "files": [], "reviews": []}
    for scope in memories.scopes():
        held = list(memories.listing(scope, retired=True))
        by_number.update({memory.number: (memory.scope, memory.id) for memory in held})
        rows_of["memories"] += [_line(_logical(memory)) for memory in held]
        rows_of["reviews"] += [_line((m.scope, m.id, m.contested_by)) for m in held if m.contested_by]
        rows_of["files"] += [_line((path, text)) for path, text in rendered(scope, held).items()]
    lexical = SqliteLexical(connection)
    rows_of["lexical"] = [_line((*by_number[number], terms)) for number, _, terms in lexical.rows()]
    digests = {name: _over(lines) for name, lines in sorted(rows_of.items())}
    return Digest(_over(_line(pair) for pair in digests.items()), digests)


def _logical(memory: Memory) -> dict[str, object]:
    fields = msgspec.to_builtins(memory)
    assert isinstance(fields, dict)
    del fields["number"]
    return fields


def _line(value: object) -> bytes:
    return msgspec.json.encode(value, order="sorted")


def _over(lines: Iterable[bytes]) -> str:
    total = sha256()
    for line in sorted(lines):
        total.update(len(line).to_bytes(4, "big") + line)
    return total.hexdigest()
