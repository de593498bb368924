"""A turn as a whole: what it is by its role, then its sentences one by one, then its episode."""

import re
from datetime import date, datetime

from eunoe.processors.extraction import chinese, english, foreign
from eunoe.processors.extraction.answers import answer_facts
from eunoe.processors.extraction.clauses import hedged
from eunoe.processors.extraction.draft import UNSURE, Found, Frame, Person, item_of
from eunoe.processors.extraction.fillers import body
from eunoe.processors.extraction.fixes import call_of, failure_of, first_line, shown_fix
from eunoe.processors.extraction.gate import before_question, hypothetical, injected, question, small_talk, without_tag
from eunoe.processors.extraction.people import people
from eunoe.processors.extraction.sentences import Piece, kept, language, quoted, safe, sentences
from eunoe.processors.extraction.skills import skills
from eunoe.processors.extraction.standing import imperative, standing
from eunoe.processors.units import Unit
from eunoe.streams.events import Interaction, Item, Span

_UNTRUSTED = frozenset(("tool", "observation"))
_PRONOUNS = re.compile(r"\b(?:he|she|they)\b|[他她它]", re.IGNORECASE)
_RELAYED = re.compile(
    r"\b(?:says?|said|writes?|wrote|reads?|tells?|told|asks?|asked|states?|contains?|saying)\b.{0,30}[:\"“']"
)
_ORDER = ("injected_instruction", "question", "hypothetical", "request", "no_fact", "small_talk")
Outcome = tuple[list[Found], str | None]


def result_of(unit: Unit) -> tuple[tuple[Item, ...], str | None]:
    """Items and reason of a unit."""
    anchor = unit.anchor
    text = safe(anchor.text)
    if anchor.role == "system":
        return (), "system_prompt"
    if anchor.role in _UNTRUSTED:
        return _of_tool(unit, text)
    if not text.strip("\ufffd \t\r\n"):
        return (), "empty"
    ranges = kept(len(text), anchor.recalled)
    said = "".join(text[start:end] for start, end in ranges)
    if not any(character.isalnum() for character in said):
        return (), "recalled" if anchor.recalled and not said.strip() else "small_talk"
    episode = _episode(anchor, text, ranges)
    pieces = sentences(text, _apart(ranges, quoted(text)))
    if pieces and all(small_talk(piece.text) for piece in pieces):
        said_yes = answer_facts(pieces, _frame(unit, text)) if unit.context and anchor.role == "user" else []
        return ((*_items(said_yes, anchor), episode), None) if said_yes else ((), "small_talk")
    if not pieces:
        return (episode,), "quoted"
    if injected(said, trusted=True):
        return (episode.model_copy(update={"untrusted": True}),), "injected_instruction"
    found, reason = _of_sentences(unit, text, pieces)
    items = _items(found, anchor)
    return (*items, episode), None if items else reason


def _items(found: list[Found], anchor: Interaction) -> tuple[Item, ...]:
    """Each thing once."""
    made: dict[tuple[object, ...], Item] = {}
    for one in found:
        slot = one.slot
        key = (one.kind, one.text, one.about, slot and (slot.attribute, slot.value, slot.negative))
        if key not in made:
            made[key] = item_of(one, anchor)
    return tuple(made.values())


def _apart(ranges: list[tuple[int, int]], cut: list[tuple[int, int]]) -> list[tuple[int, int]]:
    """Ranges without what was cut from them."""
    if not cut:
        return ranges
    return [
        (start + a, start + b)
        for start, end in ranges
        for a, b in kept(end - start, [(max(x, start) - start, y - start) for x, y in cut if x < end and y > start])
    ]


def _episode(anchor: Interaction, text: str, ranges: list[tuple[int, int]], untrusted: bool = False) -> Item:
    """What was really said, as its places in the turn."""
    pieces = [Piece(text[start:end], start).part(0, end - start) for start, end in ranges]
    spans = tuple(Span(event=anchor.id, start=p.start, end=p.end, chunk=anchor.chunk) for p in pieces if p.text)
    return Item(kind="episode", spans=spans, about=anchor.voice if anchor.role == "user" else None, untrusted=untrusted)


def _of_tool(unit: Unit, text: str) -> tuple[tuple[Item, ...], str | None]:
    """Tools and observations: an episode that isn't trusted, and what the calls themselves show to work."""
    anchor = unit.anchor
    tool = anchor.tool
    ranges = kept(len(text), anchor.recalled)
    said = "".join(text[start:end] for start, end in ranges)
    output = safe(str(tool.output))[:4000] if tool and tool.output is not None else ""
    bad = injected(said[:20_000], trusted=False) or injected(output, trusted=False)
    if any(character.isalnum() for character in said):
        episode = _episode(anchor, text, ranges, untrusted=True)
    elif anchor.recalled and said != text:
        return (), "recalled"
    elif tool is None:
        return (), "empty"
    else:
        episode = Item(kind="episode", text=_tool_sentence(anchor, output), spans=(), untrusted=True)
    if bad:
        return (episode,), "injected_instruction"
    shown = shown_fix(anchor, unit.context)
    if shown:
        return (_shown_skill(anchor, shown), episode), None
    return (episode,), "tool_output" if anchor.role == "tool" else "observation"


def _tool_sentence(anchor: Interaction, output: str) -> str:
    tool = anchor.tool
    assert tool is not None
    name, call = safe(tool.name), safe(call_of(tool))
    asked = f" ({call})" if call else ""
    if tool.error:
        return f"tool {name} failed{asked}: {first_line(tool.error)}"
    return f"tool {name}{asked}: {first_line(output) or 'done'}"


def _shown_skill(anchor: Interaction, shown: dict[str, str]) -> Item:
    """After X failed, Y worked: in the tools' own words, so not to be trusted as an instruction."""
    tool = anchor.tool
    assert tool is not None
    slots = {key: safe(value) for key, value in shown.items() if value}
    state = f": {slots['state']}" if "state" in slots else ""
    outcome = f" ({slots['outcome']})" if "outcome" in slots else ""
    worked = f"the tool {safe(tool.name)} got it to work with {slots['action']}{outcome}"
    text = f"When {slots['intent']} failed{state}, {worked}."
    spans = (Span(event=anchor.id, start=0, end=len(anchor.text), chunk=anchor.chunk),)
    return Item(kind="skill", text=text, spans=spans, slots=slots, untrusted=True, confidence=0.7)


def _of_sentences(unit: Unit, text: str, pieces: list[Piece]) -> Outcome:
    frame = _frame(unit, text)
    default = language(text[:2_000])
    found: list[Found] = []
    reasons: set[str] = set()
    for piece in pieces:
        made, reason = _of_sentence(piece, frame, default, unit.anchor.role == "assistant")
        found += made
        if reason:
            reasons.add(reason)
    if not found and len(pieces) <= 2 and unit.anchor.role != "assistant":
        found = answer_facts(pieces, frame)
    if unit.anchor.role == "assistant":
        return found, "assistant_turn"
    return found, next((reason for reason in _ORDER if reason in reasons), "no_fact")


def _of_sentence(piece: Piece, frame: Frame, default: str, assistant: bool) -> Outcome:
    """What one sentence gives. An assistant's words teach skills, never facts."""
    if small_talk(piece.text):
        return [], "small_talk"
    spoken = language(piece.text, default)
    if spoken == "zh":
        taught = chinese.skills(piece, frame)
        return (taught, None) if taught or assistant else chinese.facts(piece, frame)
    if spoken != "en":
        return ([], None) if assistant else foreign.facts(piece, frame)
    return _of_english(piece, frame, assistant)


def _of_english(piece: Piece, frame: Frame, assistant: bool) -> Outcome:
    if question(piece.text):
        return _of_question(piece, frame, assistant)
    if piece.text.rstrip().endswith("?"):
        piece = Piece(without_tag(piece.text.rstrip()).rstrip("."), piece.start)
    core = body(piece)
    if _RELAYED.search(core.text) and injected(core.text, trusted=False):
        return [], "injected_instruction"
    taught = skills(core, frame)
    if taught or assistant:
        return taught, None
    if hypothetical(core.text):
        return [], "hypothetical"
    on_topic = bool(frame.topics) and english.on_topic(core, frame)
    lasting = [] if on_topic else standing(core, frame)
    if lasting:
        return lasting, None
    if not on_topic and imperative(core.text):
        frame.people.extend(people(piece.text, frame.voice))
        return [], "request"
    made = english.facts(core, frame)
    if hedged(piece.text):
        made = [one._replace(confidence=UNSURE) for one in made]
    return made, None if made else "no_fact"


def _of_question(piece: Piece, frame: Frame, assistant: bool) -> Outcome:
    """A question gives nothing but who was named, and what was stated before it: `I live in Bergen, is it far?`"""
    frame.people.extend(people(piece.text, frame.voice))
    stated = body(piece.part(0, before_question(piece.text)))
    if assistant or not stated.text or question(stated.text) or hypothetical(stated.text):
        return [], "question"
    typed = [one for one in english.facts(stated, frame) if one.slot]
    return typed, None if typed else "question"


def _frame(unit: Unit, text: str) -> Frame:
    anchor = unit.anchor
    day = _day(anchor.at)
    earlier: list[Person] = []
    asked: str | None = None
    if _PRONOUNS.search(text):
        for turn in unit.context:
            said = safe(turn.text[:4_000])
            if turn.role == "user":
                earlier += people(said, turn.voice)
                earlier += chinese.people(said, turn.voice) if not said.isascii() else []
    before = unit.context[-1] if unit.context else None
    if before is not None and before.role in ("assistant", "user") and before.voice != anchor.voice:
        last = safe(before.text[-400:]).rstrip()
        if last.endswith(("?", "？")):
            asked = last
    failed = failure_of(unit.context)
    if failed is not None and failed.tool is not None and asked is None:
        asked = f"failed:{first_line(failed.tool.error or '') or call_of(failed.tool)}"
    return Frame(anchor, safe(anchor.voice), day, [], asked, earlier, [])


def _day(at: str) -> date | None:
    """The day of the speaker's own clock; None for a time that can't be read."""
    try:
        return datetime.fromisoformat(at).date()
    except ValueError:
        return None
