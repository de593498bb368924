"""Hash trees over records, as in RFC 6962: roots, proofs of inclusion, proofs that one tree continues another.

A leaf is H(0x00 ‖ record hash), an inner node H(0x01 ‖ left ‖ right), H = SHA-256. A tree of any size is made of
perfect subtrees, which never change once they are full; so all functions here ask for perfect subtrees by
(level, index), and whoever keeps those needs no leaf in memory.
"""

from collections.abc import Callable, Sequence
from hashlib import sha256

import msgspec

Node = Callable[[int, int], bytes]
"""(level, index) → hash of the perfect subtree over leaves [index · 2^level, (index + 1) · 2^level)."""

EMPTY = sha256(b"").digest()


class TreeHead(msgspec.Struct, frozen=True):
    """The tree of one partition: its records 0 to size - 1, and the root over them (64 hex digits)."""

    partition: int
    size: int
    root: str


def leaf_hash(data: bytes) -> bytes:
    """The hash of a leaf."""
    return sha256(b"\x00" + data).digest()


def node_hash(left: bytes, right: bytes) -> bytes:
    """The hash of an inner node."""
    return sha256(b"\x01" + left + right).digest()


def perfect_root(leaves: Sequence[bytes]) -> bytes:
    """The root over leaf hashes whose number is a power of two."""
    level = list(leaves)
    while len(level) > 1:
        level = [sha256(b"\x01" + left + right).digest() for left, right in zip(level[::2], level[1::2], strict=True)]
    return level[0]


def nodes_of(leaves: Sequence[bytes]) -> Node:
    """The perfect subtrees of leaf hashes that are all at hand."""

    def node(level: int, index: int) -> bytes:
        return perfect_root(leaves[index << level : (index + 1) << level])

    return node


# -- roots and proofs -----------------------------------------------------------------------------


def root_of(size: int, node: Node) -> bytes:
    """The root over the first `size` leaves."""
    return _range(0, size, node) if size else EMPTY


def inclusion(index: int, size: int, node: Node) -> list[bytes]:
    """PATH of RFC 6962 §2.1.1: what leads from leaf `index` to the root over `size` leaves."""
    path, start, end = [], 0, size
    while end - start > 1:
        middle = start + _split(end - start)
        if index < middle:
            path.append(_range(middle, end, node))
            end = middle
        else:
            path.append(_range(start, middle, node))
            start = middle
    return path[::-1]


def consistency(first: int, second: int, node: Node) -> list[bytes]:
    """PROOF of RFC 6962 §2.1.2: that the tree of `second` leaves continues that of `first`; empty from 0 or equal."""
    if first in (0, second):
        return []
    path, start, end, whole = [], 0, second, True
    while end != first:
        middle = start + _split(end - start)
        if first <= middle:
            path.append(_range(middle, end, node))
            end = middle
        else:
            path.append(_range(start, middle, node))
            start, whole = middle, False
    if not whole:
        path.append(_range(start, end, node))
    return path[::-1]


def _range(start: int, end: int, node: Node) -> bytes:
    """The root over leaves [start, end), where start is a multiple of the largest power of two in it."""
    count = end - start
    if count & (count - 1) == 0:
        level = count.bit_length() - 1
        return node(level, start >> level)
    middle = start + _split(count)
    return node_hash(_range(start, middle, node), _range(middle, end, node))


def _split(count: int) -> int:
    """The largest power of two below a count of at least two."""
    return 1 << ((count - 1).bit_length() - 1)


# -- checking -------------------------------------------------------------------------------------


def included(leaf: bytes, index: int, size: int, path: Sequence[bytes], root: bytes) -> bool:
    """Whether a path leads from a leaf hash to a root (RFC 9162 §2.1.3.2)."""
    if not 0 <= index < size:
        return False
    place, last, found = index, size - 1, leaf
    for sibling in path:
        if last == 0:
            return False
        if place & 1 or place == last:
            found = node_hash(sibling, found)
            while not place & 1 and place:
                place, last = place >> 1, last >> 1
        else:
            found = node_hash(found, sibling)
        place, last = place >> 1, last >> 1
    return last == 0 and found == root


def consistent(first: int, second: int, first_root: bytes, second_root: bytes, path: Sequence[bytes]) -> bool:
    """Whether a tree continues another (RFC 9162 §2.1.4.2). Every tree continues the empty one."""
    if first == 0:
        return not path and first_root == EMPTY
    if not 0 < first <= second:
        return False
    if first == second:
        return not path and first_root == second_root
    steps = [first_root, *path] if first & (first - 1) == 0 else list(path)
    if len(steps) < 2:
        return False
    place, last = first - 1, second - 1
    while place & 1:
        place, last = place >> 1, last >> 1
    earlier = later = steps[0]
    for step in steps[1:]:
        if last == 0:
            return False
        if place & 1 or place == last:
            earlier, later = node_hash(step, earlier), node_hash(step, later)
            while not place & 1 and place:
                place, last = place >> 1, last >> 1
        else:
            later = node_hash(later, step)
        place, last = place >> 1, last >> 1
    return last == 0 and earlier == first_root and later == second_root


class Frontier:
    """A tree that grows leaf by leaf and keeps only the perfect subtrees on its right edge, O(log n) hashes."""

    def __init__(self) -> None:
        self.size = 0
        self._edge: list[bytes] = []

    def push(self, leaf: bytes) -> list[tuple[int, int, bytes]]:
        """Add a leaf hash; the perfect subtrees that it completes, as (level, index, hash)."""
        made, level, index, found = [(0, self.size, leaf)], 0, self.size, leaf
        while index & 1:
            found = node_hash(self._edge.pop(), found)
            level, index = level + 1, index >> 1
            made.append((level, index, found))
        self._edge.append(found)
        self.size += 1
        return made

    def root(self) -> bytes:
        """The root over all leaves so far."""
        if not self._edge:
            return EMPTY
        found = self._edge[-1]
        for left in reversed(self._edge[:-1]):
            found = node_hash(left, found)
        return found
