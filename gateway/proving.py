"""What proves a home to others: the heads that its log must continue, and the long proof of a forget."""

from pathlib import Path

import msgspec

from eunoe.gateway.home import Home
from eunoe.processors.forgetting.heads import expected, own_key, read_heads
from eunoe.processors.forgetting.receipt import Receipt
from eunoe.processors.forgetting.signing import verified
from eunoe.streams.log import Bad, Heads
from eunoe.streams.merkle import TreeHead


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
