"""One interaction as a caller reports it, before ingestion: the same checks behind every door.

A draft is plain and complete, but not yet an event: it may have no id, its text is neither masked nor cut.
"""

import math
import unicodedata
from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, Any, Self, get_args

from pydantic import (
    AfterValidator,
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Field,
    ValidationError,
    model_validator,
)

from eunoe.streams import times
from eunoe.streams.errors import Rejected
from eunoe.streams.events import Role, Tool

ID_CHARS = 256
SCOPE_CHARS = 256
SCOPE_SEGMENTS = 8
SESSION_CHARS = 256
SPEAKER_CHARS = 128
SUBJECTS = 16
TEXT_CHARS = 1_000_000
JSON_BYTES = 1 << 20
JSON_DEPTH = 64
_INTEGERS = range(-(2**63), 2**63)


def text_checked(text: str) -> str:
    """The text itself. Raises ValueError for what no store, file or wire can hold: NUL, lone surrogates."""
    if "\x00" in text:
        raise ValueError("holds a NUL character")
    if not text.isascii():
        try:
            text.encode("utf-8")
        except UnicodeEncodeError:
            raise ValueError("holds a lone surrogate") from None
    return text


def name_checked(name: str) -> str:
    """A name or id: not blank, no control characters or line separators. Raises ValueError."""
    if not name.strip():
        raise ValueError("must not be empty")
    if not name.isprintable() and any(unicodedata.category(c) in ("Cc", "Cs", "Zl", "Zp") for c in name):
        raise ValueError("holds a control character")
    return name


def scope_checked(scope: str) -> str:
    """A scope path: 1 to 8 segments with `/` between, none empty, `.` or `..`. Raises ValueError."""
    name_checked(scope)
    segments = scope.split("/")
    if len(segments) > SCOPE_SEGMENTS:
        raise ValueError(f"has more than {SCOPE_SEGMENTS} segments")
    if not all(s.strip() for s in segments):
        raise ValueError("has an empty segment")
    if "." in segments or ".." in segments:
        raise ValueError("has a segment that is only dots")
    return scope


class _Budget:
    """What is left of the bytes that one JSON value may take."""

    def __init__(self) -> None:
        self.left = JSON_BYTES

    def take(self, size: int) -> None:
        self.left -= size
        if self.left < 0:
            raise ValueError(f"is larger than {JSON_BYTES:,} bytes")


def json_checked(value: Any) -> Any:
    """A copy of a JSON value, tuples made lists. Raises ValueError for what JSON or a frame can't hold.

    Bytes are counted on the way, so that shared or endless structures end early.
    """
    return _json(value, 0, _Budget())


def _json(value: Any, depth: int, budget: _Budget) -> Any:
    budget.take(2)
    if depth > JSON_DEPTH:
        raise ValueError(f"is nested deeper than {JSON_DEPTH}")
    if value is None or isinstance(value, bool):
        return value
    if isinstance(value, str):
        budget.take(len(text_checked(value).encode("utf-8")))
        return value
    if isinstance(value, int):
        if value not in _INTEGERS:
            raise ValueError("holds an integer of more than 64 bits")
        return value
    if isinstance(value, float):
        if not math.isfinite(value):
            raise ValueError("holds a number that is not finite")
        return value
    if isinstance(value, dict):
        return {_json_key(k, budget): _json(v, depth + 1, budget) for k, v in value.items()}
    if isinstance(value, list | tuple):
        return [_json(v, depth + 1, budget) for v in value]
    raise ValueError("holds something that is not JSON")


def _json_key(key: Any, budget: _Budget) -> str:
    if not isinstance(key, str):
        raise ValueError("has a key that is not text")
    budget.take(len(text_checked(key).encode("utf-8")) + 2)
    return key


def _object_checked(value: Any) -> Any:
    if value is not None and not isinstance(value, dict):
        raise ValueError("must be an object")
    return json_checked(value)


def _tool_checked(value: Any) -> Any:
    if isinstance(value, Tool):
        value = {"name": value.name, "input": value.input, "output": value.output, "error": value.error}
    value = _object_checked(value)
    if value is None:
        return None
    if not isinstance(value.get("name"), str):
        raise ValueError("name: must be text")
    if value.get("error") is not None and not isinstance(value["error"], str):
        raise ValueError("error: must be text")
    if not value.keys() <= {"name", "input", "output", "error"}:
        raise ValueError("has an unknown field; known are name, input, output, error")
    if len(value["name"]) > SPEAKER_CHARS:
        raise ValueError(f"name: longer than {SPEAKER_CHARS} characters")
    name_checked(value["name"])
    return Tool(**value)


def _subjects(value: Any) -> Any:
    if value is None:
        return ()
    if isinstance(value, str):
        return (value,)
    if not isinstance(value, list | tuple) or not all(isinstance(v, str) for v in value):
        raise ValueError("must be a name or a list of names")
    return tuple(dict.fromkeys(value))


def _moment(value: Any) -> Any:
    if isinstance(value, datetime):
        return value.isoformat()
    if not isinstance(value, str):
        raise ValueError("must be text")
    try:
        return times.normalised(value)
    except Rejected:
        raise ValueError("not an RFC 3339 time such as 2026-05-12T09:30:00+02:00") from None


_Name = AfterValidator(name_checked)


class Draft(BaseModel):
    """A checked report. `at` is normalised RFC 3339, without an offset when the zone is unknown."""

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    id: Annotated[str, Field(max_length=ID_CHARS), _Name] | None = None
    scope: Annotated[str, Field(max_length=SCOPE_CHARS), AfterValidator(scope_checked)]
    session: Annotated[str, Field(max_length=SESSION_CHARS), _Name]
    agent: Annotated[str, Field(max_length=SPEAKER_CHARS), _Name] | None = None
    role: Role
    speaker: Annotated[str, Field(max_length=SPEAKER_CHARS), _Name] | None = None
    subject: Annotated[
        tuple[Annotated[str, Field(max_length=SCOPE_CHARS), _Name], ...],
        Field(max_length=SUBJECTS),
        BeforeValidator(_subjects),
    ] = ()
    order: Annotated[int, Field(ge=_INTEGERS.start, lt=_INTEGERS.stop)] | None = None
    text: Annotated[str, Field(max_length=TEXT_CHARS), AfterValidator(text_checked)] = ""
    at: Annotated[str, BeforeValidator(_moment)]
    tool: Annotated[Tool | None, BeforeValidator(_tool_checked)] = None
    meta: Annotated[dict[str, Any] | None, BeforeValidator(_object_checked)] = None

    @model_validator(mode="after")
    def _says_something(self) -> Self:
        if self.tool is None and not self.text.strip():
            raise ValueError("text: must not be empty unless a tool is given")
        return self

    @property
    def subjects(self) -> tuple[str, ...]:
        """Whose data it is: the subjects that were named, else the scope itself."""
        return self.subject or (self.scope,)

    @classmethod
    def from_mapping(cls, mapping: Mapping[str, Any]) -> "Draft":
        """The draft that a JSON object describes; fields that are null count as absent.

        Raises Rejected with a reason such as `role: must be one of …`, which holds none of the content.
        """
        if not isinstance(mapping, Mapping):
            raise Rejected("not an object")
        try:
            return cls.model_validate({k: v for k, v in mapping.items() if v is not None})
        except ValidationError as error:
            raise Rejected(_reason(error)) from None


_SAID = {
    "missing": "missing",
    "string_type": "must be text",
    "string_unicode": "holds a lone surrogate",
    "int_type": "must be a whole number",
    "literal_error": "must be one of " + ", ".join(get_args(Role)),
    "greater_than_equal": "must fit in 64 bits",
    "less_than": "must fit in 64 bits",
    "too_long": f"names more than {SUBJECTS}",
}


def _reason(error: ValidationError) -> str:
    """The first thing that is wrong, by field; never what was given."""
    first = error.errors(include_url=False, include_input=False)[0]
    field = str(first["loc"][0]) if first["loc"] else ""
    if first["type"] in ("extra_forbidden", "invalid_key"):
        return "unknown field; known are " + ", ".join(Draft.model_fields)
    if first["type"] == "value_error":
        said = str(first["ctx"]["error"])
    elif first["type"] == "string_too_long":
        said = f"longer than {first['ctx']['max_length']:,} characters"
    else:
        said = _SAID.get(first["type"], "is not valid")
    return f"{field}: {said}" if field else said
