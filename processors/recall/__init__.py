"""Recall: what a question finds in the memory, packed to a token budget."""

from eunoe.processors.recall.found import Found, FoundItem, FoundSource, Staleness
from eunoe.processors.recall.recalling import recall

__all__ = ["Found", "FoundItem", "FoundSource", "Staleness", "recall"]
