"""Words that carry nothing at the edges of an English sentence, and words that only say `note this`."""

import re

from eunoe.processors.extraction.sentences import Piece

_LEADING = re.compile(
    r"(?:(?:yeah|yea|yep|yup|yes|no|nope|nah|well|ok|okay|so|oh|ah|hey|hi|hello|um+|uh+|er|hm+|haha+|lol"
    r"|honestly|actually|basically|seriously|by the way"
    r"|btw|you know(?: what)?|i mean|like|look|listen|anyway|anyways|right|sure|thanks|thank you|true"
    r"|fun fact|just so you know|fyi|for the record|to be honest|tbh"
    r"|frankly|guess (?:what|who \w+ here now)|good news|bad news|great news|big news|news|update"
    r"|small celebration|of course|exactly|indeed|great|cool|nice|wow|man|dude|ha|heh|hmm"
    r"|also|and|but|plus|oh and|as i said|like i said|as you know|one more thing|another thing|first"
    r"|second|then|good morning|good evening|morning|evening"
    r"|alright|agreed|fine|sorry|unfortunately|luckily|sadly|funnily enough|in fact|fyi|ps|p\.s\."
    r"|note to self|correction|turns out(?: that)?|it turns out(?: that)?)(?:[,.!:;…]+ ?|\s*[-–—]+\s+"
    r"|(?<=so) |(?<=oh) |(?<=well) |(?<=yeah) |(?<=btw) |(?<=and) |(?<=but) |(?<=actually) |(?<=honestly) "
    r"|(?<=also) |(?<=tbh) |(?<=fyi) |(?<=the way) |(?<=of course) |(?<=turns out) |(?<=haha) |(?<=lol) "
    r"|(?<=um) |(?<=uh) |(?<=hey) |(?<=ok) |(?<=okay) |(?<=yes) |(?<=plus) |(?<=out that) |(?<=basically) "
    r"|(?<=anyway) |(?<=seriously) |(?<=then )(?=i ))\s*)",
    re.IGNORECASE,
)
_NOTE = re.compile(
    r"(?:please |pls |can you |could you )?(?:also )?(?:(?:write|add|put|say|mention) that|remember|note"
    r"|keep in mind|don['’]t forget"
    r"|be aware|bear in mind|write down|make a note|save|remember this|note this"
    r"|just remember)(?: for (?:later|next time|the future|all future \w+))?(?:(?<=that)| that|:|,)(?: that)? ?"
    r"|(?:one hard rule|two things[^:]{0,30}|one thing[^:]{0,20}|the thing is|fact is|the fact is"
    r"|what you should know is|you should know(?: that)?|just to let you know(?: that)?"
    r"|i (?:just )?want(?:ed)? (?:you )?to (?:say|know|mention|tell you)(?: that)?|i should (?:mention|say"
    r"|tell you)(?: that)?|i (?:must|have to) (?:say|admit)(?: that)?|did i mention(?: that)?"
    r"|i told you(?: that)?|let me tell you(?: that)?|rule|decision[^:]{0,30}|next|important|note|reminder"
    r"|fact|context|background)(?::|,)? (?=\S)",
    re.IGNORECASE,
)
_TRAILING = re.compile(
    r"(?:,? (?:you know|i mean|haha+|lol|btw|by the way|ha|tbh|to be honest|if you must know|please|thanks"
    r"|thank you|fyi|of course|i guess|just saying|for the record|obviously|literally|though)"
    r"| ?[:;]-?[)(DP]|[\U0001f300-\U0001faff\u2600-\u27bf\ufe0f\u200d]|\s)+(?P<stop>[.!…]*)$",
    re.IGNORECASE,
)
_OPINION = re.compile(
    r"(?:i (?:think|guess|believe|suppose|feel like)|i['’]m pretty sure|pretty sure"
    r"|i['’]d say) (?:that )?(?=(?:i|my|we|our)\b)",
    re.IGNORECASE,
)


_HEADED = re.compile(
    r"(?!.{0,40}(?:deploy|release|manual|hand))[^:.,;!?]{2,40}: (?=(?:I|my|we|our|he|she)\b)", re.IGNORECASE
)


def body(piece: Piece) -> Piece:
    """The sentence without fillers at its start and end."""
    text, start = piece.text, 0
    for _ in range(6):
        match = (
            _LEADING.match(text, start)
            or _NOTE.match(text, start)
            or _OPINION.match(text, start)
            or _HEADED.match(text, start)
        )
        if not match or match.end() <= start or match.end() >= len(text):
            break
        if text[match.start() : match.end()].lower() in ("like ", "no ", "first "):
            break
        start = match.end()
    end = len(text)
    trailing = _TRAILING.search(text, max(start, len(text) - 60))
    if trailing and trailing.start() > start + 3:
        end = trailing.start()
    return piece.part(start, end)
