"""Secrets are masked before anything is sealed, stored or logged: the log never holds them.

A secret's place is taken by a mark such as `[withheld: api key]`. Masking is idempotent, takes linear time and
follows the rules of one version, so that what was stored under an older version can be compared again.
"""

from collections.abc import Iterator
from typing import Any

from eunoe.processors.ingestion import masking_numbers, masking_rules
from eunoe.processors.ingestion.masking_rules import Found, Rule
from eunoe.streams.errors import BadInput
from eunoe.streams.events import Tool, Withheld

VERSION = 1
PASSES = 4
RULES: dict[int, tuple[Rule, ...]] = {
    1: (*masking_rules.KEYS, *masking_rules.PASSWORDS, masking_numbers.cards, masking_numbers.accounts),
}
_SECRET_ENDINGS = (
    "password", "passwd", "passphrase", "passcode", "pwd", "secret", "secretkey", "token", "apikey", "accesskey",
    "privatekey", "signingkey", "encryptionkey", "accountkey", "authkey", "credential", "credentials", "authorization",
    "cookie", "cvv", "密码", "密碼",
)  # fmt: skip


def mask(text: str, version: int = VERSION) -> tuple[str, tuple[Withheld, ...]]:
    """The text with a mark in place of each secret, and where the marks stand in it. Raises BadInput."""
    if version not in RULES:
        raise BadInput(f"masking rules of version {version} are not known to this release; upgrade Eunoe")
    marks: list[Withheld] = []
    for _ in range(PASSES):  # a mark in a secret's place may bare another one that was glued to it
        lowered = text.lower()
        found = [one for rule in RULES[version] for one in rule(text, lowered)]
        if not found:
            break
        text, marks = _marked(text, _merged([*found, *((one.start, one.end, one.kind) for one in marks)]))
    return text, tuple(marks)


def _marked(text: str, places: list[Found]) -> tuple[str, list[Withheld]]:
    """The text with a mark in each place, and where the marks stand in it."""
    pieces, marks, read, written = [], [], 0, 0
    for start, end, kind in places:
        mark = f"[withheld: {kind}]"
        pieces += [text[read:start], mark]
        begin = written + start - read
        marks.append(Withheld(kind=kind, start=begin, end=begin + len(mark)))
        read, written = end, begin + len(mark)
    return "".join([*pieces, text[read:]]), marks


def mask_tool(tool: Tool, version: int = VERSION) -> Tool:
    """The tool call with secrets masked in every string; a field named like a secret loses its whole value."""
    return Tool(
        name=tool.name,
        input=mask_value(tool.input, version),
        output=mask_value(tool.output, version),
        error=None if tool.error is None else mask(tool.error, version)[0],
    )


def mask_value(value: Any, version: int = VERSION) -> Any:
    """The same for any JSON value."""
    if isinstance(value, str):
        return mask(value, version)[0]
    if isinstance(value, dict):
        return dict(_masked_fields(value, version))
    if isinstance(value, list | tuple):
        return [mask_value(one, version) for one in value]
    return value


def _masked_fields(fields: dict[Any, Any], version: int) -> Iterator[tuple[Any, Any]]:
    taken: set[Any] = set()
    for key, value in fields.items():
        name = mask(key, version)[0] if isinstance(key, str) else key
        while name in taken:  # two secret keys may look alike once masked
            name = f"{name} "
        taken.add(name)
        yield name, _withheld_field(value) if _names_secret(key) else mask_value(value, version)


def _names_secret(key: Any) -> bool:
    plain = "".join(filter(str.isalnum, key)).casefold() if isinstance(key, str) else ""
    return plain.endswith(_SECRET_ENDINGS)


def _withheld_field(value: Any) -> Any:
    if value is None or isinstance(value, bool) or value in ("", [], {}):
        return value
    return "[withheld: secret field]"


def _merged(found: list[Found]) -> list[Found]:
    """By place, overlapping ones as one under the name of the first."""
    merged: list[Found] = []
    for start, end, kind in sorted(found, key=lambda one: (one[0], -one[1])):
        if merged and start < merged[-1][1]:
            first = merged[-1]
            merged[-1] = (first[0], max(first[1], end), first[2])
        else:
            merged.append((start, end, kind))
    return merged
