"""How something is brought out: `ships through GitHub Actions, never by hand`, in many wordings, and the like."""

import re

from eunoe.processors.extraction.slot import Slot
from eunoe.processors.extraction.verbs import lemma, words

_ACT = re.compile(
    r"\b(?:deploy(?:s|ed|ing|ment|ments)?|ship(?:s|ped|ping)?|releas(?:e|es|ed|ing)|roll(?:s|ed"
    r"|ing)?[- ]?outs?|roll(?:s|ed|ing)? (?:it|them|things|everything|stuff|changes|updates|new versions"
    r"|builds?) out"
    r"|(?:push|go|get|bring|take|reach|head|make it|land|deliver)(?:es|s|ed"
    r"|ing)?\b[^.;]{0,40}\b(?:prod(?:uction)?|live|out)|(?:to|into|in|reaches|on) prod(?:uction)?"
    r"|publish(?:es|ed|ing)?|prod (?:pushes|changes|deploys))\b"
    r"|\bgoes? (?:out|live)\b",
    re.IGNORECASE,
)
_NAME = (
    r"(?:[A-Z][\w+-]*(?:\.[\w]+)*(?:[ /](?:CI/CD|[A-Z][\w+-]*))*|[\w-]+\.(?:sh|py|yml|yaml|io)"
    r"|make [a-z]+|(?:fabric|ansible|terraform|helm|jenkins|argo|argocd|flux|spinnaker|kubectl|capistrano"
    r"|docker compose)\b)"
)
_TOOL = rf"(?P<tool>{_NAME})"
_THROUGH = re.compile(
    r"(?:\b(?i:through|via|with|using|by way of|by means of|over|on|from|by|use|uses|used|trust|into|rely on)"
    r"|(?:['’]s|\b(?:is|are|be))(?: (?:always|only|just|all|exclusively|done|run|handled|by|through))*)"
    rf"(?: (?:the|our|a|my|an))? {_TOOL}(?! (?:said|asked|told|wants))"
)
_DOER = re.compile(
    rf"(?:^|[,;:] |\b(?:let|have|lets|because|that|but|and|it['’]s) )(?:the |our )?{_TOOL}(?:['’]s)?"
    r" (?:pipelines? |workflows? |jobs? )?(?:always |now |just |also |that |which |is what |is how (?:we "
    r"|[Ii] )|is the (?:only )?(?:one|thing|way)"
    r" (?:that |to |we |[Ii] )?|does |do |handles? |handle |runs? |takes? care of |takes? |puts? |pushes "
    r"|gets? |manages? )*"
    r"(?:all |every |my |our |the |of )*(?:deploy|ship|release|roll|publish|prod|things to prod|everything)"
)
_MANUAL = re.compile(
    r"\b(?P<v>by hand|manual(?:ly)?|hand[- ]?(?:deploy|rolled|deployed|deploys|made)|from (?:my|a|the|our"
    r"|your|any(?:one|body)['’]s|some(?:one|body)['’]s|one['’]s|their) (?:own )?(?:laptop|machine|computer"
    r"|desk|terminal|shell|notebook)s?|hands[- ]on)\b",
    re.IGNORECASE,
)
_DENIED = re.compile(
    r"\b(?:never|not|no|nothing|none|without|rather than|instead of|nobody|no one|nor|zero|refuse|avoid"
    r"|don['’]t|doesn['’]t|isn['’]t|aren['’]t|won['’]t|wouldn['’]t|can['’]t|didn['’]t|hate|against"
    r"|forbidden|banned|stopped|no longer|gave up|quit|cannot)\b[^.;!?]{0,45}$",
    re.IGNORECASE,
)
_TOOL_DENIED = re.compile(
    r"\b(?:never|not|don['’]t|doesn['’]t|no longer|stopped|instead of|rather than|isn['’]t|aren['’]t)\b[^,.;!?]{0,40}$",
    re.IGNORECASE,
)
_ONLY = re.compile(
    r"\b(?:except|other than|anything but|unless|if not|without going|outside|apart from|besides|until it"
    r"|till it)\b[^,.;]{0,20}$",
    re.IGNORECASE,
)
_NOT_TOOLS = words(
    "I Monday Tuesday Wednesday Thursday Friday Saturday Sunday January February March April May June"
    " July August September October November December Europe Prod Production The My Our We It"
    " All Every For By At In On With From Via Through Everything Nothing Only Never Always No Not And But So Each Any"
    " This That"
    " Production Deploys Deployments Releases Releasing Deploying Shipping Git"
)
_HINTS = ("deploy", "ship", "releas", "roll", "prod", "publish", "live", "out")
_WAYS = (" by ", " via ", " with ", " through ", " using ", " over ")
_VIA = re.compile(
    r"\b(?P<verb>pay|commute|travel|test|build|back up|communicate|pays|commutes|travels|tests|builds"
    r"|backs up)\b[^,.;]{0,30}?\b(?:by|via|with|through|using|over) (?P<v>[\w][\w +./-]{1,30}?)(?=,|\.|;|$"
    r"| (?:and|but|never|because|every|to|from|in|on)\b)",
    re.IGNORECASE,
)
_NEVER = re.compile(
    r"\b(?:never|not) (?:by |via |with |through |using |over |in )?(?P<v>[\w][\w +./-]{1,30}?)(?=,|\.|;|$"
    r"| (?:and|but|because)\b)",
    re.IGNORECASE,
)


def about_deploying(text: str) -> bool:
    """Whether a text speaks of bringing software out."""
    return bool(_ACT.search(text))


def deploy_slots(text: str, topical: bool = False) -> list[Slot]:
    """Tools that it goes out through, and `manually`, each with its negation.

    topical: it is what was asked about.
    """
    low = text.lower()
    if not (topical or (any(hint in low for hint in _HINTS) and _ACT.search(text))):
        return []
    slots: list[Slot] = []
    for match in [*_THROUGH.finditer(text), *_DOER.finditer(text)]:
        tool = match["tool"].rstrip(".")
        if _no_tool(tool, match.start("tool")) or any(s.value == tool for s in slots):
            continue
        before = text[: match.start("tool")]
        denied = bool(_TOOL_DENIED.search(before)) and not _ONLY.search(before) and "only" not in before[-20:].lower()
        changed = denied and bool(re.search(r"no longer|stopped|instead of", before, re.IGNORECASE))
        slots.append(Slot("deploys_via", tool, negative=denied, changed=changed))
    manual = _MANUAL.search(text)
    if manual:
        before = text[: manual.start()]
        own_machine = manual["v"].lower().startswith("from") and bool(slots) and not _DENIED.search(before)
        if not own_machine:
            slots.append(
                Slot("deploys_via", "manually", negative=bool(_DENIED.search(before)), changed="instead of" in before)
            )
    return slots


def _no_tool(tool: str, start: int) -> bool:
    """A capitalised word that names no tool: a day, or the sentence's first word."""
    first = tool.split(maxsplit=1)[0]
    return first in _NOT_TOOLS or (start == 0 and " " not in tool and lemma(first.lower()) is not None)


def way_slots(text: str) -> list[Slot]:
    """The same for other doings: pays by card, never cash; commutes by bike."""
    match = _VIA.search(text) if any(way in text for way in _WAYS) else None
    if not match:
        return []
    verb = match["verb"].lower().split()[0]
    attribute = f"{verb if verb.endswith('s') else verb + 's'}_via"
    slots = [
        Slot(
            attribute,
            match["v"].strip(),
            negative=bool(re.search(r"\b(?:never|not|don['’]t|doesn['’]t)\b", text[: match.start()])),
        )
    ]
    never = _NEVER.search(text, match.end())
    return slots + ([Slot(attribute, never["v"].strip(), negative=True)] if never else [])
