"""Facts and skills from Chinese sentences, simplified and traditional, in the source's own characters."""

import re

from eunoe.processors.extraction import chinese_dates
from eunoe.processors.extraction.chinese_slots import slots_in
from eunoe.processors.extraction.draft import Found, Frame, Person
from eunoe.processors.extraction.gate import zh_hypothetical, zh_question
from eunoe.processors.extraction.people import meant
from eunoe.processors.extraction.sentences import Piece
from eunoe.processors.extraction.slot import Slot

RELATIONS = (
    "老婆|妻子|太太|老公|丈夫|先生|爱人|愛人|女朋友|男朋友|女友|男友|未婚妻|未婚夫|妈妈|媽媽|妈|媽|母亲"
    "|母親|爸爸|爸|父亲|父親|爸妈|爸媽|父母|哥哥|哥|弟弟|弟|姐姐|姊姊|姐|妹妹|妹"
    "|儿子|兒子|女儿|女兒|孩子|小孩|宝宝|寶寶|爷爷|爺爺|奶奶|外公|外婆|姥姥|姥爷|叔叔|阿姨|舅舅|姑姑|伯伯"
    "|表哥|表姐|表妹|表弟|堂哥|堂弟|侄子|侄女|外甥|岳父|岳母|公公|婆婆"
    "|朋友|同事|老板|老闆|经理|經理|上司|室友|邻居|鄰居|同学|同學|老师|老師|医生|醫生|狗|猫|貓"
)
_SHE = re.compile("老婆|妻|太太|女|妈|媽|母|姐|姊|妹|奶奶|婆|姨|姑|姥姥")
_HE = re.compile("老公|丈夫|先生|男|爸|父|哥|弟|儿子|兒子|爷|爺|外公|叔|舅|伯|公公")
_FULL_NAME = (
    r"[王李张張刘劉陈陳杨楊黄黃赵趙吴吳周徐孙孫马馬朱胡郭何林高罗羅郑鄭梁谢謝宋唐许許邓鄧冯馮韩韓曹曾彭萧蕭蔡潘田董袁余叶葉杜苏蘇魏程吕呂丁沈任姚卢盧傅钟鍾姜崔谭譚廖范汪陆陸金石戴贾賈韦韋夏邱方侯邹鄒熊孟秦白江"
    r"]"
    r"[\u4e00-\u9fff]{1,2}?(?=在|是|对|對|不|很|也|今|会|會|有|去|来|來|最|喜|讨|討|爱|愛|住|叫|要|想|刚"
    r"|剛|当|當|说|說)"
)
_SUBJECT = re.compile(
    rf"(?P<own>我们家?|我們家?|我家|我|咱们|咱們|咱|俺)?(?:的"
    rf"|家)?(?P<relation>{RELATIONS})(?:叫)?(?P<name>[A-Z][A-Za-zÀ-ɏ]*|[小阿][\u4e00-\u9fff]|{_FULL_NAME})?"
    r"|(?P<self>我们|我們|咱们|咱們|我自己|我本人|本人|我)|(?P<they>他们|她们|他們|她們|他|她|它|牠)"
    r"|(?P<named>[A-Z][A-Za-zÀ-ɏ]{1,20}|(?:小|阿|老)[\u4e00-\u9fff](?=[\u4e00-\u9fff]))"
)
_BEFORE_SUBJECT = re.compile(
    r"(?:其实|其實|所以|但是|但|而且|因为|因為|不过|不過|然后|然後|还有|還有|另外|听说|聽說|现在|現在|最近"
    r"|目前|以前|从小|從小|平时|平時|周末|週末|每天|每周|每週|[，,\s])+"
)
_CLAUSES = re.compile(r"[^，,；;：:、]*(?:、[^，,；;：:、]*)*[，,；;：:]?")
_SKILLS = (
    re.compile(
        r"(?:如果|要是|一旦|当|當|每次|每当|每當|遇到|碰到|万一|萬一)(?P<state>[^，,。]{2,60}?)(?:的时候"
        r"|的時候|(?<![超逾及延])[时時]|的话|的話)?[，,]?(?:就|那就|都)?(?P<action>(?:要|应该|應該|得|必须"
        r"|必須|记得|記得|请"
        r"|請)?(?:先|再|马上|馬上|立刻|立即|别|別|不要)[^。]{2,120})"
    ),
    re.compile(
        r"(?:如果|要是|一旦|当|當|遇到|碰到|万一|萬一)(?P<state>[^，,。]{0,40}(?:报错|報錯|失败|失敗|出错|出錯"
        r"|挂了|掛了|崩溃|崩潰|超时|超時|卡住|异常|異常|故障|不通|报警|報警|错误|錯誤|不够|不夠|問題|问题|冲突"
        r"|衝突|undefined|error|fail)[^，,。]{0,30}?)(?:的时候|的時候|(?<![超逾及延])[时時]|的话|的話)?[，,]?(?:就|那就"
        r"|可以)?(?P<action>[^我他她][^。]{2,120})",
        re.IGNORECASE,
    ),
    re.compile(
        r"(?P<state>[^，,。]{1,40}(?:报错|報錯|失败|失敗|出错|出錯|挂了|掛了|崩溃|崩潰|超时|超時|卡住"
        r"|故障)[^，,。]{0,10}?)(?:了|的时候|的時候|(?<![超逾及延])[时時]|之后|之後|后"
        r"|後)?[，,]?(?P<action>(?:就|要|应该|應該"
        r"|得|先|请|請|记得|記得|必须|必須)[^。]{2,120})"
    ),
    re.compile(
        r"(?:要|想要?)?(?:解决|解決|修复|修復|避免|排查)(?P<state>[^，,。]{2,60})[，,：:](?:就|要|需要|得|可以"
        r"|应该|應該)?(?P<action>[^。]{3,120})"
    ),
    re.compile(
        r"(?P<state>(?:部署|上线|上線|发布|發布|提交|合并|合併|重启|重啟|升级|升級|迁移"
        r"|遷移)[^，,。]{0,20}?(?:前|之前|后|後|之后|之後))[，,]?(?P<action>(?:一定)?(?:要|先|必须|必須|记得"
        r"|記得|得)[^。]{2,120})"
    ),
)
_PAST = re.compile(r"了|过|過|昨|上(?:个|個)?(?:周|週|星期|月)|去年|前")
_AHEAD = re.compile(r"要|打算|计划|計劃|准备|準備|会|會|下|明")
_CJK = re.compile(r"[\u3400-\u9fff]")
_DEMAND = re.compile(r"^(?:请|請|麻烦|麻煩|帮我|幫我|帮忙|幫忙|给我|給我|提醒我|把|让我们|讓我們)")
_REMEMBER = re.compile(r"^(?:请|請)?(?:记住|記住|记得|記得|注意|别忘了|別忘了)[，,：:]?")
_STANDING = re.compile(
    r"(?:以后|以後|今后|今後|从现在开始|從現在開始|每次|总是|總是|一律|请用|請用|请叫我|請叫我|叫我|请不要"
    r"|請不要|别用|別用|不要用|回答|回复|回覆)"
)
_FILLER = re.compile(
    r"^(?:(?:嗯+|哦+|噢+|啊+|对了|對了|那个|那個|其实|其實|说实话|說實話|老实说|老實說|顺便说一下"
    r"|順便說一下|好的?|谢谢|謝謝|是的|没错|沒錯|哈哈+|早上好|晚上好|你好|有个大消息|有個大消息|跟你说"
    r"|跟你說|告诉你|告訴你)[，,。！!：:\s]*)+"
)
_TELLING = re.compile(
    r"是|有|在|会|會|能|要|想|去|来|來|到|做|用|买|買|卖|賣|吃|喝|住|说|說|觉得|覺得|喜欢|喜歡|爱|愛|学|學"
    r"|工作|开|開|了|过|過|不|没|沒|得|把|被|让|讓"
)
_VACUOUS = re.compile(
    r"^(?:我)?(?:知道|明白|觉得(?:也)?是|也是|同意|不知道|想想|看看|试试|試試|没事|沒事|好了|可以|懂|懂了"
    r"|算了|来了|來了|回来了|回來了|在|好|要|不要|等等|考虑一下|考慮一下|先走了|去睡了)(?:了|吧|啊|哦"
    r"|呢)?[。！!…]*$"
)


def facts(piece: Piece, frame: Frame) -> tuple[list[Found], str | None]:
    """The facts of one Chinese sentence, or why there are none."""
    core = _body(piece)
    text = core.text
    if not text:
        return [], "no_fact"
    asked = zh_question(text)
    if zh_hypothetical(text):
        return [], "hypothetical"
    if not asked and _DEMAND.match(text) and not _REMEMBER.match(text) and not _STANDING.search(text):
        return [], "request"
    found = _slots(text, core, frame, asked)
    if found or asked:
        return found, None if found else "question"
    if _STANDING.search(text) and not re.match(r"我(?!要求|希望你)", text):
        return [
            Found("fact", _stop(f"{frame.voice}：{text}"), core, frame.voice, Slot("prefers", text.rstrip("。！!")))
        ], None
    return _plain(text, core, frame)


def skills(piece: Piece, frame: Frame) -> list[Found]:
    """遇到…先…, 如果…报错就…, 部署前要…"""
    core = _body(piece)
    if zh_question(core.text) or re.match(r"(?:如果|要是|假如)我(?:是|有|会|會|能)", core.text):
        return []
    for pattern in _SKILLS:
        if match := pattern.search(core.text):
            parts = (("intent", match["state"]), ("state", match["state"]), ("action", match["action"].rstrip("。！!")))
            text = _stop(f"{frame.voice}：{core.text}") if "我" not in core.text else _told(core.text, frame, None)
            return [Found("skill", text, core, slots=tuple((k, v[:160]) for k, v in parts))]
    return []


def _body(piece: Piece) -> Piece:
    match = _FILLER.match(piece.text)
    piece = piece.part(match.end() if match else 0, len(piece.text))
    note = _REMEMBER.match(piece.text)
    return piece.part(note.end(), len(piece.text)) if note and note.end() < len(piece.text) else piece


def _slots(text: str, core: Piece, frame: Frame, asked: bool) -> list[Found]:
    """Typed slots, clause by clause; a clause without a subject goes on with the one before."""
    found: list[Found] = []
    about, relation, shown = frame.voice, None, None
    known, kept = False, list[str]()
    for match in _CLAUSES.finditer(text):
        part = match[0]
        if len(part) < 2 or (asked and (zh_question(part) or match.end() == len(text))):
            continue
        who = _subject(part, frame)
        if who is not None:
            about, relation, pronoun = who
            known = True
            shown = shown or (about if pronoun else None)
        slots = slots_in(part)
        if not known and not slots:
            continue
        kept.append(part)
        when = chinese_dates.find(part, frame.day, _way(part)) if frame.day else []
        found += [
            _found(slot, core, about, relation, frame)._replace(when=when[0] if when else None)
            for slot in slots
            if known or slot.attribute in ("deploys_via", "allergic_to", "uses", "prefers")
        ]
    told = _told("".join(kept) if asked else text, frame, shown)
    return [one._replace(text=told) for one in found]


def _found(slot: Slot, core: Piece, about: str, relation: str | None, frame: Frame) -> Found:
    more: tuple[tuple[str, str], ...] = ()
    if about != frame.voice:
        more = (("said_by", frame.voice), *((("relation", relation),) if relation else ()))
    return Found("fact", "", core, about, slot, slots=more)


def _subject(clause: str, frame: Frame) -> tuple[str, str | None, bool] | None:
    """Whom a clause is about, their relation to the speaker, and whether a pronoun said so."""
    match = _SUBJECT.match(_from_subject(clause, frame))
    if not match:
        return None
    if relation := match["relation"]:
        own = f"{frame.voice}的{relation}"
        about = match["name"] or own
        frame.people.append(Person(about, _gender(relation), own))
        return about, own, False
    if match["self"]:
        return frame.voice, None, False
    if match["named"]:
        name = match["named"]
        frame.people.append(Person(name, None))
        return (name, None, False) if name != frame.voice else (frame.voice, None, False)
    wanted = "she" if match["they"].startswith("她") else "he" if match["they"].startswith("他") else None
    person = meant(wanted or "they", frame.people, frame.before)
    return (person.about, person.relation, True) if person else None


def _way(text: str) -> bool | None:
    """Whether a date without a year lies behind or ahead."""
    return True if _PAST.search(text) else False if _AHEAD.search(text) else None


def _from_subject(clause: str, frame: Frame) -> str:
    """The clause without the time and the connectives before its subject."""
    for _ in range(3):
        lead = _BEFORE_SUBJECT.match(clause)
        when = chinese_dates.find(clause[:16], frame.day) if frame.day else []
        start = lead.end() if lead else when[0].end if when and when[0].start == 0 else 0
        if not start:
            break
        clause = clause[start:]
    return clause


def people(text: str, voice: str) -> list[Person]:
    """The relatives and friends that a text names."""
    return [
        Person(m["name"] or f"{voice}的{m['relation']}", _gender(m["relation"]), f"{voice}的{m['relation']}")
        for m in _RELATIVE.finditer(text)
    ]


_RELATIVE = re.compile(rf"(?:我|我的|我家|咱)?(?P<relation>{RELATIONS})(?P<name>[A-Z][A-Za-zÀ-ɏ]*)?")


def _gender(relation: str) -> str | None:
    return "she" if _SHE.search(relation) else "he" if _HE.search(relation) else None


def _plain(text: str, core: Piece, frame: Frame) -> tuple[list[Found], str | None]:
    """A statement that matches no slot."""
    if (
        _VACUOUS.match(text)
        or len(_CJK.findall(text)) < 4
        or not (_TELLING.search(text) or len(_CJK.findall(text)) >= 8)
    ):
        return [], "no_fact"
    who = _subject(text, frame)
    if who is None and not (any(c.isdigit() for c in text) or len(_CJK.findall(text)) >= 8):
        return [], "no_fact"
    when = chinese_dates.find(text, frame.day, _way(text)) if frame.day else []
    about, relation, pronoun = who or (None, None, False)
    more: tuple[tuple[str, str], ...] = (("said_by", frame.voice),) if about != frame.voice else ()
    if relation:
        more += (("relation", relation),)
    told = _told(text, frame, about if pronoun else None)
    return [Found("fact", told, core, about, None, when[0] if when else None, slots=more)], None


def _told(text: str, frame: Frame, shown: str | None) -> str:
    """The sentence with the speaker named for 我 and a person for 他 or 她, dates in brackets."""
    when = chinese_dates.find(text, frame.day, _way(text)) if frame.day else []
    for one in reversed([w for w in when if w.relative]):
        text = f"{text[: one.end]}（{one.bracket[1:-1]}）{text[one.end :]}"
    if shown:
        text = re.sub(r"他们|她们|他們|她們|[他她]", shown, text, count=1)
    told = re.sub(
        rf"(?:我们|我們|咱们|咱們)(?:家)?的?(?={RELATIONS})|我家?(?:的)?(?={RELATIONS})|我的", f"{frame.voice}的", text
    )
    told = re.sub(r"(?:我们|我們|咱们|咱們)(?=公司|家|团队|團隊|组|組|学校|學校|部门|部門)", f"{frame.voice}的", told)
    told = re.sub(r"我们|我們|咱们|咱們", f"{frame.voice}等人", told)
    told = re.sub(r"我自己|我本人|(?<![自忘])我(?!国|國)", frame.voice, told)
    if frame.voice not in told:
        told = f"{frame.voice}：{told}"
    return _stop(told)


def _stop(text: str) -> str:
    bare = text.rstrip(" ，,；;、~～")
    return bare if bare.endswith(tuple("。！？!?.…」』")) else bare + "。"
