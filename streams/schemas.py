"""The stored form of events: a schema name with its version, and a msgpack body. Old versions are lifted.

A body holds the fields that differ from their defaults, without `type`, which the schema name carries.
An upcaster takes the fields of one version and gives those of the next; it never sees a model.
"""

import zlib
from collections.abc import Callable
from typing import Any

import msgspec
from pydantic import ValidationError

from eunoe.streams.errors import LogDamaged, Rejected, SchemaTooNew
from eunoe.streams.events import (
    Act,
    AnyEvent,
    Block,
    Correction,
    Cut,
    Decision,
    Dropped,
    Event,
    Forget,
    Interaction,
    Note,
    Result,
    Settings,
)

Fields = dict[str, Any]

MODELS: dict[str, type[Event]] = {
    "interaction": Interaction,
    "result": Result,
    "correction": Correction,
    "decision": Decision,
    "cut": Cut,
    "settings": Settings,
    "forget": Forget,
    "dropped": Dropped,
    "block": Block,
    "note": Note,
    "act": Act,
}
VERSIONS: dict[str, int] = dict.fromkeys(MODELS, 1)
UPCASTERS: dict[tuple[str, int], Callable[[Fields], Fields]] = {}

# What a reporter may send differently on a retry without having said something else.
_NOT_CONTENT = ("order", "recalled", "masking", "chunking")

_DEFLATED = b"\x01"  # no msgpack map starts so
_MOST_BYTES = 1 << 28
# What results have in common, the commonest last. Part of the stored form: a change of it is a new schema version.
_COMMON = (
    b"said_byrelationintentstateactionoutcomequestionsmall_talkno_factsystem_promptslotsuntrustedconfidence"
    b"valid_fromvalid_untilprecisiondaymonthyearnegativesinglechangedskillreasonscopeidresult-subjectsunitmembers"
    b"itemskindfacttextspanseventstartendaboutattributevaluekindepisodespanseventstartend"
)

_encode = msgspec.msgpack.Encoder().encode
_decode = msgspec.msgpack.Decoder().decode


def schema_of(event: AnyEvent) -> str:
    """Name and version under which an event is written, such as `interaction/1`."""
    return f"{event.type}/{VERSIONS[event.type]}"


def body_of(event: AnyEvent) -> bytes:
    """The stored fields of an event as msgpack; of a result, whose fields repeat, deflated behind one byte."""
    try:
        body = _encode(event.model_dump(exclude_defaults=True, exclude={"type"}))
    except (UnicodeEncodeError, OverflowError):
        raise Rejected("a text holds a lone surrogate, or a number has more than 64 bits") from None
    if not isinstance(event, Result):
        return body
    deflate = zlib.compressobj(1, zlib.DEFLATED, -10, 4, zlib.Z_DEFAULT_STRATEGY, _COMMON)
    return _DEFLATED + deflate.compress(body) + deflate.flush()


def _fields_of(body: bytes) -> Fields:
    if body[:1] == _DEFLATED:
        inflate = zlib.decompressobj(-10, _COMMON)
        body = inflate.decompress(body[1:], _MOST_BYTES)
        if inflate.unconsumed_tail or not inflate.eof:
            raise ValueError("a deflated body that does not end")
    fields: Fields = _decode(body)
    return fields


def event_of(schema: str, body: bytes) -> AnyEvent:
    """The event that a stored body holds, lifted to the newest version. Raises SchemaTooNew, LogDamaged."""
    name, _, version = schema.partition("/")
    model = MODELS.get(name)
    if model is None or not version.isdecimal() or not 1 <= int(version) <= VERSIONS[name]:
        raise SchemaTooNew(f"a record has the schema {schema[:40]!r}; upgrade Eunoe to read it")
    try:
        fields = _fields_of(body)
        for step in range(int(version), VERSIONS[name]):
            fields = UPCASTERS[name, step](fields)
        return model.model_validate(fields)  # type: ignore[return-value]
    except (
        msgspec.DecodeError,
        ValidationError,
        TypeError,
        ValueError,
        LookupError,
        AttributeError,
        zlib.error,
    ) as error:
        raise LogDamaged(f"a record of schema {schema!r} can't be read: {type(error).__name__}") from None


def same_content(schema: str, stored: bytes, given_schema: str, given: bytes) -> bool:
    """Whether a repeated id says the same again. A result's id already names what it was made of."""
    if schema.partition("/")[0] != given_schema.partition("/")[0]:
        return False
    if stored == given or schema.startswith("result/"):
        return True
    return _content(event_of(schema, stored)) == _content(event_of(given_schema, given))


def _content(event: AnyEvent) -> Fields:
    fields = event.model_dump()
    for name in _NOT_CONTENT:
        fields.pop(name, None)
    return fields
