"""Settling: what the items of one group mean together. A pure fold, run anew whenever the group changes.

A group is a slot: (about, attribute) where it holds one value at a time, with the value where it holds many; or
one wording where there is no slot. Equal values become one memory with
all its sources. Different values of a slot that holds one at a time follow one another where the later source
itself says that things changed; else both stand, contested, until a person decides.
"""

import re
import unicodedata
from collections.abc import Sequence
from hashlib import blake2b

import msgspec

from eunoe.stores.contracts import Memory, Source
from eunoe.streams.events import Correction, Item, Role, Span
from eunoe.streams.times import key_of

_LEADING = re.compile(r"^(?:the|a|an|my|his|her|their|our)\s+")
_EDGES = " \t\r\n.,;:!?。，；：！？\"'“”‘’()（）"
_HALF = 0.5
MOST_CONTESTED = 20


class Evidence(msgspec.Struct, frozen=True, kw_only=True):
    """An item with the place of its anchor: the turn's session, time, order and id."""

    id: str
    item: Item
    turn: int
    session: str
    role: Role
    at: str
    key: int
    order: int
    event: str
    chunk: int

    @property
    def place(self) -> tuple[int, int, str, int, str]:
        return (self.key, self.order, self.event, self.chunk, self.id)


class Settled(msgspec.Struct):
    """A memory in the making: its evidence in order and what the fold found out about it."""

    evidence: list[Evidence]
    valid_until: str | None = None
    contested: list["Settled"] = []
    superseded: "Settled | None" = None
    text: str | None = None
    retired: bool = False
    value: str = ""

    @property
    def first(self) -> Evidence:
        return self.evidence[0]

    @property
    def id(self) -> str:
        return memory_id(self.evidence[0].id)


def normal(text: str) -> str:
    """A wording for comparison: NFKC, case folded, single spaces, without leading article and edge punctuation."""
    folded = " ".join(unicodedata.normalize("NFKC", text).casefold().split()).strip(_EDGES)
    return _LEADING.sub("", folded)


def group_of(item: Item) -> bytes:
    """The group that an item settles in, 12 bytes."""
    if item.kind == "fact" and item.about and item.attribute and item.value:
        parts: tuple[str, ...] = ("slot", normal(item.about), item.attribute, "" if item.single else normal(item.value))
    else:
        parts = (item.kind, normal(item.about or ""), normal(item.text or ""))
    return blake2b("\x00".join(parts).encode("utf-8", "surrogatepass"), digest_size=12).digest()


def item_id(scope: str, event: str, chunk: int, item: Item) -> str:
    """Id of what one item says of one turn: the same whatever unit it came out of, 20 hex digits."""
    said = (scope, event, str(chunk), item.kind, item.text or "", item.about or "", item.attribute or "")
    text = "\x00".join((*said, item.value or "", str(item.negative)))
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=10, person=b"eunoe.item").hexdigest()


def memory_id(first: str) -> str:
    """The id of the memory whose first living item has this id."""
    return f"m-{first}"


def settle(scope: str, evidence: Sequence[Evidence], corrections: Sequence[Correction]) -> list[Memory]:
    """The memories of one group, in order. Evidence may come in any order; corrections in the log's."""
    once = {one.id: one for one in evidence}  # a result may say one thing twice
    settled = _merged(sorted(once.values(), key=lambda e: e.place))
    _compare(settled)
    for correction in corrections:
        _correct(settled, correction)
    return [_memory(scope, one) for one in settled]


def _merged(evidence: list[Evidence]) -> list[Settled]:
    """Equal sayings put together. Of a slot that holds one value, only neighbours in time are equal enough."""
    settled: list[Settled] = []
    for one in evidence:
        candidates, value = settled[-1:] if one.item.single else settled, normal(one.item.value or "")
        for known in candidates:
            same = known.value == value and known.first.item.negative == one.item.negative
            if same and _one_period(known, one):
                known.evidence.append(one)
                break
        else:
            settled.append(Settled([one], valid_until=one.item.valid_until, contested=[], value=value))
    return settled


def _one_period(known: Settled, one: Evidence) -> bool:
    """Stated periods that don't meet are two memories, whatever their words."""
    first = known.first.item
    if first.valid_from is None or one.item.valid_from is None:
        return True
    return not _apart(first, one.item)


def _apart(first: Item, second: Item) -> bool:
    """Whether both state a period and the periods have no day in common."""
    if first.valid_until and second.valid_from and second.valid_from > first.valid_until:
        return True
    return bool(second.valid_until and first.valid_from and first.valid_from > second.valid_until)


def _compare(settled: list[Settled]) -> None:
    """Mark what supersedes and what contests what.

    What says that things changed takes over from everything before it that it can't stand beside. What doesn't is
    contested by the latest of those, `MOST_CONTESTED` at most: a slot with a thousand values is not a thousand
    times a thousand reviews.
    """
    standing: list[Settled] = []
    for later in settled:
        changed = later.first.item.changed
        for earlier in standing if changed else standing[-MOST_CONTESTED:]:
            if earlier.superseded or not _conflict(earlier, later):
                continue
            if changed or _explained(earlier, later):
                earlier.superseded = later
                earlier.valid_until = earlier.valid_until or later.first.item.valid_from or later.first.at
            else:
                earlier.contested.append(later)
                later.contested.append(earlier)
        standing = [one for one in standing if not one.superseded] if changed else standing
        standing.append(later)


def _conflict(earlier: Settled, later: Settled) -> bool:
    """Whether two memories of one slot can't both hold."""
    first, second = earlier.first.item, later.first.item
    if first.value is None or _apart(first, second):
        return False
    if earlier.value == later.value:
        return first.negative != second.negative
    return first.single and second.single and not first.negative and not second.negative


_NUMBER = re.compile(r"\d+(?:\.\d+)?")
_YEAR_MICROSECONDS = 365.25 * 86_400 * 1_000_000
_GROWING = ("age", "years_")


def _explained(earlier: Settled, later: Settled) -> bool:
    """Time alone explains it: an age or a number of years that grew about as much as the time between."""
    first, second = earlier.first.item, later.first.item
    if not (first.attribute or "").startswith(_GROWING):
        return False
    before, after = _number(first), _number(second)
    if before is None or after is None:
        return False
    passed = (later.first.key - earlier.evidence[-1].key) / _YEAR_MICROSECONDS
    return after > before and abs(after - before - passed) <= 1.0


def _number(item: Item) -> float | None:
    """The number that a value speaks of: as the rules read it, else its first digits."""
    said = _NUMBER.search((item.slots or {}).get("number", "") or item.value or "")
    return float(said[0]) if said else None


def _correct(settled: list[Settled], correction: Correction) -> None:
    """A person's word on one memory: the target is changed, what says the same as it goes with it."""
    matched = [one for one in settled if _covered(one, correction)]
    if not matched:
        return
    target = next((one for one in matched if correction.target in {memory_id(e.id) for e in one.evidence}), matched[0])
    for one in matched:
        if one is target and correction.action == "edit":
            one.text, one.retired = correction.text, False
        else:
            one.retired = True
        one.contested = [other for other in one.contested if other not in matched]
    for one in settled:
        if one not in matched:
            one.contested = [other for other in one.contested if not other.retired]


def _covered(one: Settled, correction: Correction) -> bool:
    """The target itself; or the same value of the same slot, or half of its span, said no later than the correction.

    Another value of the slot is another statement: it stays, contested where it was.
    """
    if correction.target in {memory_id(e.id) for e in one.evidence}:
        return True
    item = one.first.item
    if correction.kind != item.kind or one.first.key > key_of(correction.at):
        return False
    if correction.attribute and (correction.about, correction.attribute) == (item.about, item.attribute):
        return normal(correction.value or "") == normal(item.value or "")
    return any(_half_shared(span, item) for span in correction.spans)


def _half_shared(span: Span, item: Item) -> bool:
    for other in item.spans:
        if (other.event, other.chunk) == (span.event, span.chunk):
            shared = min(span.end, other.end) - max(span.start, other.start)
            if shared > 0 and shared >= _HALF * min(span.end - span.start, other.end - other.start):
                return True
    return False


def _memory(scope: str, one: Settled) -> Memory:
    first, item = one.first, one.first.item
    return Memory(
        number=0,
        id=one.id,
        scope=scope,
        kind=item.kind,
        text=one.text or item.text or "",
        sources=tuple(source for evidence in one.evidence for source in sources_of(evidence)),
        at=first.at,
        key=first.key,
        last_confirmed=one.evidence[-1].at,
        about=item.about,
        attribute=item.attribute,
        value=None if one.text else item.value,
        negative=item.negative,
        valid_from=item.valid_from,
        valid_until=one.valid_until,
        precision=item.precision,
        confidence=max(evidence.item.confidence for evidence in one.evidence),
        slots=item.slots,
        untrusted=all(evidence.item.untrusted for evidence in one.evidence),
        contested_by=tuple(sorted(other.id for other in one.contested if not one.retired)),
        superseded_by=one.superseded.id if one.superseded else None,
        retired=one.retired,
    )


def sources_of(evidence: Evidence) -> list[Source]:
    """Where an item stands: its own spans in the anchor, else the anchor whole."""
    spans = evidence.item.spans
    if not spans:
        return [Source(evidence.event, evidence.session, evidence.role, evidence.at, evidence.chunk)]
    own = [s for s in spans if s.event == evidence.event] or spans[:1]
    return [
        Source(span.event, evidence.session, evidence.role, evidence.at, span.chunk, span.start, span.end)
        for span in own[:1]
    ]
