"""Skills that tool calls show: what failed, and the call that worked after it."""

import json
import re
from typing import Any

from eunoe.processors.extraction.sentences import safe
from eunoe.processors.extraction.values import LONGEST
from eunoe.streams.events import Interaction, Tool

_DIAGNOSTIC = re.compile(
    r"\b(?:ls|cat|head|tail|grep|curl|wget|logs?|view|show|get|describe|status|env|whoami|ps|top|df|du"
    r"|find|list|read|search|stat|which|ping|dig|diff|blame|printenv|inspect)\b"
)


def failure_of(context: tuple[Interaction, ...]) -> Interaction | None:
    """The latest tool turn before the anchor that failed and wasn't followed by one that did something and worked."""
    for turn in reversed(context):
        if turn.tool is None:
            continue
        if turn.tool.error:
            return turn
        if not _diagnostic(turn.tool):
            return None
    return None


def shown_fix(anchor: Interaction, context: tuple[Interaction, ...]) -> dict[str, str] | None:
    """intent, state, action and outcome where the anchor is the tool call that worked after one that failed."""
    tool, failed = anchor.tool, failure_of(context)
    if tool is None or tool.error or failed is None or failed.tool is None or _diagnostic(tool):
        return None
    before, now = call_of(failed.tool), call_of(tool)
    if not now or not (tool.name == failed.tool.name or _shared(before, now)) or (before == now and not tool.input):
        return None
    outcome = first_line(anchor.text) or first_line(_plain(tool.output))
    return {
        "intent": before or failed.tool.name,
        "state": first_line(failed.tool.error or ""),
        "action": now,
        "outcome": outcome,
    }


def _diagnostic(tool: Tool) -> bool:
    """A call that only looks."""
    call = call_of(tool).split("&&")[-1].strip()
    return bool(_DIAGNOSTIC.search(" ".join(call.split()[:3]).lower()))


def call_of(tool: Tool) -> str:
    """A tool's input as one line: its command where it has one."""
    given = tool.input
    if isinstance(given, dict):
        for key in ("cmd", "command", "query", "code", "sql", "action"):
            if isinstance(given.get(key), str):
                return first_line(given[key])
    return first_line(_plain(given))


def _plain(value: Any) -> str:
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    try:
        return json.dumps(value, ensure_ascii=False, sort_keys=True, default=str)[:1000]
    except (TypeError, ValueError, RecursionError):
        return ""


def first_line(text: str) -> str:
    """Its last telling line for a long output, else the first, at most 160 characters."""
    lines = [line.strip() for line in safe(text[:4000]).splitlines() if any(c.isalnum() for c in line)]
    return lines[-1 if len(lines) > 1 else 0][:LONGEST] if lines else ""


def _shared(before: str, now: str) -> bool:
    words = set(re.findall(r"[\w./-]{3,}", before.lower()))
    return any(w in words for w in re.findall(r"[\w./-]{3,}", now.lower()))
