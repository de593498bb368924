"""Statements in other languages: kept in the source's words behind the speaker's name, with a light gate."""

import re

from eunoe.processors.extraction.draft import Found, Frame
from eunoe.processors.extraction.sentences import Piece
from eunoe.processors.extraction.slot import Slot

_FIRST = re.compile(
    r"\b(?:je|j['’]\w+|mon|ma|mes|nous|ich|mein\w{0,2}|wir|jeg|mitt?|min|mine|vi|jag|yo|mi|mis|soy|estoy"
    r"|tengo|vivo|me gusta\w?|io|sono|ho|mio|mia|eu|meu|minha|sou|tenho|ik|mijn|wij|minä|я|мой|моя|мы"
    r"|у меня)\b|私|僕|俺|わたし|ぼく|저는|나는|제",
    re.IGNORECASE,
)
_ASKS = re.compile(
    r"^(?:est-ce que|qu['’]est-ce|quel(?:le)?s?|où|quand|comment|pourquoi|combien|qui est|peux-tu"
    r"|pouvez-vous|was|wer|wo|wann|wie|warum|wieso|welche[rsmn]?|kannst du|können sie|gibt es|hva|hvem"
    r"|hvor|når|hvordan|hvorfor|kan du"
    r"|¿|qué|quién|dónde|cuándo|cómo|por qué|cuál|puedes|che cosa|dove|perché|come si|puoi|vad|var finns"
    r"|hur|varför)\b|[かの]。?$|^¿|(?:ですか|ますか|でしょうか)",
    re.IGNORECASE,
)
_SUPPOSES = re.compile(
    r"^(?:si (?:j['’]|je|on|nous|yo|tuviera|fuera|pudiera)|et si|supposons|imagine|wenn (?:ich|wir"
    r"|es)\b.*\b(?:hätte|wäre|würde|könnte)|angenommen|hvis jeg|tenk om|om jag|ojalá|supongamos"
    r"|se (?:io )?(?:avessi|fossi|potessi)|もし|仮に)",
    re.IGNORECASE,
)
_ASKED_TO = re.compile(
    r"^(?:bitte|s['’]il (?:te|vous) pla[iî]t|por favor|vær så snill|kan du|vennligst|snälla)\b|(?:ください"
    r"|下さい|してね|お願いします)[。！]?$",
    re.IGNORECASE,
)
_WORD = re.compile(r"[^\W\d_]+(?:['’-][^\W\d_]+)*")
_JA = re.compile(r"[\u3041-\u30ff\u4e00-\u9fff]")
_NAME = r"[^\W\d_][\w-]*(?: [A-Z][\w-]*)?"
_V = r"(?P<v>[^,.;!?]{2,40}?)(?=[,.;!?]|$| (?:et|und|og|y|mais|aber|men|pero|depuis|seit|siden|desde)\b)"
_SLOTS = tuple(
    (re.compile(pattern, re.IGNORECASE), attribute, negative, single, moved)
    for pattern, attribute, negative, single, moved in (
        (rf"\bj['’]habite (?:à|en|au|aux|dans) {_V}|\bich wohne in {_V.replace('<v>', '<v2>')}|\bjeg bor (?:i"
rf"|på) {_V.replace('<v>', '<v3>')}|\b(?:yo )?vivo en {_V.replace('<v>', '<v4>')}", "lives_in", False, True, False),
        (rf"\bj['’]ai déménagé (?:à|en|au) {_V}|\bich bin nach {_V.replace('<v>', '<v2>')} (?:um)?gezogen"
rf"|\bjeg (?:har )?flytt?et til {_V.replace('<v>', '<v3>')}|\bme mudé a {_V.replace('<v>', '<v4>')}",
         "lives_in", False, True, True),
        (rf"\bje suis allergique (?:à la|à l['’]|aux?|à) ?{_V}"
rf"|\bich bin allergisch gegen {_V.replace('<v>', '<v2>')}"
rf"|\bjeg er allergisk mot {_V.replace('<v>', '<v3>')}|\bsoy alérgic[oa] (?:a la|a los|a las|al"
rf"|a) {_V.replace('<v>', '<v4>')}", "allergic_to", False, False, False),
        (rf"\bj['’](?:aime|adore) (?:beaucoup )?(?:les?|la|l['’])? ?{_V}|\bich (?:mag"
rf"|liebe) {_V.replace('<v>', '<v2>')}|\bjeg (?:liker|elsker) {_V.replace('<v>', '<v3>')}"
rf"|\bme gustan? (?:mucho )?(?:el|la|los|las)? ?{_V.replace('<v>', '<v4>')}", "likes", False, False, False),
        (rf"\bje (?:déteste|n['’]aime pas) (?:les?|la|l['’])? ?{_V}|\bich hasse {_V.replace('<v>', '<v2>')}"
rf"|\bjeg (?:hater|liker ikke) {_V.replace('<v>', '<v3>')}|\b(?:odio|no me gustan?) (?:el|la|los"
rf"|las)? ?{_V.replace('<v>', '<v4>')}", "likes", True, False, False),
        (rf"\bje travaille (?:chez|à) {_V}|\bich arbeite bei {_V.replace('<v>', '<v2>')}|\bjeg jobber (?:i|hos"
rf"|på) {_V.replace('<v>', '<v3>')}|\btrabajo en {_V.replace('<v>', '<v4>')}", "works_at", False, True, False),
        (rf"\bje m['’]appelle {_V}|\bich heiße {_V.replace('<v>', '<v2>')}"
rf"|\bjeg heter {_V.replace('<v>', '<v3>')}|\bme llamo {_V.replace('<v>', '<v4>')}", "name", False, True, False),
        (r"私は(?P<v>[^。、]{1,12})に住んで|(?P<v2>[^。、は]{1,12})に住んでいます", "lives_in", False, True, False),
        (r"(?P<v>[^。、は]{1,12})(?:アレルギー)", "allergic_to", False, False, False),
        (r"(?P<v>[^。、は]{1,12})が(?:大好き|好き)(?!では|じゃ)", "likes", False, False, False),
        (r"(?P<v>[^。、は]{1,12})が(?:大嫌い|嫌い|苦手)", "likes", True, False, False),
    )
)  # fmt: skip
_CHANGED = re.compile(
    r"\b(?:ne .{1,20} plus|maintenant|désormais|nicht mehr|jetzt|inzwischen|ikke lenger|ya no|ahora)\b"
    r"|今は|もう.{1,12}ない",
    re.IGNORECASE,
)

_RELATIVE = re.compile(
    r"(?:mon|ma|min|mitt|mi|mein|meine|il mio|la mia|o meu|a minha|mijn) (frère|sœur|soeur|mère|père|femme"
    r"|mari|fils|fille|copain|copine|amie?"
    r"|bror|søster|mor|far|kone|mann|sønn|datter|venn|venninne|syster|fru|man|son|dotter|vän|hermano"
    r"|hermana|madre|padre|esposa|esposo|mujer|marido"
    r"|hijo|hija|amigo|amiga|bruder|schwester|mutter|vater|frau|sohn|tochter|freund|freundin|kollege"
    r"|kollegin|chef|chefin|sjef|jefe|jefa|fratello|sorella)\b"
    r"(?: (?-i:([A-ZÀ-Þ][\w-]+)))?",
    re.IGNORECASE,
)


def facts(piece: Piece, frame: Frame) -> tuple[list[Found], str | None]:
    """The statement as a fact, or why it is none."""
    text = piece.text
    if text.rstrip(" \"'»”").endswith(("?", "？")) or _ASKS.search(text):
        return [], "question"
    if _SUPPOSES.match(text):
        return [], "hypothetical"
    if _ASKED_TO.search(text):
        return [], "request"
    if len(_WORD.findall(text)) < 3 and len(_JA.findall(text)) < 6:
        return [], "no_fact"
    mine = bool(_FIRST.search(text))
    other = _RELATIVE.match(text)
    if other:
        named = (("said_by", frame.voice), ("relation", f"{other[1].lower()} ({frame.voice})"))
        return [Found("fact", f"{frame.voice}: {text}", piece, other[2], slots=named)], None
    told = f"{frame.voice}: {text}"
    slots = _slots(text)
    if slots:
        return [Found("fact", told, piece, frame.voice, slot) for slot in slots], None
    more: tuple[tuple[str, str], ...] = () if mine else (("said_by", frame.voice),)
    return [
        Found("fact", told, piece, frame.voice if mine else None, slots=more, changed=bool(_CHANGED.search(text)))
    ], None


def _slots(text: str) -> list[Slot]:
    changed = bool(_CHANGED.search(text))
    found = []
    for pattern, attribute, negative, single, moved in _SLOTS:
        match = pattern.search(text)
        if match and (value := next((v for v in match.groupdict().values() if v), "").strip()):
            gone = changed and bool(re.search(r"\bplus\b|nicht mehr|ikke lenger|\bya no\b", text, re.IGNORECASE))
            found.append(Slot(attribute, value, negative != gone, single, changed or moved))
    return found
