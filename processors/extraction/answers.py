"""Short answers: `In Oslo.` after `Where do you live?` becomes what it says."""

import re

from eunoe.processors.extraction import english
from eunoe.processors.extraction.deploys import about_deploying, deploy_slots
from eunoe.processors.extraction.draft import Found, Frame
from eunoe.processors.extraction.gate import small_talk
from eunoe.processors.extraction.sentences import Piece
from eunoe.processors.extraction.slot import Slot
from eunoe.processors.extraction.standing import imperative
from eunoe.processors.extraction.values import clip

_LAST = re.compile(r"[^.!?。！？]{3,200}[?？]\s*$")
_OFFER = re.compile(
    r"^(?:\W*)(?:shall i|should i|may i|can i|do you want|would you like|want (?:me|a|to)|anything else"
    r"|need (?:me|anything)|could i|what do you (?:need|think)|how can i|what can i|is (?:that|this) (?:ok"
    r"|all|right|correct)|which one)",
    re.IGNORECASE,
)
_KINDS = tuple(
    (re.compile(pattern, re.IGNORECASE), attribute, single, re.compile(shape) if shape else None)
    for pattern, attribute, single, shape in (
        (r"where (?:do|are) you (?:live|living|based)|which city|你住(?:在)?哪|住哪",
         "lives_in", True, r"(?i:in |near )?(?P<v>[A-Z][\w'-]*(?:[ ,]+[A-Z][\w'-]*)*|.*[\u4e00-\u9fff].*)"),
        (r"what(?:['’]s| is) your name|who am i (?:talking|speaking)|你叫什[么麼]",
         "name", True,
         r"(?i:it['’]s |call me |i['’]m )?(?P<v>[A-Z][\w'-]*(?: [A-Z][\w'-]*)*|.*[\u4e00-\u9fff].*)"),
        (r"how old are you|what(?:['’]s| is) your age|你(?:今年)?(?:多大|几岁|幾歲)",
         "age", True, r"(?P<v>\d{1,3}|[a-z]+(?:-[a-z]+)?|.*[岁歲])\b"),
        (r"where do you work|who do you work for|which company",
         "works_at", True, r"(?i:at |for )?(?P<v>[A-Z][\w&'-]*(?: [A-Z][\w&'-]*)*)"),
        (r"what do you do(?: for (?:a living|work))?\?|what(?:['’]s| is) your (?:job|role)",
         "role", True, r"(?i:i['’]m )?(?i:an? |the )?(?P<v>[A-Za-z][\w /-]{2,40})"),
        (r"allerg|过敏|過敏", "allergic_to", False, r"(?:yes,? )?(?:to )?(?P<v>[A-Za-z\u4e00-\u9fff][\w -]{1,30})"),
        (r"favou?rite (?P<what>\w+)", "favourite_", True, r"(?P<v>[\w][\w' -]{1,40})"),
        (r"which (?:editor|tool|language|framework|database|browser|shell|ide|os|distro)|what (?:editor|tool"
r"|language|framework|database|browser|ide|os) do you use",
         "uses", False, r"(?P<v>[A-Z][\w+#.]*(?: [A-Z][\w+#.]*)*|[a-z]+)"),
    )
)  # fmt: skip
_YES_NO = re.compile(r"(?:do|are|have|does|is) (?:you|your|we) (?P<rest>[^?]{3,120})\?", re.IGNORECASE)
_YES = re.compile(
    r"^(?:yes|yep|yeah|yup|i do|i am|i have|absolutely|definitely|indeed|sure do|of course)\b", re.IGNORECASE
)
_NO = re.compile(r"^(?:no|nope|nah|never|not really|not at all|not any ?more|i don['’]t|i['’]m not)\b", re.IGNORECASE)
_CONTENT = re.compile(r"[^\W_]{3,}|[\u3400-\u9fff]{2,}|\d")


def answer_facts(pieces: list[Piece], frame: Frame) -> list[Found]:
    """What a short answer says to the question before it; nothing where the question was an offer."""
    asked = _LAST.search(frame.asked) if frame.asked and not frame.asked.startswith("failed:") else None
    answer = pieces[0]
    if asked is None or len(answer.text) > 160:
        return []
    wanted = asked[0].strip()
    if _OFFER.match(wanted) or answer.text.rstrip().endswith(("?", "？")):
        return []
    if slots := _typed(wanted, answer.text, frame):
        return [_told(wanted, answer, frame, slot) for slot in slots]
    if small_talk(answer.text) or not _CONTENT.search(answer.text) or _YES.match(answer.text) or _NO.match(answer.text):
        return []
    if imperative(answer.text):
        return []
    return [_told(wanted, answer, frame, None)] if len(answer.text.split()) <= 14 else []


def _typed(wanted: str, answer: str, frame: Frame) -> list[Slot]:
    if about_deploying(wanted) and (slots := deploy_slots(answer, topical=True)):
        return slots
    for pattern, attribute, single, shape in _KINDS:
        match = pattern.search(wanted)
        if not match or shape is None or _NO.match(answer):
            continue
        given = shape.match(answer.strip())
        value = clip(given["v"]) if given else None
        if value is None:
            return []
        name = (
            attribute + match["what"].lower() if attribute.endswith("_") and "what" in match.groupdict() else attribute
        )
        return [Slot(name, value, single=single)]
    return _yes_no(wanted, answer, frame)


def _yes_no(wanted: str, answer: str, frame: Frame) -> list[Slot]:
    """`Do you like lychees?` `Yes, a lot.`"""
    match = _YES_NO.match(wanted)
    if not match or not (_YES.match(answer) or _NO.match(answer)):
        return []
    head = wanted.split(" ", 1)[0].lower()
    said = {"do": "I ", "are": "I am ", "have": "I have "}.get(head)
    if said is None or not wanted.lower().startswith(head + " you"):
        return []
    made = english.facts(Piece(said + match["rest"], 0), frame._replace(asked=None))
    return [one.slot._replace(negative=one.slot.negative != bool(_NO.match(answer))) for one in made if one.slot]


def _told(wanted: str, answer: Piece, frame: Frame, slot: Slot | None) -> Found:
    """The answer with its question: `Asked "Any budget?", Ana said: Under 6000 kroner.`"""
    said = answer.text.rstrip()
    stop = "" if said.endswith((".", "!", "。", "！", "…")) else "."
    return Found("fact", f'Asked "{wanted}", {frame.name} said: {said}{stop}', answer, frame.voice, slot)
