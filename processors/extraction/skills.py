"""Skills: what to do in which state, said as a rule, or shown by a failure and what worked after it."""

import re
from collections.abc import Callable

from eunoe.processors.extraction.draft import Found, Frame
from eunoe.processors.extraction.rewrite import named, sentence
from eunoe.processors.extraction.sentences import Piece
from eunoe.processors.extraction.values import LONGEST
from eunoe.processors.extraction.verbs import BASES, lemma, words

_TROUBLE = (
    r"(?:fail(?:s|ed|ure|ures|ing)?|break(?:s|age)?|broken?|crash(?:es|ed)?|errors?|die[sd]?|hang(?:s)?"
    r"|stuck|times? out|timeouts?|red|down"
    r"|slow|missing|undefined|refuse[sd]?|reject(?:s|ed)?|runs? out|out of (?:memory|disk|space)"
    r"|not (?:found|work(?:ing)?|start(?:ing)?)|doesn['’]t|won['’]t|can['’]t|can ?not|returns? \d{3}"
    r"|[45]\d\d|exception|conflicts?|leak(?:s)?|problem|issue|incident|outage|complains?|rejected|flak(?:y"
    r"|es)|freezes?|denied|expire[sd]?|full|corrupt(?:ed)?|wrong|stale|overflow(?:s)?|throttled"
    r"|rate[- ]limit(?:ed)?|says?|alerts?)"
)
_WHEN = re.compile(
    r"(?P<cue>if|when(?:ever)?|once|every time|each time|any time|in case(?: of)?|after|on|upon|before|for"
    r"|should) (?P<state>[^.!?;]{3,160}?)(?:, (?:then )?|: | then | – | - | -> | → )(?P<action>.{3,400})$",
    re.IGNORECASE | re.DOTALL,
)
_LATE = re.compile(
    r"(?P<action>.{6,300}?),? (?P<cue>if|when(?:ever)?|every time|each time|in case(?: of)?|as soon as"
    r"|on) (?P<state>[^.!?;]{3,160})$",
    re.IGNORECASE | re.DOTALL,
)
_SIDE = re.compile(
    r"(?P<action>.{4,250}?) (?P<state>(?:before|until|without|prior to|instead of|unless) .{3,200})$",
    re.IGNORECASE | re.DOTALL,
)
_TO_FIX = re.compile(
    r"to (?P<state>(?:fix|solve|avoid|get rid of|resolve|unblock|recover from|get around|work around|clear"
    r"|repair|prevent|reproduce|debug|speed up|undo|roll back)\b[^.!?;:]{2,140}?)(?:: "
    r"|, )(?P<action>.{3,300})$"
    r"|the (?:fix|trick|solution|workaround|way out|remedy"
    r"|cure) (?:for (?P<state2>[^.!?;]{2,140}?) )?(?:is|was)(?: to)?:? (?P<action2>.{3,300})$",
    re.IGNORECASE | re.DOTALL,
)
_UNTIL = re.compile(
    r"(?P<state>[^.!?;]{2,160}?) (?P<neg>(?:did ?n['’]t|did not|would ?n['’]t|never|only|wouldn['’]t"
    r"|refused to|kept failing|failed|kept crashing)(?: (?:work(?:ed)?|start(?:ed)?|pass(?:ed)?|build"
    r"|built|compile[d]?|deploy(?:ed)?|boot(?:ed)?|connect(?:ed)?|load(?:ed)?|run|ran|go through"
    r"|went through|come up|came up|respond(?:ed)?))?) (?:until|till|once|after) (?P<action>.{3,250})$",
    re.IGNORECASE | re.DOTALL,
)
_FIXED = re.compile(
    r"(?P<action>[^.!?;]{3,200}?) (?P<outcome>(?:fixed|solved|resolved|cured|unblocked|sorted out"
    r"|got rid of|did the trick|makes? it (?:green|pass|work)|made it (?:green|pass|work)|got it working"
    r"|brought it back|fixes|solves)(?: (?P<state>[^.!?;,]{2,120}))?)[.!]?$",
    re.IGNORECASE | re.DOTALL,
)
_AFTER = re.compile(
    r"(?:after|with) (?P<action>[^.!?;,]{3,120}?),? (?P<outcome>(?:it|everything|the (?:build|job|run|test"
    r"|deploy|page|service|crash(?=es)|crashe|error|warning|leak|timeout|failure)s?) (?:stopped"
    r"|disappeared|went away|are gone|is gone|works|worked|builds|built|passes|passed|runs|ran|is green"
    r"|was green"
    r"|started|starts|went through|goes through)\b.{0,80})$",
    re.IGNORECASE,
)
_LEARNED = re.compile(
    r"(?:i|we) (?:have )?(?:['’]ve )?(?:finally )?(?:learn(?:ed|t)|found out|figured out"
    r"|discovered)(?: the hard way)?(?: that| to|:) (?P<action>.{6,250}?)(?: after (?P<state>.{3,120}))?$"
    r"|(?:lesson learn(?:ed|t)|takeaway|rule of thumb|best practice|pro ?tip|tip|runbook"
    r"|note to self)(?: (?:from|after) (?P<state2>[^:]{3,120}))?: ?(?P<action2>.{6,300})$",
    re.IGNORECASE | re.DOTALL,
)
_POLITE = re.compile(
    r"^(?:(?:please|just|always|first|then|first of all|you (?:should|need to|have to|must|can|want to"
r"|ought to)|we (?:should|need to|have to|must|always|usually|first)|(?:i|one) (?:always|usually|first"
r"|should|have to|need to)|it helps to|it['’]s best to|best to|better|make sure (?:to|that you|you)"
r"|be sure to|try to|remember to|don['’]t forget to|never|do not|don['’]t|go and|immediately|also"
r"|simply|step \d:?|start by|begin by)[, ]+)*",
    re.IGNORECASE,
)  # fmt: skip
_FIRST_WORD = re.compile(r"[A-Za-z][\w-]*")
_DEICTIC = re.compile(
    r"^(?:it|that|this|them|those|me|us|him|her)\b|\b(?:for me|to me|tomorrow|tonight|today)\b", re.IGNORECASE
)
_NO_ACTION = words(
    "be see know think hope like love hate want need feel mean belong get thank wish prefer call have"
    " live believe understand"
)
_STATE_TEST = re.compile(rf"\b{_TROUBLE}\b|\b[45]\d\d\b", re.IGNORECASE)


def skills(core: Piece, frame: Frame) -> list[Found]:
    """The skills that one English sentence of a person or agent teaches."""
    text = core.text.rstrip(" .!")
    low = text.lower()
    for rule, hints in _SKILL_RULES:
        slots = rule(text, frame) if any(hint in low for hint in hints) else None
        if slots:
            told = named(core.text, frame.name)
            shown = sentence(told if frame.voice in told else f"{_who(frame)}: {told}")
            return [
                Found(
                    "skill", shown, core, None, None, None, 1.0, tuple((k, v[:LONGEST]) for k, v in slots.items() if v)
                )
            ]
    return []


def _who(frame: Frame) -> str:
    return frame.name[:1].upper() + frame.name[1:]


Parts = dict[str, str] | None


def _instruction(action: str, strict: bool = True, near: bool = False) -> bool:
    """Whether it tells to do something: a base verb that is a doing, after polite words."""
    bare = _POLITE.sub("", action)
    first = _FIRST_WORD.match(bare)
    if not first or len(bare.split()) < 2:
        return False
    word = first[0].lower()
    known = word in BASES and word not in _NO_ACTION
    unknown = not strict and lemma(word) is None and word.isalpha() and word not in ("a", "the", "i", "we", "it", "my")
    return (known or unknown) and not (strict and not near and _DEICTIC.search(bare[len(word) :].strip()))


def _conditional(text: str, frame: Frame) -> Parts:
    match = _WHEN.match(text)
    if not match:
        return None
    state, action, cue = match["state"], match["action"], match["cue"].lower()
    trouble = bool(_STATE_TEST.search(state))
    if cue in ("before", "for", "after", "should") and not (trouble or cue in ("before", "after")):
        return None
    person = re.match(r"(?:i|we|my)\b", state, re.IGNORECASE)
    if (person and not trouble) or (cue == "on" and not trouble and not re.search(r"ure$|ing$", state)):
        return None
    if re.search(r"\b(?:had|were|would|could)\b", state) and not trouble:
        return None
    if _instruction(action, near=trouble) or (
        trouble
        and re.match(
            r"(?:i|we|you) (?:\w+ )?(?:check|look|run|restart|rerun|roll|clear|try|read|open|ask|delete|revert|pin)\b",
            action,
            re.IGNORECASE,
        )
    ):
        return {
            "intent": state,
            "state": f"{match['cue']} {state}".lower() if cue in ("before", "after") else state,
            "action": action,
        }
    if trouble and re.match(r"(?:the )?(?:fix|answer|first thing|trick|solution)\b", action, re.IGNORECASE):
        return {"intent": state, "state": state, "action": action}
    return None


def _late(text: str, frame: Frame) -> Parts:
    match = _LATE.match(text)
    if not match or not _STATE_TEST.search(match["state"]) or not _instruction(match["action"]):
        return None
    if re.match(r"(?:i|we|my|you want|you like)\b", match["state"], re.IGNORECASE) and not re.search(
        r"fail|error|crash|break|broke", match["state"], re.IGNORECASE
    ):
        return None
    return {"intent": match["state"], "state": match["state"], "action": match["action"]}


def _to_fix(text: str, frame: Frame) -> Parts:
    match = _TO_FIX.match(text)
    if not match:
        return None
    state, action = match["state"] or match["state2"] or _last_failure(frame), match["action"] or match["action2"]
    if match["state"] and not _instruction(action, strict=False):
        return None
    return {"intent": state, "state": state, "action": action} if len(action.split()) > 1 else None


def _until(text: str, frame: Frame) -> Parts:
    match = _UNTIL.match(text)
    if not match or re.match(r"(?:i|he|she|they)\b", match["state"], re.IGNORECASE):
        return None
    verb = match["neg"].split()[-1].lower()
    if verb in ("never", "only", "didn't", "wouldn't", "to"):
        return None
    return {
        "intent": match["state"],
        "state": f"{match['state']} {match['neg']}",
        "action": match["action"],
        "outcome": "worked",
    }


def _learned(text: str, frame: Frame) -> Parts:
    match = _LEARNED.match(text)
    if not match:
        return None
    action, state = match["action"] or match["action2"], match["state"] or match["state2"] or ""
    return (
        {"intent": state or action, "state": state, "action": action}
        if _instruction(action, strict=False) or state
        else None
    )


def _fixed(text: str, frame: Frame) -> Parts:
    match = _AFTER.match(text) or _FIXED.match(text)
    if not match:
        return None
    action, failure = match["action"], _last_failure(frame)
    state = (match.groupdict().get("state") or "").strip()
    if state.lower() in ("it", "that", "this", "everything"):
        state = ""
    if re.match(
        r"(?:that|this|it|he|she|they|i|we|the (?:bug|issue|problem)s?)\b(?! \w+ing)", action, re.IGNORECASE
    ) or not (state or failure):
        return None
    if not re.match(r"(?:\w+ing\b|(?:a|the|an) \w+|[A-Z\w./-]+ \w+)", action):
        return None
    return {"intent": state or failure, "state": state or failure, "action": action, "outcome": match["outcome"]}


def _side(text: str, frame: Frame) -> Parts:
    """check the Actions run before touching prod."""
    match = _SIDE.match(text)
    if not match or not _instruction(match["action"]):
        return None
    doing = re.match(
        r"(?:before|without|instead of|prior to|until) (?:you |we |the |any |every |it )?\w+",
        match["state"],
        re.IGNORECASE,
    )
    bound = re.match(r".*\b(?:me|my|i)\b", match["action"] + " " + match["state"], re.IGNORECASE)
    if not doing or bound:
        return None
    return {"intent": match["state"], "state": match["state"], "action": text}


def _last_failure(frame: Frame) -> str:
    return frame.asked[7:] if frame.asked and frame.asked.startswith("failed:") else ""


_CUES = ("if ", "when", "once ", "time ", "in case", "after ", "on ", "upon ", "before ", "for ", "should ", "soon ")
# each rule with words one of which must be there: most sentences are none of it
_SKILL_RULES: tuple[tuple[Callable[[str, Frame], Parts], tuple[str, ...]], ...] = (
    (_to_fix, ("to ", "the fix", "the trick", "solution", "workaround", "way out", "remedy", "cure")),
    (_conditional, _CUES),
    (_late, _CUES),
    (_until, ("until", "till", "once", "after")),
    (
        _learned,
        ("learn", "found out", "figured", "discovered", "takeaway", "rule of", "practice", "tip", "runbook", "note to"),
    ),
    (
        _fixed,
        (
            "fix",
            "solve",
            "cure",
            "unblock",
            "sorted",
            "got rid",
            "trick",
            "green",
            "work",
            "pass",
            "back",
            "build",
            "run",
            "start",
            "went",
        ),
    ),
    (_side, ("before", "until", "without", "prior to", "instead of", "unless")),
)
