"""The hash tree against the published vectors of RFC 6962's reference implementation, and against its definition."""

from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eunoe.streams.merkle import (
    EMPTY,
    Frontier,
    consistency,
    consistent,
    included,
    inclusion,
    leaf_hash,
    node_hash,
    nodes_of,
    root_of,
)

INPUTS = [
    bytes.fromhex(text)
    for text in ("", "00", "10", "2021", "3031", "40414243", "5051525354555657", "606162636465666768696a6b6c6d6e6f")
]
ROOTS = [
    "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
    "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
    "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
    "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
    "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
    "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
    "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
]
LEAF_2 = "96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7"
NODE_34 = "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e"
NODE_58 = "6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4"
LEAF_5 = "bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b"
NODE_78 = "ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0"
NODE_56 = "0ebc5d3437fbe2db158b9f126a1d118e308181031d0a949f8dededebc558ef6a"

LEAVES = [leaf_hash(data) for data in INPUTS]
NODE = nodes_of(LEAVES)


def hexed(path):
    return [step.hex() for step in path]


def by_definition(leaves) -> bytes:
    """MTH of RFC 6962 §2.1, word by word."""
    if not leaves:
        return sha256(b"").digest()
    if len(leaves) == 1:
        return leaves[0]
    split = 1
    while split * 2 < len(leaves):
        split *= 2
    return sha256(b"\x01" + by_definition(leaves[:split]) + by_definition(leaves[split:])).digest()


def test_roots():
    assert EMPTY.hex() == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"
    assert [root_of(size, NODE).hex() for size in range(1, 9)] == ROOTS


@pytest.mark.parametrize(
    ("number", "size", "path"),
    [
        (1, 1, []),
        (1, 8, [LEAF_2, NODE_34, NODE_58]),
        (6, 8, [LEAF_5, NODE_78, ROOTS[3]]),
        (3, 3, [ROOTS[1]]),
        (2, 5, [ROOTS[0], NODE_34, LEAF_5]),
    ],
)
def test_inclusion(number, size, path):
    assert hexed(inclusion(number - 1, size, NODE)) == path


@pytest.mark.parametrize(
    ("first", "second", "path"),
    [
        (1, 1, []),
        (1, 8, [LEAF_2, NODE_34, NODE_58]),
        (6, 8, [NODE_56, NODE_78, ROOTS[3]]),
        (2, 5, [NODE_34, LEAF_5]),
    ],
)
def test_consistency(first, second, path):
    assert hexed(consistency(first, second, NODE)) == path


def test_every_proof_of_every_size():
    leaves = [leaf_hash(bytes([n])) for n in range(40)]
    node = nodes_of(leaves)
    roots = [by_definition(leaves[:size]) for size in range(41)]
    for size in range(41):
        assert root_of(size, node) == roots[size]
        for index in range(size):
            path = inclusion(index, size, node)
            assert included(leaves[index], index, size, path, roots[size])
            assert not included(leaves[(index + 1) % 40], index, size, path, roots[size])
            assert not included(leaves[index], (index + 1) % size, size, path, roots[size]) or size == 1
        for first in range(size + 1):
            path = consistency(first, size, node)
            assert consistent(first, size, roots[first], roots[size], path)
            if first:
                assert not consistent(first, size, roots[first - 1], roots[size], path)
                assert not consistent(first, size, roots[first], roots[(size + 1) % 41], path)


@given(st.integers(2, 300), st.data())
def test_no_changed_proof_passes(size, data):
    leaves = [leaf_hash(n.to_bytes(2, "big")) for n in range(size)]
    node, index = nodes_of(leaves), data.draw(st.integers(0, size - 1))
    root, path = root_of(size, node), inclusion(index, size, node)
    place = data.draw(st.integers(0, len(path) - 1))
    broken = [*path[:place], node_hash(path[place], path[place]), *path[place + 1 :]]
    for wrong in (broken, path[:-1], [*path, EMPTY], path[::-1] if path[::-1] != path else broken):
        assert not included(leaves[index], index, size, wrong, root)
    first = data.draw(st.integers(1, size - 1))
    proof = consistency(first, size, node)
    place = data.draw(st.integers(0, len(proof) - 1))
    for wrong in ([*proof[:place], EMPTY, *proof[place + 1 :]], proof[:-1], [*proof, EMPTY]):
        assert not consistent(first, size, root_of(first, node), root, wrong)


def test_a_frontier_grows_into_the_same_trees():
    leaves = [leaf_hash(n.to_bytes(2, "big")) for n in range(600)]
    frontier, node = Frontier(), nodes_of(leaves)
    assert frontier.root() == EMPTY
    for size, leaf in enumerate(leaves, 1):
        for level, index, found in frontier.push(leaf):
            assert found == node(level, index)
        assert frontier.size == size
        assert frontier.root() == root_of(size, node)
    assert len(frontier._edge) == bin(600).count("1")


@pytest.mark.parametrize("sizes", [(-1, 5), (6, 5), (0, 0)])
def test_what_is_no_proof(sizes):
    first, second = sizes
    assert not consistent(first, second, b"x" * 32, b"y" * 32, [])
    assert not included(LEAVES[0], 5, 5, [], LEAVES[0])
    assert not included(LEAVES[0], -1, 5, [], LEAVES[0])
