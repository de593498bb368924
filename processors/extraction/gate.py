"""What a sentence is: small talk, a question, a hypothetical, a request, an injected instruction, or a statement."""

import re

from eunoe.processors.extraction.verbs import words

SMALL_TALK_WORDS = 9
_WORDS = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")
_SMALL = words(
    "hi hello hey hiya yo good morning afternoon evening night day thanks thank you thx ty cheers ta so"
    " much very a lot many again ok okay k kk cool nice great perfect awesome lovely wonderful fantastic"
    " brilliant amazing excellent wow yes no yep yup yeah nope nah sure bye goodbye see ya later soon"
    " take care haha hahaha hehe lol lmao xd hmm hm mm mhm ah oh uh um well done got it will do of course"
    " absolutely exactly indeed right fine alright all please sorry welcome you're youre np problem"
    " worries pleasure my anytime how are doing what's whats up sup sounds there everyone guys team folks"
    " agreed deal noted understood go on ahead tomorrow monday then weekend too have has back congrats"
    " congratulations happy birthday to and i'm talk catch in for salut bonjour bonsoir merci beaucoup au"
    " revoir hallo guten tag morgen abend danke schön sehr tschüss bitte hola gracias buenos días buenas tardes"
    " noches adiós hei takk god ha det ciao grazie obrigado ja nein oui non si nei de rien nada gern"
    " geschehen vielen dank bis bald à bientôt mange tusen"
)
_EMPTY_SMALL = words("tomorrow monday weekend have back my and to team i'm for in")
_ZH_SMALL = re.compile(
    r"(?:好的?|谢谢|謝謝|多谢|多謝|感谢|感謝|你好|您好|大家好|嗨|哈[喽囉啰]|早上好|早安|早|上午好|中午好"
    r"|下午好|晚上好|晚安|再见|再見|拜拜|嗯+|哦+|噢+"
    r"|啊+|呵呵+|哈哈+|嘿嘿+|辛苦了?|不客气|不客氣|没问题|沒問題|没事|沒事|收到|先这样|先這樣|可以|行|对"
    r"|對|是的|当然|當然|明白了?|知道了?|了解|"
    r"太好了|太棒了|真好|很好|不错|不錯|完美|明天见|明天見|回头见|回頭見|吧|了|啦|呢|呀|你|您|非常|那|就"
    r"|ok|OK|[\s,，.。!！~～、…^_:;)(（）]"
    r"|こんにちは|おはよう(?:ございます)?|こんばんは|ありがとう(?:ございます)?|おやすみ(?:なさい)?|はい"
    r"|いいえ|了解です|さようなら|お疲れ様(?:です|でした)?)*+"
)
_WH = r"(?:what(?:['’]s)?|who(?:['’]s)?|whose|whom|where(?:['’]s)?|why|how(?:['’]s)?|which)"
_PERSON = (
    r"(?:i|you|we|he|she|it|they|anyone|anybody|someone|there|the|my|your|our|his|her|their|this|that"
    r"|these|those|(?-i:[A-Z]\w+))"
)
_QUESTION = re.compile(
    rf"(?:{_WH} (?!(?:i|we|he|she|they|you|it|my|the|reminds|means|was|is|makes|brings|explains|helps"
    rf"|leaves|is more|matters|means|is why|makes)\b)\w"
    rf"|(?:when|{_WH}(?: \w+){{0,2}}) (?:do|does|did|is|are|was|were|will|can|could|should|would|has|have) {_PERSON}\b"
    rf"|(?:is|are|was|were|does|did|can|could|will|would|should|shall|may(?= i\b| we\b)|has|am|isn['’]t|aren['’]t"
    rf"|doesn['’]t|don['’]t you"
    rf"|didn['’]t|can['’]t|couldn['’]t|won['’]t) {_PERSON}\b(?! (?:be|please)\b)"
    rf"|(?:do|have) (?:you|i|we|they)\b|any (?:idea|chance|news|thoughts)\b|{_WH} about\b"
    r"|(?:i wonder|i was wondering|wondering|i['’]d like to know|not sure) (?:if|whether|what|how|why|who"
    r"|where|when|which)\b"
    r"|(?:can|could|would) you\b|(?:please )?(?:tell|show|remind|explain) me (?:what|how|why|who|where"
    r"|when|which|if|whether|about)\b)",
    re.IGNORECASE,
)
_TAG = re.compile(
    r",? ?\b(?:right|remember|ok|okay|you know|yeah|yes|no|eh|huh|isn['’]t (?:it|that)|don['’]t (?:i|we"
    r"|you)|aren['’]t (?:i|we)"
    r"|doesn['’]t (?:he|she|it))\?+$",
    re.IGNORECASE,
)
_TAIL = re.compile(r"[\s\"'”’」』)）*_~]+$")
_QUESTION_CLAUSE = re.compile(
    rf"(?:, |,? (?:and|but|so) | [-–—] )(?=(?:{_WH}|when|do|does|did|is|are|was|were|can|could|will|would"
    rf"|should|shall|any|has|have"
    r"|what|isn['’]t|doesn['’]t|don['’]t)\b)",
    re.IGNORECASE,
)
_HYPOTHETICAL = re.compile(
    r"(?:what if|if only|suppose|supposing|imagine|let['’]s (?:say|imagine|pretend|assume)|say (?:i|we)\b"
    r"|assuming|hypothetically"
    r"|in theory|in a perfect world|i wish|we wish|i['’]d rather not say|unless\b|as if|pretend|provided that)\b",
    re.IGNORECASE,
)
_IF = re.compile(r"\b(?:if|unless|were|had i)\b", re.IGNORECASE)
_WOULD = re.compile(r"\b(?:would|could|might|['’]d|wouldn['’]t|couldn['’]t)\b|['’]d\b", re.IGNORECASE)
_POLITE = re.compile(r"\b(?:would|['’]d) (?:like|love|prefer|rather|appreciate)\b", re.IGNORECASE)
_STRONG_INJECTION = re.compile(
    r"(?:ignore|disregard|forget|override)\b.{0,30}\b(?:previous|prior|above|earlier|preceding|system|your)\b.{0,20}"
    r"\b(?:instructions?|prompts?|rules?|messages?|guidelines?)"
    r"|\bsystem (?:note|message|prompt|override)\b.{0,30}\b(?:assistants?|agents?|ai|models?|llms?)\b"
    r"|\b(?:do not|don['’]t|never) (?:mention|tell|reveal|show|say|disclose)\b.{0,30}\b(?:to )?the user\b"
    r"|\byou are now (?:a|an|in|the|dan)\b|\bnew (?:system )?instructions?:|<\|?(?:system|im_start)"
    r"|\[/?(?:INST|system)\]"
    r"|忽略.{0,10}(?:之前|以上|上述|先前|前面).{0,10}(?:指令|指示|规则|規則|提示)|不要告[诉訴]用[户戶]",
    re.IGNORECASE,
)
_HINTS = (
    "ignore",
    "disregard",
    "forget",
    "override",
    "system",
    "user",
    "you are now",
    "instruction",
    "[inst",
    "<|",
    "im_start",
    "忽略",
    "用户",
    "用戶",
)
_INJECTION = re.compile(
    r"\b(?:always|never|must|make sure|from now on|remember|memori[sz]e|store|save)\b.{0,120}"
    r"\b(?:account|refunds?|future|all sessions|every session|permanent(?:ly)?|memory|send|forward"
r"|transfer|password|credentials?|instructions?)\b"
    r"|\b(?:for|in) (?:all|any|every) (?:future )?(?:sessions?|conversations?|chats?)\b|\b(?:assistants?"
r"|ai agents?|llms?)\b.{0,30}\b(?:must|should|shall)\b"
    r"|(?:记住|記住|以后|以後|今后|今後|务必|務必|始终|始終).{0,40}(?:账户|帳戶|退款|转账|轉帳|所有会话"
r"|所有對話|发送|發送)",
    re.IGNORECASE,
)  # fmt: skip
_ZH_HYPOTHETICAL = re.compile(
    r"^(?:.{0,4}[，,])?(?:如果|要是|假如|假设|假設|假使|倘若|若是|万一|萬一|要不是|多希望|但愿|但願|真希望"
    r"|想象一下|想像一下)|(?:的话|的話)[，,]?(?:就|我会|我會)|就好了"
)
_ZH_QUESTION = re.compile(
    r"吗|嗎|呢[?？]?$|什么|什麼|哪[里裡个個家些儿兒天年种種位]|怎么|怎麼|怎样|怎樣|多少"
    r"|几[点點个個岁歲时時]|幾[點個歲時]|为什么|為什麼|为何|為何|是否|是不是|能不能|可不可以|有没有|有沒有"
    r"|要不要|会不会|會不會|谁|誰"
)
_ZH_STATED = re.compile(r"(?:什么|什麼|谁|誰|怎么|怎麼|多少|哪里|哪裡)[^，。]{0,6}都|没什么|沒什麼|不怎么|不怎麼")


def small_talk(text: str) -> bool:
    """Greetings, thanks, acknowledgements, laughter, or no letters at all."""
    if text.isascii():
        words = _WORDS.findall(text.lower())
        return len(words) <= SMALL_TALK_WORDS and all(map(_SMALL.__contains__, words)) and not _only_content(words)
    if _ZH_SMALL.fullmatch(text):
        return True
    words = _WORDS.findall(text.lower().replace("’", "'"))
    return len(words) <= SMALL_TALK_WORDS and all(map(_SMALL.__contains__, words)) and not _only_content(words)


def _only_content(words: list[str]) -> bool:
    """Words that stand in greetings but alone are an answer: Monday."""
    return bool(words) and all(map(_EMPTY_SMALL.__contains__, words))


def question(text: str) -> bool:
    """Whether an English sentence asks, with or without its mark; a statement with a tag (`…, right?`) doesn't."""
    bare = _TAIL.sub("", text)
    if bare.endswith(("?", "？")):
        return not (_TAG.search(bare) and not _QUESTION.match(bare))
    return bool(_QUESTION.match(bare))


def before_question(text: str) -> int:
    """Where the question of a sentence begins, when a statement stands before it; 0 when none does."""
    for match in _QUESTION_CLAUSE.finditer(text):
        return match.start()
    return 0


def without_tag(text: str) -> str:
    """A statement without the question tag behind it."""
    return _TAG.sub(".", text)


def hypothetical(text: str) -> bool:
    """Whether an English sentence speaks of what isn't so: `if I had…, I would…`, `suppose…`, `I wish…`."""
    if _HYPOTHETICAL.match(text):
        return True
    found = _IF.search(text)
    if not found:
        return False
    if found.start() == 0 and text[:2].lower() == "if":
        return True
    return bool(_WOULD.search(text)) and not _POLITE.search(text)


def injected(text: str, trusted: bool) -> bool:
    """Whether a text reads like instructions smuggled in; from a person only what no person would mean."""
    low = text.lower()
    if any(hint in low for hint in _HINTS) and _STRONG_INJECTION.search(text):
        return True
    return not trusted and bool(_INJECTION.search(text))


def zh_hypothetical(text: str) -> bool:
    """如果…就好了, 假设…"""
    return bool(_ZH_HYPOTHETICAL.search(text))


def zh_question(text: str) -> bool:
    """Whether a Chinese clause asks."""
    return text.rstrip().endswith(("?", "？")) or (bool(_ZH_QUESTION.search(text)) and not _ZH_STATED.search(text))
