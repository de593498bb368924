"""Facts from English sentences: who they speak of, what they say, as sentences that name the speaker."""

import re
from collections.abc import Sequence

from eunoe.processors.extraction import dates
from eunoe.processors.extraction.clauses import Clause, changed, clause
from eunoe.processors.extraction.deploys import about_deploying, deploy_slots, way_slots
from eunoe.processors.extraction.draft import Found, Frame, Person
from eunoe.processors.extraction.happenings import happenings
from eunoe.processors.extraction.nouns import favourite_slots, own_attribute
from eunoe.processors.extraction.people import gender, meant, people
from eunoe.processors.extraction.rewrite import ADVERBS, sentence
from eunoe.processors.extraction.sentences import Piece
from eunoe.processors.extraction.slot import Slot
from eunoe.processors.extraction.slots import slots_of
from eunoe.processors.extraction.subjects import Subject, subject
from eunoe.processors.extraction.verbs import AUXILIARIES, BASES, is_past, lemma, words
from eunoe.processors.extraction.wording import told

_OWN = (
    r"(?:I(?:['’](?:m|ve|ll|d))?|i(?:['’](?:m|ve|ll|d))? |[Ww]e(?:['’](?:re|ve|ll|d))?|[Mm]y|[Oo]ur"
    r"|[Hh]e(?:['’]s)?|[Ss]he(?:['’]s)?|[Tt]hey(?:['’]re)?)\b"
)
_LEAD = re.compile(
    rf"(?P<lead>(?i:back |over |at |on |in |since |during |last |next |this |every |yesterday|today"
    rf"|tomorrow|tonight|now|these |nowadays|currently|usually|normally|sometimes|recently|lately|after "
    rf"|before |for |from |according to |starting |then|afterwards|later|\d+ |a |two |three "
    rf"|once )[^.;:?!]{{0,70}}?),? (?={_OWN} )"
)
_SPLIT = re.compile(
    rf",? (?:and|but|whereas|while) (?=(?:{_OWN}|[A-Z][a-z]+ (?:is|has|was|likes|loves|hates|works|lives"
    rf"|prefers|wants|can['’]t|doesn['’]t)\b))|; |, (?=(?:I|my|we|he|she)(?:['’]\w+)? )"
)
_COORDINATE = re.compile(
    r",? (?:and|but|or|then|and then)(?: also| now| still)? (?=[a-z]+\b)|, (?=(?:never|always|not"
    r"|no longer|don['’]t|can['’]t|doesn['’]t|hate|love|work|working|living|allergic|lactose|vegan|vegetarian)\b)"
)
_VACUOUS = re.compile(
    r"(?:know|see|agree|think so|guess(?: so)?|hope so|hope|understand|mean|wonder|promise|swear|bet"
    r"|don['’]?t (?:know|mind|care|think so|remember|understand|get it)|not sure|sorry|back|here|ready"
    r"|done|fine|good|ok|okay|sure"
    r"|just (?:asking|curious|kidding|wondering|checking)|joking|on it|all set|in|wait|listening|curious"
    r"|glad|happy to (?:help|hear)|with you|will|can|could|did|do|was|am|should|would|have|thought so"
    r"|forgot|will do(?: it| that)?|love (?:it|that|this)|like (?:it|that|this)|look(?:ing)? (?:myself"
    r"|into it)|(?:can['’]t )?wait)(?: (?:that|it|this|now|too|already|then|again|to hear that|to hear it"
    r"|there|you|what you mean))?[.! ]*$",
    re.IGNORECASE,
)
_WORD = re.compile(r"[^\W_]+(?:['’-][^\W_]+)*")
_FUNCTION = words(
    "i me my we our us you your he she it its they them their his her this that these those there a an"
    " the and or but so if of to in on at by for with from as is am are was were be been being have has"
    " had do does did will would can could should may might must not no never just really very too also"
    " then than what which who when where how why all some any more most much many get got go goes going"
    " thing things stuff one ones up out about into over think know good bad right i'm it's that's i've"
    " i'll don't let let's now here again still maybe like want need sure way lot bit kind"
)
# first words of sentences that leave out `I`, and of those that leave out something else
_MINE = words("love hate prefer enjoy dislike adore")
_NOT_MINE = words("said told needed based noted agreed understood done got merged fixed updated added booked sent")
_ONWARD = re.compile(r" (?:to|in|at|with|for|on|from|as)\b")
_ASIDE = re.compile(r"([^,]{2,50}), who ([^,]{2,80}), (.+)$")
_DATED = words("schedule birthday opening_hours is age years_at did relation name email phone")
_UNTIL = re.compile(r"\b(?:until|till)\b", re.IGNORECASE)


def facts(core: Piece, frame: Frame) -> list[Found]:
    """The facts of one English statement, given without its fillers."""
    found: list[Found] = []
    known = subject("", frame.voice)
    ways = deploy_slots(core.text, topical="deploys" in frame.topics)
    if ways:
        frame.topics.append("deploys")
    for part in [core] if ways else _units(core):
        made, known = _unit_facts(part, frame, known, ways)
        found += made
    return found


def on_topic(piece: Piece, frame: Frame) -> bool:
    """Whether a short sentence goes on with what the turn speaks of: `Never by hand.`"""
    return "deploys" in frame.topics and len(piece.text) < 60 and bool(deploy_slots(piece.text, topical=True))


def _units(core: Piece) -> list[Piece]:
    """Stretches with a subject of their own: each becomes one text."""
    places = [0]
    for match in _SPLIT.finditer(core.text):
        if (
            match.start() - places[-1] >= 6
            and _parts(match[0], core.text[places[-1] : match.start()])
            and not core.text.startswith(("If ", "When ", "Because "))
        ):
            places.append(match.end())
    ends = [*[_cut(core.text, place) for place in places[1:]], len(core.text)]
    return [part for start, end in zip(places, ends, strict=True) if (part := core.part(start, end)).text]


def _parts(joint: str, before: str) -> bool:
    """Whether a joint parts two clauses: `my wife and I` has no verb before it."""
    return "and" not in joint or _has_verb(before)


def _has_verb(text: str) -> bool:
    return any(lemma(word) is not None or "'" in word or "’" in word for word in _WORD.findall(text.lower())[1:])


def _cut(text: str, place: int) -> int:
    """Where the stretch before this place ends, its conjunction left out."""
    for match in _SPLIT.finditer(text, max(0, place - 12)):
        if match.end() == place:
            return match.start()
    return place


def _unit_facts(part: Piece, frame: Frame, before: Subject, ways: list[Slot]) -> tuple[list[Found], Subject]:
    text = part.text
    lead = _LEAD.match(text)
    skip = lead.end() if lead and not text.startswith(("I ", "I'", "We ", "My ", "Our ", "He ", "She ")) else 0
    who = subject(text[skip:], frame.voice)
    if who.sort == "none" and not who.pronoun:
        who = _silent(text[skip:])
    if who.sort == "pronoun":
        who = _resolved(who, frame)
    if who.sort == "none" and not who.pronoun and not frame.asked:
        bare = [(s, frame.voice) for s in ways] or own_attribute(text, frame.voice)
        made = _items(part, frame, who, None, bare) if bare else []
        if ways and not about_deploying(text):
            made = [one._replace(text=f"On deploying, {frame.name} said: {sentence(text)}") for one in made]
        return made, before
    said, aside = _without_aside(text[skip:])
    main = clause(said, who)
    if skip and text[:9].lower().startswith(("from ", "starting ", "as of ")):
        main = main._replace(changed=True)
    slots = _all_slots(text, main, frame, ways)
    if aside and who.about:
        slots += [(s, who.about) for s in slots_of(clause(aside, who._replace(end=0, tail="")))]
    _remember(text, who, frame)
    if not slots and not _telling(main, text):
        return [], who if who.sort in ("self", "we", "person") else before
    return _items(part, frame, who, main, slots, skip), who if who.sort in (
        "self",
        "we",
        "person",
        "pronoun",
    ) else before


def _without_aside(text: str) -> tuple[str, str]:
    """`My son Lukas, who is seven, loves dinosaurs`: the statement, and what was said by the way."""
    match = _ASIDE.match(text)
    return (f"{match[1]} {match[3]}", match[2]) if match else (text, "")


def _silent(text: str) -> Subject:
    """A subject left out: `Went to Porto`, `allergic to nuts`, `Love lychees`, `Flying to Rome on Friday`."""
    nobody = Subject("none", None, None, 0)
    first = _WORD.match(text)
    word = first[0].lower() if first else ""
    if first and word in ADVERBS:
        following = _WORD.match(text, first.end() + 1)
        word = following[0].lower() if following else ""
        if word != "allergic" and not is_past(word):
            return nobody
    if word in _NOT_MINE:
        return nobody
    if word in _MINE or (is_past(word) and lemma(word) is not None):
        return Subject("self", None, None, 0)
    doing = word.endswith("ing") and lemma(word) is not None and bool(_ONWARD.match(text, len(word)))
    if doing or word in ("allergic", "vegan", "vegetarian"):
        return Subject("self", None, None, 0, "m")
    return nobody


def _resolved(who: Subject, frame: Frame) -> Subject:
    """he, she, they: the last person spoken of who may be meant."""
    person = meant(who.pronoun or "", frame.people, frame.before)
    if person is None:
        return who
    return who._replace(sort="person", about=person.about, shown=person.about, relation=person.relation)


def _remember(text: str, who: Subject, frame: Frame) -> None:
    if who.sort == "person" and who.about and not who.pronoun:
        frame.people.append(Person(who.about, gender(who.relation), who.relation))
    frame.people.extend(p for p in people(text, frame.voice) if p.about != who.about)


def _all_slots(text: str, main: Clause, frame: Frame, ways: list[Slot]) -> list[tuple[Slot, str | None]]:
    """Slots of the clause and of what is joined to it, each with whom it is about."""
    who = main.subject
    about = who.about or (frame.voice if who.sort in ("self", "we") else None)
    owner = about if who.sort == "person" and about and all(s.value not in about for s in ways) else frame.voice
    found: list[tuple[Slot, str | None]] = [(s, owner) for s in ways or way_slots(text)]
    found += [(s, frame.voice) for s in favourite_slots(text)] if "favo" in text else []
    if not found:
        found += own_attribute(text, frame.voice)
    if found and not ways and (who.sort == "thing" or found[0][0].attribute == "relation"):
        return list(dict.fromkeys(found))
    if not ways:
        taken = {s.attribute for s, _ in found}
        found += [(s, about) for s in slots_of(main) if s.attribute not in taken]
        single = {s.attribute for s, _ in found if s.single}
        found += [(s, about) for c in _joined(main) for s in slots_of(c) if s.attribute not in single]
    if not any(s.attribute in ("schedule",) for s, _ in found) and who.sort in ("self", "we", "person"):
        found += [(s, about) for s in happenings(text, main, [s.value for s, _ in found], frame)]
    return list(dict.fromkeys(found))


def _joined(main: Clause) -> list[Clause]:
    """`and hates cilantro`, `, working at Kestrel`: verbs that share the subject."""
    clauses = []
    for match in _COORDINATE.finditer(main.predicate):
        tail = main.predicate[match.end() :]
        first = _WORD.match(tail)
        word = first[0].lower() if first else ""
        known = lemma(word)
        if word in ("allergic", "lactose", "vegan", "vegetarian") or (word.endswith("ing") and known):
            tail = "is " + tail
        elif not (
            (known and (word in BASES or word in AUXILIARIES or word.endswith("s") or is_past(word)))
            or word in ADVERBS
            or word.endswith("n't")
            or word.endswith("n’t")
        ):
            continue
        read = clause(tail, main.subject._replace(end=0, tail=""))
        if read.verb:
            clauses.append(
                read._replace(tense=main.tense if main.tense == "wish" else read.tense, changed=read.changed)
            )
    return clauses


def _telling(main: Clause, text: str) -> bool:
    """Whether an untyped statement says enough to keep."""
    who = main.subject
    predicate = text[who.end :].strip() if who.end else text
    if _VACUOUS.match(predicate) or not main.verb:
        return False
    words = [w.lower() for w in _WORD.findall(text)]
    telling = sum(w not in _FUNCTION for w in words)
    if who.sort in ("none", "pronoun"):
        return telling >= 4 and any(
            c.isdigit() or (i and c.isupper()) for i, c in enumerate(text) if text[i - 1 : i] in (" ", "")
        )
    return telling >= 2 and len(words) >= 3


def _items(
    part: Piece,
    frame: Frame,
    who: Subject,
    main: Clause | None,
    slots: Sequence[tuple[Slot, str | None]],
    skip: int = 0,
) -> list[Found]:
    past = main.past if main else None
    when = dates.find(part.text, frame.day, past) if frame.day and "birthday" not in part.text else []
    text = told(part.text, frame, who, when, skip)
    about = who.about or (frame.voice if who.sort in ("self", "we") else None)
    more: tuple[tuple[str, str], ...] = (("said_by", frame.voice),) if about != frame.voice else ()
    more += (("relation", who.relation),) if who.relation else ()
    first = when[0] if when else None
    plain = Found(
        "fact",
        text,
        part,
        about,
        None,
        first,
        1.0,
        more,
        until=first is not None and bool(_UNTIL.search(part.text[: first.end])),
        changed=changed(part.text),
    )
    made = []
    for slot, owner in slots:
        bare = _undated(slot, frame)
        if bare is not None:
            other = () if owner == frame.voice and owner != about else more
            lasting = None if slot.attribute == "birthday" else first
            made.append(plain._replace(about=owner, slot=bare, when=lasting, slots=other))
    return made or [plain]


def _undated(slot: Slot, frame: Frame) -> Slot | None:
    """The slot without the date in its value, which stands in `valid_from`; None where nothing else was in it."""
    value = slot.value.strip(" .,;:")
    if frame.day is not None and slot.attribute not in _DATED:
        found = dates.find(value, frame.day)
        if found:
            value = re.sub(r"\s+(?:on|in|at|since|for|by|,)$", "", value[: found[0].start].strip(" ,"))
    return slot._replace(value=value) if value else None
