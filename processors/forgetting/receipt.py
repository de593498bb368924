"""The receipt of a forget: what was destroyed, where, and what is out of reach. Signed, and without personal data.

It proves itself: with the home's public key, anybody can check the signature, that the request stands in the log that
the later tree heads speak of, and that this log continues the one of the earlier heads. No home and no key is needed.
"""

from collections.abc import Sequence
from typing import Any, Literal

import msgspec

from eunoe.processors.forgetting.signing import public_key, signed, verified
from eunoe.streams.errors import BadInput
from eunoe.streams.frames import chained, decode_envelope
from eunoe.streams.merkle import TreeHead, consistent, included, leaf_hash

__all__ = ["Receipt", "problems", "public_key", "receipt_page", "signed", "verified"]

VERSION = 1
OUT_OF_REACH = (
    "what other people said of the forgotten in their own words",
    "backups made before the request, until they are deleted or restored beside this log",
    "files and contexts that were exported or handed to agents and model providers before the request",
    "serving caches of models that were shown the forgotten",
)


class ChainHead(msgspec.Struct, frozen=True):
    """The head of one partition: its last position and record hash (hex)."""

    partition: int
    position: int
    hash: str


class Destroyed(msgspec.Struct, frozen=True):
    """One record, and whether it still opens."""

    partition: int
    position: int
    opens: bool = False


class Inclusion(msgspec.Struct, frozen=True):
    """That the request stands in its partition's later tree: what its record hash is made of, and the path (hex).

    envelope: the record's clear frame, which names by random ids what the request covers. previous: the hash before
    it. body: the hash of its ciphertext.
    """

    previous: str
    envelope: str
    body: str
    path: tuple[str, ...]


class Receipt(msgspec.Struct, frozen=True, kw_only=True):
    """What a forget did.

    records: places that no longer open. keys: how many of which kind were destroyed. projections: rows by projection.
    rebuilt: units extracted again. trees_before, trees_after: heads of the hash trees, one a partition; consistency:
    a path a partition, from the earlier tree to the later.
    """

    version: int = VERSION
    depth: Literal["redact", "forget"]
    target: str
    home: str
    at: str
    request: Destroyed
    request_id: str
    completion_id: str
    records: tuple[Destroyed, ...]
    keys: dict[str, int]
    projections: dict[str, dict[str, int]]
    rebuilt: int
    chain_before: tuple[ChainHead, ...]
    chain_after: tuple[ChainHead, ...]
    trees_before: tuple[TreeHead, ...]
    trees_after: tuple[TreeHead, ...]
    inclusion: Inclusion
    consistency: tuple[tuple[str, ...], ...]
    out_of_reach: tuple[str, ...] = OUT_OF_REACH
    public_key: str
    signature: str = ""


# -- checking -------------------------------------------------------------------------------------


def problems(document: dict[str, Any], key: str) -> list[str]:
    """What is wrong with a receipt's JSON, by a public key of 64 hex digits; empty where all of it holds.

    Raises BadInput for what is no receipt or no key.
    """
    genuine = verified(document, key)
    try:
        receipt = msgspec.convert(document, Receipt)
        found = [] if genuine else ["the signature is not of this key, or the receipt was changed"]
        return found + _inclusion(receipt) + _consistency(receipt)
    except (msgspec.ValidationError, ValueError) as error:
        raise BadInput(f"this is no receipt: {type(error).__name__}") from None


def _inclusion(receipt: Receipt) -> list[str]:
    proof, request = receipt.inclusion, receipt.request
    frame = bytes.fromhex(proof.envelope)
    envelope = decode_envelope(frame)
    found = []
    if not envelope.schema.startswith("forget/") or envelope.number != request.position:
        found.append("the record that is proven is not the request")
    if len(envelope.covers) < len(receipt.records) or any(record.opens for record in receipt.records):
        found.append("the request covers less than the receipt says was destroyed")
    head = next((head for head in receipt.trees_after if head.partition == request.partition), None)
    record = chained(bytes.fromhex(proof.previous), frame, bytes.fromhex(proof.body))
    if head is None or not included(
        leaf_hash(record), request.position, head.size, _bytes(proof.path), bytes.fromhex(head.root)
    ):
        found.append("the request is not in the log that the later tree head speaks of")
    return found


def _consistency(receipt: Receipt) -> list[str]:
    heads = (receipt.trees_before, receipt.trees_after)
    if not all([head.partition for head in side] == list(range(len(receipt.consistency))) for side in heads):
        return ["not every partition has its tree heads and its proof"]
    if receipt.trees_before[receipt.request.partition].size > receipt.request.position:
        return ["the request stood before the earlier tree head"]
    return [
        f"partition {before.partition}: the later log does not continue the earlier"
        for before, after, path in zip(*heads, receipt.consistency, strict=True)
        if not consistent(before.size, after.size, bytes.fromhex(before.root), bytes.fromhex(after.root), _bytes(path))
    ]


def _bytes(path: Sequence[str]) -> list[bytes]:
    return [bytes.fromhex(step) for step in path]


# -- for people -----------------------------------------------------------------------------------


def receipt_page(receipt: Receipt) -> str:
    """The receipt as Markdown that a person can read. The JSON is what is signed."""
    what = "Forgotten" if receipt.depth == "forget" else "Redacted"
    counts = [f"- {name}: {_counted(of)}" for name, of in sorted(receipt.projections.items())]
    heads = [
        f"| {before.partition} | {before.size} | `{before.root[:16]}…` | {after.size} | `{after.root[:16]}…` |"
        for before, after in zip(receipt.trees_before, receipt.trees_after, strict=True)
    ]
    lines = [
        f"# Receipt: {what.lower()}, {receipt.at}",
        "",
        f"{what} was one {receipt.target} in the memory `{receipt.home}`, by request `{receipt.request_id}`.",
        "This page names nobody. Who asked for what stands with whoever made the request.",
        "",
        "## What was destroyed",
        "",
        f"- {len(receipt.records)} records of the log: their bytes are gone and they no longer open",
        f"- keys: {_counted(receipt.keys) or 'none'}",
        *counts,
        f"- {receipt.rebuilt} units were extracted again without it",
        "",
        f"Places: {_places(receipt.records) or 'none'}",
        "",
        "## What is out of reach",
        "",
        *(f"- {words}" for words in receipt.out_of_reach),
        "",
        "## How to check it",
        "",
        "`eunoe verify --receipt FILE --public-key KEY` needs no memory and no secret: it checks the signature, that",
        f"the request stands in the log at {receipt.request.partition}:{receipt.request.position}, and that the log",
        "after it continues the log before it.",
        "",
        "| partition | records before | root before | records after | root after |",
        "|---|---|---|---|---|",
        *heads,
        "",
        f"Public key: `{receipt.public_key}`",
        "",
        f"Signature: `{receipt.signature}`",
        "",
    ]
    return "\n".join(lines)


def _counted(counts: dict[str, int]) -> str:
    return ", ".join(f"{count} {name.replace('_', ' ')}" for name, count in sorted(counts.items()))


def _places(records: Sequence[Destroyed], shown: int = 40) -> str:
    more = f" and {len(records) - shown} more, which the JSON lists" if len(records) > shown else ""
    return ", ".join(f"{record.partition}:{record.position}" for record in records[:shown]) + more
