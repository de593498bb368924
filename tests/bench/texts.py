"""Turns for benchmarks: about 30 tokens each, Zipf words and a share of statements that the rules know."""

import random
from collections.abc import Iterator
from typing import Any

_WORDS = (
    "river", "lantern", "harbour", "orchard", "signal", "copper", "meadow", "ticket", "garden", "window",
    "bridge", "market", "engine", "violin", "summer", "planet", "coffee", "morning", "letter", "cotton",
    "island", "button", "hammer", "castle", "shadow", "spring", "pocket", "silver", "branch", "ladder",
    "winter", "carpet", "motor", "needle", "basket", "candle", "forest", "bottle", "guitar", "saddle", "tunnel",
    "anchor", "marble", "pepper", "ribbon",
)  # fmt: skip
_SAYINGS = (
    "I live in {} near the {} and work on the {} project these days",
    "we always ship the {} through the {} pipeline, never by hand",
    "my brother {} hates {} but he loves {} more than anything",
    "I'm allergic to {} so please avoid {} and {} when you order",
    "yesterday I went to {} with the {} people to look at a {}",
    "did you ever see the {} beside the {} or was it the {} again?",
)


def turns(count: int, scope: str, seed: int = 1, sessions: int = 10) -> Iterator[dict[str, Any]]:
    """`count` reports of one scope, a minute apart, spread over sessions."""
    chance = random.Random(f"{scope}/{seed}")
    weights = [1 / (rank + 1) for rank in range(len(_WORDS))]
    for index in range(count):
        words = chance.choices(_WORDS, weights, k=3)
        names = [f"{word}{chance.randrange(200)}" for word in words]
        extra = " ".join(chance.choices(_WORDS, weights, k=12))
        month, day, hour, minute = 1 + index * 12 // count, 1 + index % 28, index // 60 % 24, index % 60
        yield {
            "id": f"b{seed}-{index}",
            "scope": scope,
            "session": f"s{index * sessions // count}",
            "role": "user",
            "speaker": ("Ana", "Ben")[index % 2],
            "text": f"{chance.choice(_SAYINGS).format(*names)}, {extra}.",
            "at": f"2026-{month:02d}-{day:02d}T{hour:02d}:{minute:02d}:00+00:00",
        }
