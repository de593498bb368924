"""Eunoe: a streaming memory for AI agents.

One sealed event log is the only truth; facts, skills and episodes are projections of it that any reader can rebuild.
"""

from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"
__all__ = ["AsyncMemory", "Memory", "__version__"]

if TYPE_CHECKING:
    from eunoe.gateway.aio import AsyncMemory
    from eunoe.gateway.memory import Memory


def __getattr__(name: str) -> Any:
    """Import the front doors when they are asked for: a command line that prints help need not load them."""
    if name == "Memory":
        from eunoe.gateway.memory import Memory

        return Memory
    if name == "AsyncMemory":
        from eunoe.gateway.aio import AsyncMemory

        return AsyncMemory
    raise AttributeError(f"module 'eunoe' has no attribute {name!r}")
