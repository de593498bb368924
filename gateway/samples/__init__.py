"""A history written for the project, and by hand what should and should not come out of it."""

from pathlib import Path

import msgspec

_HERE = Path(__file__).resolve().parent


class Fact(msgspec.Struct, frozen=True):
    """A fact that one turn states. `about` names who or what in the turn's own words, or by the speaker."""

    scope: str
    event: str
    about: str
    attribute: str
    value: str
    text_contains: tuple[str, ...]
    negative: bool = False
    changed: bool = False


class Skill(msgspec.Struct, frozen=True):
    """What to do: said in one turn, or shown by a failure and what worked after it."""

    scope: str
    events: tuple[str, ...]
    intent: str
    action: str
    text_contains: tuple[str, ...]
    state: str | None = None
    outcome: str | None = None


class NotLearned(msgspec.Struct, frozen=True):
    """A turn that no fact or skill may be drawn from, and strings that would show that one was."""

    scope: str
    event: str
    why: str
    must_not_contain: tuple[str, ...]


class Contested(msgspec.Struct, frozen=True):
    """Two turns that can't both hold, and neither says that something changed."""

    scope: str
    about: str
    attribute: str
    events: tuple[str, str]
    values: tuple[str, str]


class Superseded(msgspec.Struct, frozen=True):
    """What the turn `old` said ends with the turn `new`, because that one says so or time explains it."""

    scope: str
    about: str
    attribute: str
    old: str
    new: str
    why: str


class Question(msgspec.Struct, frozen=True):
    """A question and the turns that answer it."""

    question: str
    scope: str
    events: tuple[str, ...]
    category: str


class Gold(msgspec.Struct, frozen=True):
    """What is expected of the sample history. `secrets` are strings that may be nowhere."""

    facts: tuple[Fact, ...]
    skills: tuple[Skill, ...]
    not_learned: tuple[NotLearned, ...]
    secrets: tuple[str, ...]
    contested: tuple[Contested, ...]
    superseded: tuple[Superseded, ...]
    questions: tuple[Question, ...]


def history_path() -> Path:
    """The history: JSONL, one interaction a line."""
    return _HERE / "history.jsonl"


def gold() -> Gold:
    """The expected memories, read anew."""
    return msgspec.json.decode((_HERE / "gold.json").read_bytes(), type=Gold)
