"""What can stand in the log: one model a kind, told apart by `type`.

An event is immutable. Its stored form is (schema name and version, fields); `eunoe.streams.schemas` writes
and reads that form and lifts old versions to these models.
"""

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

HOME_SCOPE = "."
"""Scope and subject of the home's own events. No interaction can have it: a segment of dots is refused."""

Role = Literal["user", "assistant", "tool", "system", "observation", "feedback"]
Kind = Literal["fact", "skill", "episode"]
Precision = Literal["instant", "day", "week", "month", "season", "year"]


class Event(BaseModel):
    """Fields that all kinds share.

    scope: the stream the event belongs to. id: unique in its scope, from who reports it.
    subjects: whose data it is; their keys seal it, and any one of them closes it.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", strict=False)

    scope: str
    id: str
    subjects: tuple[str, ...] = ()


class Tool(BaseModel):
    """A tool call as the agent reports it. `error` is what went wrong, if anything did."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    name: str
    input: Any = None
    output: Any = None
    error: str | None = None


class Span(BaseModel):
    """Characters [start, end) of one interaction's text. `chunk` counts the parts of a long input."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    event: str
    start: int
    end: int
    chunk: int = 0


class Withheld(BaseModel):
    """A secret that was masked before sealing; start and end are where its mark stands in the text."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: str
    start: int
    end: int


class Interaction(Event):
    """What happened, as an agent reports it: one turn (or one chunk of a long one).

    at: RFC 3339, without an offset when the zone is unknown. order: the reporter's sequence in the session.
    recalled: parts of the text that were recalled from memory and must not be learned again.
    masking, chunking: versions of the rules that the text went through, so that a retry can be compared.
    """

    type: Literal["interaction"] = "interaction"
    session: str
    role: Role
    text: str
    at: str
    agent: str | None = None
    speaker: str | None = None
    order: int | None = None
    tool: Tool | None = None
    meta: dict[str, Any] | None = None
    chunk: int = 0
    chunks: int = 1
    withheld: tuple[Withheld, ...] = ()
    recalled: tuple[tuple[int, int], ...] = ()
    masking: int = 1
    chunking: int = 1

    @property
    def voice(self) -> str:
        """Who said it: the speaker's name, else the role."""
        return self.speaker or self.role


class Item(BaseModel):
    """One fact, skill or episode that came out of a unit.

    text: a standalone sentence in the source's language and, as far as can be, words, naming who said it;
        None stands for the spans' own text (an episode that is the turn itself).
    about, attribute, value: the typed slot, where it can be had. `about` is who or what it speaks of.
        attribute is a snake_case noun or verb phrase in English whatever the text's language (`deploys_via`,
        `lives_in`, `likes`); value is in the source's words, trimmed.
    negative: the source denies it ("never by hand"). single: the attribute holds one value at a time.
    changed: the source itself says that things changed ("moved", "any more", "now").
    valid_from, valid_until: ISO dates or times of the world, with `precision`; None where nothing was said.
    slots: further typed parts; for a skill intent, state, action, outcome.
    untrusted: it came from where instructions must not be taken (tool output, quoted text), or reads like an
        injected instruction.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    kind: Kind
    text: str | None = None
    spans: tuple[Span, ...]
    about: str | None = None
    attribute: str | None = None
    value: str | None = None
    negative: bool = False
    single: bool = False
    changed: bool = False
    valid_from: str | None = None
    valid_until: str | None = None
    precision: Precision | None = None
    confidence: float = 1.0
    slots: dict[str, str] | None = None
    untrusted: bool = False


class Result(Event):
    """What came out of a unit. `reason` says why it holds no fact or skill (`question`, `small_talk`, …)."""

    type: Literal["result"] = "result"
    unit: str
    members: tuple[str, ...]
    system: str = "eunoe"
    version: str = "rules/1"
    generation: int = 1
    model: str | None = None
    prompt: str | None = None
    items: tuple[Item, ...] = ()
    reason: str | None = None


class Correction(Event):
    """A person's change of one memory. `text` replaces it; None retires it. `undo` takes an earlier one back.

    target: the memory's id. spans, about, attribute: what it suppresses, as far back as `at`.
    """

    type: Literal["correction"] = "correction"
    action: Literal["edit", "retire", "undo"]
    target: str
    at: str
    actor: str
    text: str | None = None
    kind: Kind | None = None
    about: str | None = None
    attribute: str | None = None
    value: str | None = None
    spans: tuple[Span, ...] = ()
    reason: str | None = None


class Decision(Event):
    """A person's choice: on a review, a trial, a dead letter."""

    type: Literal["decision"] = "decision"
    target: str
    choice: str
    at: str
    actor: str
    reason: str | None = None
    details: dict[str, Any] | None = None


class Cut(Event):
    """A boundary between construction units at (session, at, order)."""

    type: Literal["cut"] = "cut"
    session: str
    at: str
    order: int | None = None
    cause: str = "size"


class Settings(Event):
    """Settings that change what the log means: extractor and version, policy, generation."""

    type: Literal["settings"] = "settings"
    at: str
    actor: str
    values: dict[str, Any]


class Tombstone(BaseModel):
    """Where a redacted turn stood: what stays visible of it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    scope: str
    session: str
    at: str


class Forget(Event):
    """A request to redact or forget, its completion, or a readmission.

    What it covers stands by record id or pseudonym in the clear envelope; nothing here names what was forgotten.
    completes: id of the request that a completion closes. tombstones: of a redaction only.
    """

    type: Literal["forget"] = "forget"
    depth: Literal["redact", "forget", "readmit"]
    target: Literal["subject", "scope", "session", "event", "memory"]
    at: str
    actor: str
    reason: str | None = None
    completes: str | None = None
    tombstones: tuple[Tombstone, ...] = ()


class Dropped(Event):
    """An item or block left an agent's context; the log keeps its meaning."""

    type: Literal["dropped"] = "dropped"
    session: str
    target: str
    at: str
    actor: str
    reason: str | None = None


class Block(Event):
    """A stretch of an agent's context that is handled as one: the events that it holds, its tokens."""

    type: Literal["block"] = "block"
    session: str
    at: str
    members: tuple[str, ...]
    tokens: int


class Note(Event):
    """A note that stands for a block. Made from text alone, it is lossy."""

    type: Literal["note"] = "note"
    session: str
    at: str
    block: str
    text: str
    tokens: int
    lossy: bool = True


class Act(Event):
    """What was done with the memory and changes nothing in it, kept for the audit. It names nobody's data.

    A recall stands in the scope that was asked, and holds no question; all else in the home's own.
    """

    type: Literal["act"] = "act"
    verb: Literal["recall", "rotate", "backup", "restore"]
    at: str
    actor: str
    agent: str | None = None
    session: str = ""
    reason: str | None = None
    counts: dict[str, int] = Field(default_factory=dict)


AnyEvent = Annotated[
    Interaction | Result | Correction | Decision | Cut | Settings | Forget | Dropped | Block | Note | Act,
    Field(discriminator="type"),
]
