"""Chats in the form of OpenAI's chat completions: `{messages: [{role, content, …}]}`.

A file is one conversation, a list of them, one a line, a bare list of messages, or one message a line. A call
of a tool and its result become one tool turn; a call that got no result stands alone, at the end.
"""

from collections.abc import Iterator
from datetime import UTC, datetime
from itertools import islice
from pathlib import Path
from typing import Any

from eunoe.gateway.importers import files
from eunoe.gateway.importers.lines import Defaults, ImportLine, drafted
from eunoe.streams.errors import BadInput, Rejected

_TIMES = ("at", "timestamp", "created_at", "create_time", "created", "time")
_SESSIONS = ("session", "session_id", "conversation_id", "thread_id")
_ROLES = {"developer": "system", "function": "tool"}
_TEXT_PARTS = ("text", "input_text", "output_text")
_LOOKED_AT = 50
_MILLISECONDS = 100_000_000_000


def is_conversation(value: Any) -> bool:
    """Whether a JSON value looks like one conversation."""
    return isinstance(value, dict) and isinstance(value.get("messages"), list)


def is_message(value: Any) -> bool:
    """Whether a JSON value looks like one message."""
    return isinstance(value, dict) and "role" in value and ("content" in value or "tool_calls" in value)


def read(path: str | Path, defaults: Defaults) -> Iterator[ImportLine]:
    """Lines numbered by message, or by line where a line is a conversation or message. Raises BadInput."""
    name = Path(path).stem
    if _is_lines(path):
        yield from _lines(path, defaults.given(), name)
        return
    value = files.document(path)
    talks = [value] if is_conversation(value) or _are_messages(value) else value
    if not isinstance(talks, list) or not all(is_conversation(t) or _are_messages(t) for t in talks):
        raise BadInput(f"{Path(path).name!r} holds no `messages`")
    total = max(1, sum(len(_messages(t)) for t in talks))
    number = 0
    for position, talk in enumerate(talks, 1):
        conversation = _Conversation(talk, defaults.given(), f"{name}-{position}")
        for message in _messages(talk):
            number += 1
            yield from conversation.feed(message, number, number / total)
        yield from conversation.end(number / total)


def _is_lines(path: str | Path) -> bool:
    """Whether a line, not the file, is the document. A file of one line is one document."""
    head = [raw for _, raw, _ in islice(files.lines(path), _LOOKED_AT)]
    if len(head) < 2:
        return False
    for raw in head:
        try:
            value = files.line_value(raw)
        except Rejected:
            continue
        if is_conversation(value) or is_message(value) or _are_messages(value):
            return True
    return False


def _lines(path: str | Path, given: dict[str, str], name: str) -> Iterator[ImportLine]:
    loose = _Conversation({}, given, name)  # messages that stand on lines of their own are one conversation
    done = 1.0
    for number, raw, done in files.lines(path):
        try:
            value = files.line_value(raw)
        except Rejected as refused:
            yield ImportLine(number, reason=refused.reason, done=done)
            continue
        if is_conversation(value) or _are_messages(value):
            conversation = _Conversation(value, given, f"{name}-{number}")
            for index, message in enumerate(_messages(value), 1):
                yield from conversation.feed(message, number, done, f"message {index}: ")
            yield from conversation.end(done)
        else:
            yield from loose.feed(value, number, done)
    yield from loose.end(done)


def _are_messages(value: Any) -> bool:
    return isinstance(value, list) and bool(value) and is_message(value[0])


def _messages(talk: Any) -> list[Any]:
    return talk["messages"] if isinstance(talk, dict) else talk  # type: ignore[no-any-return]


class _Conversation:
    """Reads the messages of one conversation in order and joins tool calls with their results."""

    def __init__(self, talk: Any, given: dict[str, str], name: str) -> None:
        """`name` is the session's when neither the conversation nor the caller names one."""
        about = talk if isinstance(talk, dict) else {}
        own = {
            "scope": _found(about, ("scope",)),
            "session": _found(about, (*_SESSIONS, "id")),
            "agent": _found(about, ("agent",)),
            "at": _moment(_found(about, _TIMES)),
        }
        self._base = {"session": name, **given, **{k: v for k, v in own.items() if v is not None}}
        self._calls: dict[str, tuple[dict[str, Any], int, dict[str, Any]]] = {}
        self._order = -1

    def feed(self, message: Any, number: int, done: float, where: str = "") -> Iterator[ImportLine]:
        """The lines of one message: itself, or none when all that it does is call tools."""
        self._order += 1
        if not isinstance(message, dict):
            yield ImportLine(number, reason=f"{where}not an object", done=done)
            return
        mapping = self._mapping(message)
        called = self._called(message, number, mapping)
        if mapping.get("role") == "tool":
            mapping |= self._answered(message, mapping["text"])
        elif called and not mapping.get("text"):
            return
        yield drafted(number, mapping, done, where)

    def end(self, done: float) -> Iterator[ImportLine]:
        """Lines of the calls that no result came for."""
        for tool, number, mapping in self._calls.values():
            yield drafted(number, {**mapping, "id": None, "role": "tool", "text": "", "tool": tool}, done)
        self._calls.clear()

    def _mapping(self, message: dict[str, Any]) -> dict[str, Any]:
        role = message.get("role")
        text, others = _content(message.get("content"))
        own = {
            "id": message.get("id") if isinstance(message.get("id"), str) else None,
            "scope": _found(message, ("scope",)),
            "session": _found(message, _SESSIONS),
            "at": _moment(_found(message, _TIMES)),
            "role": _ROLES.get(role, role) if isinstance(role, str) else role,
            "speaker": message.get("name") if role not in ("tool", "function") else None,
            "order": self._order,
            "text": text,
            "meta": {"parts": others} if others else None,
        }
        return {**self._base, **{k: v for k, v in own.items() if v is not None}}

    def _called(self, message: dict[str, Any], number: int, mapping: dict[str, Any]) -> bool:
        """Keep the calls that the message makes until their results come."""
        calls = message.get("tool_calls")
        calls = list(calls) if isinstance(calls, list) else []
        if isinstance(message.get("function_call"), dict):  # the form before tools: answered by name
            calls.append({"id": message["function_call"].get("name"), "function": message["function_call"]})
        for call in calls:
            function = call.get("function") if isinstance(call, dict) else None
            if isinstance(function, dict) and isinstance(function.get("name"), str):
                tool = {"name": function["name"], "input": _arguments(function.get("arguments"))}
                self._calls[str(call.get("id"))] = (tool, number, mapping)
        return bool(calls)

    def _answered(self, message: dict[str, Any], text: str) -> dict[str, Any]:
        """The tool part of a result, with the call that it answers."""
        name = message.get("name")
        tool, _, _ = self._calls.pop(str(message.get("tool_call_id", name)), ({}, 0, {}))
        tool = {"name": name if isinstance(name, str) else "tool", **tool, "output": text or None}
        failed = message.get("error")
        if failed or message.get("is_error") is True:
            tool["error"] = failed if isinstance(failed, str) else text
        return {"tool": tool}


def _found(mapping: dict[str, Any], keys: tuple[str, ...]) -> Any:
    """The first of these fields that is set, in the object or in its metadata."""
    metadata = mapping.get("metadata")
    for place in (mapping, metadata if isinstance(metadata, dict) else {}):
        for key in keys:
            if place.get(key) is not None:
                return place[key]
    return None


def _moment(value: Any) -> Any:
    """Seconds or milliseconds since 1970 as a time in UTC; whatever else it is stays for the check."""
    if not isinstance(value, int | float) or isinstance(value, bool):
        return value
    try:
        seconds = value / 1000 if abs(value) > _MILLISECONDS else value
        return datetime.fromtimestamp(seconds, UTC).isoformat()
    except (OverflowError, ValueError, OSError):
        return "no time"


def _content(content: Any) -> tuple[Any, list[str]]:
    """(text, kinds of the parts that are not text). What is no content at all stays for the check."""
    if content is None:
        return "", []
    if not isinstance(content, list):
        return content, []
    texts: list[str] = []
    others: list[str] = []
    for part in content:
        kind = part.get("type", "text") if isinstance(part, dict) else "text"
        text = part.get("text") if isinstance(part, dict) else part
        if kind in _TEXT_PARTS and isinstance(text, str):
            texts.append(text)
        else:
            others.append(kind if isinstance(kind, str) else "unknown")
    return "\n".join(texts), others


def _arguments(arguments: Any) -> Any:
    """A call's arguments, parsed where they are JSON."""
    if not isinstance(arguments, str):
        return arguments
    try:
        return files.loads(arguments.encode("utf-8", "surrogatepass"))
    except Rejected:
        return arguments
