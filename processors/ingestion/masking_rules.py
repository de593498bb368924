"""What keys, tokens and passwords look like. Every pattern is bounded, so that time is linear in the text."""

import re
from collections.abc import Callable, Iterator

Found = tuple[int, int, str]  # start, end, kind
Rule = Callable[[str, str], Iterator[Found]]  # of the text and of the same in lower case (for hints)

# -- keys and tokens -----------------------------------------------------------------------------

_KEY_HINTS = (
    "sk-", "akia", "asia", "ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_", "xox", "xapp-", "aiza", "glpat-",
    "hf_", "npm_", "_live_", "_test_", "whsec_", "sg.", "ya29.", "dop_v1_", "pypi-", "gsk_",
)  # fmt: skip
_KEY = re.compile(
    r"(?<![A-Za-z0-9])(?:sk-(?:ant-|proj-|or-|svcacct-)?[A-Za-z0-9_-]{16,300}|(?:AKIA|ASIA)[0-9A-Z]{16}(?![0-9A-Za-z])"
    r"|gh[pousr]_[A-Za-z0-9]{20,255}|github_pat_[A-Za-z0-9_]{20,255}|xox[abeoprs]-[A-Za-z0-9-]{10,255}"
    r"|xapp-[A-Za-z0-9-]{10,255}|AIza[A-Za-z0-9_-]{30,64}|glpat-[A-Za-z0-9_-]{16,64}|hf_[A-Za-z0-9]{24,64}"
    r"|npm_[A-Za-z0-9]{30,64}|[rps]k_(?:live|test)_[A-Za-z0-9]{10,255}|whsec_[A-Za-z0-9]{16,128}|gsk_[A-Za-z0-9]{20,128}"
    r"|SG\.[A-Za-z0-9_-]{16,64}\.[A-Za-z0-9_-]{16,128}|ya29\.[A-Za-z0-9_-]{20,300}|dop_v1_[a-f0-9]{32,64}"
    r"|pypi-[A-Za-z0-9_-]{32,300})"
)
_PEM = re.compile(
    r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----(?:[^-]|-(?!----))*+"
    r"(?:-----END [A-Z0-9 ]{0,40}-----)?"
)
_JWT = re.compile(r"(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{8,4000}+\.[A-Za-z0-9_-]{8,8000}+(?:\.[A-Za-z0-9_-]{0,4000}+)?")
_BEARER = re.compile(r"(?i)(?<![a-z])(?:bearer|basic)\s{1,3}([A-Za-z0-9._~+/=-]{16,4000})")
_CONNECTION = re.compile(r"://[^\s:@/]{0,100}+:(?!\d{1,5}/)([^\s]{1,200})@(?=[^\s@])")
_STRONG = re.compile(
    r"(?i)(?:api[_ -]?key|access[_ -]?key(?:[_ -]id)?|account[_ -]?key|private[_ -]?key|signing[_ -]?key"
    r"|encryption[_ -]?key|secret(?:[_ -]?access)?(?:[_ -]?key)?"
    r"|(?<![a-z])(?:access|auth|refresh|session|bot|id|bearer)?[_ -]?token|credentials?)[\"'”]?"
    r"(?:\s{0,3}(?:=>|->|[:=：])|\s{1,3}(?:is|was))\s{0,3}[\"'“`]?"
    r"([A-Za-z0-9+/=_.~-]{8,4000})"
)
_WEAK = re.compile(r"(?i)(?<![a-z])key[\"'”]?\s{0,3}[:=]\s{0,3}[\"'“`]?([A-Za-z0-9+/=_.~-]{16,4000})")
_SEGMENT = re.compile(r"[A-Za-z0-9]+")


def _keys(text: str, lowered: str) -> Iterator[Found]:
    if any(hint in lowered for hint in _KEY_HINTS):
        for match in _KEY.finditer(text):
            if any(map(str.isdigit, match.group())) or len(match.group()) >= 40:
                yield *match.span(), "api key"
    if "private key" in lowered:
        yield from ((*match.span(), "private key") for match in _PEM.finditer(text))
    if "eyj" in lowered:
        yield from ((*match.span(), "token") for match in _JWT.finditer(text))


def _assigned(text: str, lowered: str) -> Iterator[Found]:
    if "bearer" in lowered or "basic" in lowered:
        for match in _BEARER.finditer(text):
            if any(map(str.isdigit, match.group(1))):
                yield *match.span(1), "token"
    if "://" in lowered:
        yield from ((*match.span(1), "password") for match in _CONNECTION.finditer(text) if _value(match.group(1)))
    if any(hint in lowered for hint in ("key", "secret", "token", "credential")):
        for pattern, least in ((_STRONG, 8), (_WEAK, 16)):
            for match in pattern.finditer(text):
                if looks_random(match.group(1), least):
                    yield match.start(1), match.start(1) + len(match.group(1).rstrip(".")), "api key"


def looks_random(value: str, least: int) -> bool:
    """Letters and digits mixed in one stretch of `least`, or a long run of mixed case: not a word, not a name."""
    digits, letters = any(map(str.isdigit, value)), any(map(str.isalpha, value))
    mixed = value.lower() != value != value.upper()
    if digits and letters:
        if mixed and len(value) >= max(least, 16):
            return True
        stretches = (match.group() for match in _SEGMENT.finditer(value))
        return any(len(s) >= least and not s.isdigit() and not s.isalpha() for s in stretches)
    return letters and value.isalpha() and len(value) >= (16 if mixed and not value[1:].islower() else 24)


KEYS: tuple[Rule, ...] = (_keys, _assigned)

# -- passwords -----------------------------------------------------------------------------------

_VALUE = (
    r"(?!\[withheld: )(?:\"(?P<double>[^\"\n]{1,200})\"|'(?P<single>[^'\n]{1,200})'|“(?P<curly>[^”\n]{1,200})”"
    r"|`(?P<tick>[^`\n]{1,200})`|(?P<bare>[^\s\"',;“”`]{1,200}))"
)
_FOR = r"(?:\s{1,3}(?:for|to|of|on|at|in)(?:\s{1,3}[\w'’.@/-]{1,40}+){1,6}?)?"
_NOUN = r"(?:pass(?:word|wd|phrase|code)|(?<![a-z0-9])(?:pwd|pw))"
_SET = re.compile(rf"(?i)(?:{_NOUN}|(?<![a-z0-9])pass)[\"'”]?{_FOR}\s{{0,3}}(?:=>|->|[:=：])\s{{0,3}}{_VALUE}")
_IS = re.compile(
    rf"(?i){_NOUN}{_FOR}\s{{0,3}}(?P<how>\s(?:is|was|to|will be)|['’]s|\?\s{{1,3}}it(?:['’]s| is))\s{{1,3}}"
    rf"(?:(?:now|still|currently|just|simply|literally|set to)\s{{1,3}})?{_VALUE}"
)
_PHRASE = re.compile(
    r"(?i)passphrase(?:\s{0,3}[:=]|\s{1,3}(?:is|was))\s{0,3}((?:[^\W\d_]{2,20}[ -]){2,11}[^\W\d_]{2,20})(?=[.,;!?\n]|$)"
)
_FOREIGN = re.compile(
    r"(?i)(?:mots? de passe|passwort|kennwort|contrase[ñn]a|senha|passord(?:et)?|lösenord(?:et)?|wachtwoord|пароль)"
    rf"(?:\s{{1,3}}[^\s\d:=\[]{{1,20}}+){{0,4}}?\s{{0,3}}(?P<how>[:=：]|(?<=\s)(?:est|ist|lautet|es|é|è|er|är|is)\s)\s{{0,3}}{_VALUE}"
)
_CJK = re.compile(
    r"(?:密码|密碼|口令|パスワード|비밀번호)[^\s，。,.;；!?！？「“\"\[]{0,12}?"
    r"(?:是|为|為|叫|改成|改为|改為|设成|设为|設成|設為|は|는|은|[:：=＝])\s{0,2}(?!\[withheld: )"
    r"(?:[「『“\"'](?P<quoted>[^」』”\"'\n]{1,64})[」』”\"']|(?P<bare>[!-~０-９Ａ-Ｚａ-ｚ]{3,64}))"
)
_PIN = re.compile(
    r"(?i)(?<![a-z])(?:pin(?: number)?|(?:door|gate|alarm|lock|security|access|unlock|entry|safe|verification) code"
    rf"|cvv2?|cvc2?){_FOR}\s{{0,3}}(?:is|was|[:=：])\s{{0,3}}[\"']?(?P<bare>\d{{3,8}})(?![\w%]|[.,]\d)"
)
_MEASURE = re.compile(r"(?i)\d{1,4}[- ]?(?:char|letter|digit|word|symbol|day|week|month|year|hour|min|sec|bit|time|%)")
_PLACEHOLDER = re.compile(
    r"(?i)[<{\[(]|\$[({]|\$[a-z_]{2,40}$|%[a-z(]|\*{2,}|x{3,}$|your[_-]|example|placeholder|os\.environ|process\.env"
    r"|env\.|self\.|[a-z_][\w.]{0,60}\($"
)
_PLAIN_WORDS = """a an the this that it its in on at by for from to of and or my your his her our their no not never too
so very really still always already also just what where when why how who here there below above see ask use if as with
without reset change set null none nil true false str string text bytes optional required mandatory needed any
annoying weak strong wrong right bad good better fine ok okay same old new long short different safe secure stored
saved hidden expired correct incorrect invalid valid unknown secret private public empty blank missing due gone lost
broken stupid ridiculous easy hard simple complex shared over up out done dead known kept sent written made hashed
something someone nothing everything anything hello yes nope sure"""
_PLAIN = frozenset(_PLAIN_WORDS.split())
_ENDINGS = ("ing", "ed", "able", "ible", "ous", "ive", "ful", "less", "ly", "ten", "ent", "ant", "ical")


def _value(text: str) -> str:
    """The value without the punctuation of its sentence; empty when it's a placeholder or code."""
    stripped = text.rstrip(".)]}>，。")
    return "" if _PLACEHOLDER.match(stripped) or not stripped else stripped


def _plain(word: str) -> bool:
    """An everyday word, as in "the password is annoying"."""
    lowered = word.lower()
    return lowered in _PLAIN or (word.isalpha() and lowered.endswith(_ENDINGS))


def _marked(value: str) -> bool:
    """Holds a digit or a symbol inside: no everyday word."""
    return not value.replace("'", "").replace("’", "").replace("-", "").isalpha() and not _MEASURE.match(value)


def _passwords(text: str, lowered: str) -> Iterator[Found]:
    if not ("pass" in lowered or "pw" in lowered):
        return
    for match in _PHRASE.finditer(text):
        if not _PLAIN - {"correct", "secret", "private"} & set(match.group(1).lower().replace("-", " ").split()):
            yield *match.span(1), "password"
    for pattern in (_SET, _IS):
        for match in pattern.finditer(text):
            span = _password_span(text, match, pattern is _SET)
            if span:
                yield *span, "password"


def _password_span(text: str, match: re.Match[str], assigned: bool) -> tuple[int, int] | None:
    """Where the password stands in a match of `_SET` or `_IS`; None when it says something about one."""
    group = match.lastgroup or "bare"
    value, start = _value(match.group(group)), match.start(group)
    end = start + len(value)
    if not value or _plain(value):
        return None
    if group != "bare" or assigned:
        return start, end
    if _marked(value):
        measure = value.isdigit() and (len(value) < 4 or _MEASURE.match(text, start))
        return None if measure else (start, end)
    closed = not text[end : end + 2].strip() or text[end] in ".,;!?)\n，。"
    return (start, end) if closed and match.group("how").strip().lower() != "to" else None


def _foreign(text: str, lowered: str) -> Iterator[Found]:
    if lowered.isascii() and not any(h in lowered for h in ("passe", "wort", "wacht", "contras", "senha", "passord")):
        return
    for match in _FOREIGN.finditer(text):
        group = match.lastgroup or "bare"
        value = _value(match.group(group))
        if value and (group != "bare" or _marked(value) or (match.group("how") in ":=：" and not _plain(value))):
            yield match.start(group), match.start(group) + len(value), "password"
    for match in _CJK.finditer(text):
        group = match.lastgroup or "bare"
        value, start = _value(match.group(group)), match.start(group)
        end = start + len(value)
        alone = not text[end : end + 2].strip() or (not text[end].isalnum() and not text[end].isspace())
        if value and (group == "quoted" or _marked(value) or alone):
            yield start, end, "password"


def _pins(text: str, lowered: str) -> Iterator[Found]:
    if "pin" in lowered or "code" in lowered or "cv" in lowered:
        yield from ((*match.span("bare"), "pin") for match in _PIN.finditer(text))


PASSWORDS: tuple[Rule, ...] = (_passwords, _foreign, _pins)
