"""Standing instructions: `always reply briefly`, `call me Jo`, `use tabs in Go code`. One-off requests aren't kept."""

import re

from eunoe.processors.extraction.draft import Found, Frame
from eunoe.processors.extraction.rewrite import sentence
from eunoe.processors.extraction.sentences import Piece
from eunoe.processors.extraction.slot import Slot
from eunoe.processors.extraction.verbs import BASES, words

_ALWAYS = re.compile(
    r"\b(?:always|never|from now on|in (?:the )?future|by default|whenever|every time|at all times"
    r"|going forward|as a rule|for all future|without exception|unless i (?:say|ask))\b",
    re.IGNORECASE,
)
_DONT = re.compile(
    r"^(?:please )?(?:don['’]t|do not|never|no more|stop|avoid|refrain from|quit) (?:ever )?(?P<verb>\w+)",
    re.IGNORECASE,
)
_STYLE = re.compile(
    r"^(?:please )?(?:(?:call|address) me (?!back|when|if|at|on|later|tomorrow|again|an?\b)(?:by |as )?\w+"
    r"|(?:answer|reply|respond|talk|speak|write)(?: to me)? (?:\w+ )?(?:in|with|briefly|concisely|formally"
    r"|informally|shortly|politely|as|using|only|without)\b"
    r"|(?:use|prefer|stick to|indent with|format (?:code|dates?|numbers|answers|replies|output|times?)"
    r"|keep (?:it|things|your|the|answers|replies|responses|messages|code|comments|commits?)) (?!(?:this"
    r"|that|it|these|those|the first|the second|the last)\b)\w+"
    r"|keep (?:answers|replies|responses|it|things|messages|explanations) (?:short|brief|simple|concise"
    r"|formal|casual)|be (?:brief|concise|direct|honest|formal|polite)"
    r"|(?:no|skip the|drop the|leave out the?) (?:emojis?|jargon|small talk|apologies|bullet points"
    r"|exclamation marks|comments|swearing|markdown))\b",
    re.IGNORECASE,
)
_ONE_OFF = re.compile(
    r"\b(?:this (?:one|time)|for (?:this|now|today)|right now|tonight|tomorrow|it here|just this once"
    r"|the (?:first|second|last|next) one)\b|\b(?:touch|change|delete|forget|print|do|worry|mind|ask"
    r"|tell) (?:it|that|this|them|anyone)?$",
    re.IGNORECASE,
)
_POLITE = re.compile(
    r"^(?:(?:please|and please|pls|kindly|can you|could you|would you|just|also|i want you to"
    r"|i['’]d (?:like you to|rather you)|i need you to|you (?:should|must|have to)|make sure (?:to|that you|you)|try to"
    r"|be sure to|in future|in the future|from now on|going forward|by default|for (?:code|dates"
    r"|the future|future \w+)|when (?:writing|answering|replying|coding)[^,]{0,30})[,:]? )+",
    re.IGNORECASE,
)
_NEED_YOU = re.compile(r"(?:now |then |so |but |and )?i (?:need|want|would like|expect) you to\b", re.IGNORECASE)
_WORD = re.compile(r"[a-z]+", re.IGNORECASE)
_FORGET = words("worry mind bother forget panic ask laugh tell think know")


def imperative(text: str) -> bool:
    """Whether an English sentence tells somebody to do something."""
    if _NEED_YOU.match(text):
        return True
    bare = _POLITE.sub("", text)
    if _DONT.match(bare) or (bare != text and not re.match(r"(?:i|we|my|it|he|she|they|the)\b", bare, re.IGNORECASE)):
        return True
    first = _WORD.match(bare)
    if not first:
        return False
    word = first[0].lower()
    if word in ("last", "back", "may", "can", "will", "live", "like", "love", "hate", "prefer", "need", "want"):
        return False
    if word in ("always", "let") or bare.lower().startswith("let's"):
        return True
    following = _WORD.match(bare, first.end() + 1)
    return word in BASES and not (
        following and following[0].lower() in ("is", "are", "was", "has", "will", "said", "likes", "can")
    )


def standing(core: Piece, frame: Frame) -> list[Found]:
    """The lasting preference of the speaker in an instruction; none where it is for once."""
    text = core.text
    please = _POLITE.match(text)
    bare = text[please.end() :] if please else text
    lasting = bool(_ALWAYS.search(text)) or bool(_STYLE.match(bare))
    dont = _DONT.match(bare)
    if dont and not lasting:
        lasting = (
            dont["verb"].lower() not in _FORGET
            and len(bare.split()) >= 3
            and not re.search(r"\b(?:it|that|this|them)\b", bare)
        )
    if dont and dont["verb"].lower() in _FORGET:
        return []
    if not lasting or _ONE_OFF.search(text.rstrip(".! ")) or len(bare.split()) < 2:
        return []
    if not (imperative(text) or _STYLE.match(bare)):
        return []
    value = text.rstrip(" .!") if _ALWAYS.search(text[: please.end()] if please else "") else bare.rstrip(" .!")
    told = sentence(f"{frame.name[:1].upper()}{frame.name[1:]} asks: {value}")
    more = (("called", m[1]),) if (m := re.match(r"call me (\w+)", bare, re.IGNORECASE)) else ()
    return [Found("fact", told, core, frame.voice, Slot("prefers", value[:160], more=more))]
