"""Checkpoints that leave no stale byte: the unused middle of every page is zeroed on its way into the database file.

Under secure_delete SQLite zeroes what it deletes, but when a tree is balanced it moves cells to other pages and leaves
their old copies in the space between a page's cell pointers and its cells, where a later delete does not reach them.
So checkpoints go through a connection whose file writes pages clean. Pages in the write-ahead file can't be changed,
since it has checksums; it is emptied after a forget.
"""

import struct
from collections.abc import Callable

import apsw

_NAME = "eunoe-scrub"
_PAGE_HEADER = struct.Struct(">BHHH")  # kind, first freeblock, number of cells, start of the cells
_INTERIOR, _LEAF = (2, 5), (10, 13)
_FILE_HEADER = 100


def clean(page: bytes, first: bool) -> bytes:
    """A page with the space between its cell pointers and its cells zeroed; other kinds of pages as they are."""
    start = _FILE_HEADER if first else 0
    if len(page) < 512 or page[start] not in (*_INTERIOR, *_LEAF):
        return page
    kind, _, cells, content = _PAGE_HEADER.unpack_from(page, start)
    begin, end = start + (12 if kind in _INTERIOR else 8) + 2 * cells, content or 65_536
    if not begin < end <= len(page) or page.count(0, begin, end) == end - begin:
        return page
    return page[:begin] + bytes(end - begin) + page[end:]


class _CleanFile(apsw.VFSFile):
    """A database file that is only written clean. Checkpoints write whole pages."""

    def xWrite(self, data: bytes, offset: int) -> None:
        super().xWrite(clean(bytes(data), offset == 0), offset)


class _CleanFiles(apsw.VFS):
    def __init__(self) -> None:
        super().__init__(_NAME, "")

    def xOpen(self, name: apsw.URIFilename | str | None, flags: list[int]) -> apsw.VFSFile:
        kind = _CleanFile if flags[0] & apsw.SQLITE_OPEN_MAIN_DB else apsw.VFSFile
        return kind("", name, flags)


_FILES = _CleanFiles()  # registered with SQLite as long as it lives


def checkpointed(path: str, *, empty: bool, busy: Callable[[int], bool] | None = None) -> None:
    """Move what the write-ahead file holds into the database, clean. empty: wait for readers, and empty the file."""
    connection = apsw.Connection(path, flags=apsw.SQLITE_OPEN_READWRITE, vfs=_NAME)
    try:
        if busy is not None:
            connection.set_busy_handler(busy)
        connection.execute(f"pragma wal_checkpoint({'truncate' if empty else 'passive'})").fetchall()
    finally:
        connection.close()
