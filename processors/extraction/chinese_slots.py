"""Typed slots from a Chinese clause."""

import re

from eunoe.processors.extraction.slot import Slot

_STOP = r"，,。；;！!？?、\s"
_V = rf"\s?(?P<v>[^{_STOP}]{{1,24}}(?: [A-Z][\w.+-]*){{0,3}})"
_END = re.compile(r"(?:这|這)?(?:了|啊|呢|吧|啦|呀|哦|嘛|喔|而已|了吧|的人|起来|起來)+$")
_CHANGED = re.compile(
    r"不再|再也不|再也没|现在|現在|改用|改成|改为|改為|换成|換成|换到|換到|搬到|搬去|搬家|已经不|已經不"
    r"|不[^，。]{1,8}了|调到|調到|升[为為任]|转到|轉到|转岗|戒了|以前|曾经|曾經|跳槽"
)
_RULES: tuple[tuple[str, str, bool, bool], ...] = (
    # pattern, attribute, several values, one value at a time
    (rf"对{_V}(?:严重|嚴重)?过敏|對(?P<v2>[^{_STOP}]{{1,24}})(?:严重|嚴重)?過敏", "allergic_to", True, False),
    (r"(?:我|他|她)?(?:太太|老婆)?(?P<v>花生|海鲜|海鮮|牛奶|坚果|堅果|花粉|青霉素|虾|蝦|鸡蛋|雞蛋)(?:过敏"
r"|過敏)", "allergic_to", False, False),
    (rf"(?:我|他|她|儿|兒|女|孩子|名字|弟|妹|哥|姐|狗|猫|貓)?(?:的)?(?:名字|本名|全名)?(?:叫做?|名叫"
rf"|名字是){_V}", "name", False, True),
    (rf"最(?:喜欢|喜歡|爱|愛)的(?P<what>[^{_STOP}是还還]{{1,6}})(?:是|还是|還是|就是){_V}", "favourite", False, True),
    (rf"(?:喜欢|喜歡|热爱|熱愛|爱上了|愛上了|爱|愛|偏爱|偏愛)(?!的|你|我){_V}", "likes", True, False),
    (rf"(?:讨厌|討厭|恨|受不了|厌恶|厭惡|反感){_V}", "dislikes", True, False),
    (rf"(?:搬到|搬去|搬家到|搬回|迁到|遷到|移居){_V}", "lives_in", False, True),
    (rf"(?:住在|定居在|居住在|家在|住)(?!一起|院|在){_V}", "lives_in", False, True),
    (rf"(?:(?<![现現正])在|于|於)\s?(?P<v>[^{_STOP}了]{{1,20}}(?: [A-Z][\w.+-]*){{0,3}})\s?(?:上班|工作|任职|任職|就职"
rf"|就職|做事)", "works_at", False, True),
    (rf"(?:加入了?|入职了?|入職了?|跳槽到了?){_V}", "works_at", False, True),
    (rf"生日(?:是|在)(?:每年)?{_V}", "birthday", False, True),
    (r"(?P<v>每(?:天|日|早|晚|周|週|星期|个月|個月|年|月)[^，。；！？]{2,30})", "schedule", False, False),
    (rf"(?:负责|負責|主管|主管着){_V}", "responsible_for", True, False),
    (rf"(?:调到|調到|转到|轉到|转去|轉去)了?{_V}(?:项目|項目|組|组|团队|團隊|部门|部門)", "works_on", False, True),
    (rf"(?:在做|参与|參與|在忙)了?{_V}(?:项目|項目)", "works_on", False, True),
    (rf"(?:是|当|當)(?:一名|一个|一個|一位|個|个|名)?(?P<v>[^{_STOP}是的]{{0,12}}(?:工程师|工程師|老师|老師|医生|醫生"
rf"|律师|律師|设计师|設計師|经理|經理|学生|學生|程序员|程式設計師|分析师|分析師|作家|记者|記者|会计"
rf"|會計|护士|護士|厨师|廚師|司机|司機|教授|研究员|研究員|产品经理|產品經理|顾问|顧問|主管|总监|總監"
rf"|畫家|画家|翻译|翻譯))", "role", False, True),
    (r"(?P<v>\d{1,3}|[一二三四五六七八九十两兩]{1,4})\s?(?:周|週)?(?:岁|歲)", "age", False, True),
    (r"(?:吃素|是素食者|素食|清真|吃全素|不吃肉)(?P<v>)", "diet", False, True),
    (rf"(?:会说|會說|能说|能說|会讲|會講|说|講)(?P<v>[^{_STOP}]{{0,12}}(?:语|語|文|话"
rf"|話)(?:和[^{_STOP}]{{1,8}}(?:语|語|文|话|話))?)(?![^，。]{{0,3}}[：:])", "speaks", False, False),
    (rf"(?:在学|在學|学习|學習|正在学|正在學|主修){_V}", "studies", True, False),
    (rf"(?:养了|養了|养着|養著|有)(?P<v>[一二两兩三四]?(?:只|隻|条|條|匹)[^{_STOP}]{{1,10}}(?:[，,]?(?:叫"
rf"|名叫)[^{_STOP}]{{1,10}})?)", "pet", False, False),
    (rf"(?:改用|换成|換成|换到|換到|转用|轉用|改成用?)了?{_V}", "uses", False, False),
    (rf"(?:一直用|平时用|平時用|习惯用|習慣用|都用|在用|常用|只用|使用|我用|们用|們用){_V}", "uses", True, False),
    (rf"(?:打算|计划|計劃|准备|準備|打算要|想要|想去|想学|想學|要去|会去|會去|要回"
rf"|要搬)(?P<v>[^{_STOP}]{{1,24}})", "plans", False, False),
    (r"(?:弹|彈|拉|吹)(?P<v>钢琴|鋼琴|吉他|小提琴|大提琴|笛子|古筝|古箏|二胡|萨克斯)", "plays", False, False),
    (rf"(?:不|从不|從不|再也不|不能|不会|不會|别|別)(?:再|太|怎么|怎麼)?(?:吃)(?P<v>[^{_STOP}]{{1,12}})",
         "eats", True, False),
    (rf"(?:不|从不|從不|再也不|不能)(?:再)?(?:喝)(?P<v>[^{_STOP}]{{1,12}})", "drinks", True, False),
)  # fmt: skip
_COMPILED = tuple((re.compile(pattern), attribute, many, single) for pattern, attribute, many, single in _RULES)
_YEARS = re.compile(
    rf"(?:在\s?(?P<org>[^{_STOP}]{{1,20}}(?: [A-Z][\w.+-]*){{0,3}})\s?)?(?:工作|上班|干|幹|待"
    rf"|做)了?(?P<n>\d{{1,2}}|[一二三四五六七八九十两兩]{{1,3}})(?:多)?年"
)
_PET = re.compile(r"[只隻条條匹][^，。]{1,10}(?:叫|名叫)")
_DID = re.compile(
    rf"(?P<v>(?:把)?[^{_STOP}]{{0,10}}(?:买|買|卖|賣|去|参加|參加|完成|看|拜访|拜訪|结婚|結婚|毕业|畢業"
    rf"|辞职|辭職|开始|開始|学会|學會|收养|領養|领养)(?:了|过|過)[^{_STOP}]{{0,16}})"
)
_BARE = re.compile(
    r"^(?:我们|我們|咱们|咱們|我|他|她|昨天|前天|今天|上(?:个|個)?(?:周|週|月[底初]?|星期)[一二三四五六日天末]?"
    r"|去年|今年|前年|[春夏秋冬]天|月底|年底|刚|剛)+"
)
_DEPLOY = re.compile(r"部署|发布|發布|上线|上線|发版|發版|上生产|上生產|上正式")
_TOOL = re.compile(
    r"(?:通过|通過|透过|透過|用|走|靠|经由|經由|使用|交给"
    r"|交給)\s?(?P<v>[A-Za-z][\w.+-]*(?: [A-Z][\w.+-]*){0,3}|流水线|流水線|脚本|腳本)"
)
_MANUAL = re.compile(r"手动|手動|手工|人工|用手")
_REFUSED = re.compile(r"(?:不|别|別|没|沒|禁止|而非|拒绝|拒絕)[^，。]{0,5}$")
_NEGATIVE = re.compile(
    r"(?:从来不|從來不|从不|從不|再也不|绝不|絕不|不再|不太|不怎么|不怎麼|并不|並不|不是很|不能|不会|不會"
    r"|没有|沒有|不|没|沒|戒了?|别|別)[^，。]{0,3}$"
)
_EATING = re.compile(r"^[喝吃](?=.)")
_FORMER = re.compile(r"以前|曾经|曾經|原来|原來|从前|從前|之前")


def slots_in(clause: str) -> list[Slot]:
    """What one clause says, typed; whom it is about is the caller's to know."""
    changed = bool(_CHANGED.search(clause))
    slots = _deploys(clause, changed)
    if years := _YEARS.search(clause):
        slots.append(
            Slot(
                "years_at",
                re.sub(r"^.*?(?:工作|上班|干|幹|待|做)了?", "", years[0])
                + (f"（{years['org'].strip()}）" if years["org"] else ""),
                single=True,
            )
        )
        if years["org"]:
            slots.append(Slot("works_at", years["org"].strip(), single=True))
    seen = {slot.attribute for slot in slots}
    for pattern, attribute, many, single in _COMPILED:
        match = pattern.search(clause)
        if (
            not match
            or attribute in seen
            or (attribute == "name" and _PET.search(clause))
            or (attribute == "dislikes" and "likes" in seen)
        ):
            continue
        made = _made(clause, match, attribute, many, single, changed)
        slots += made
        seen.update(slot.attribute for slot in made)
        if attribute.startswith("favourite"):
            seen.add("likes")
    if not slots and (did := _DID.search(clause)) and not re.search(r"不|没|沒", did["v"]):
        slots.append(Slot("did", _BARE.sub("", did["v"]).strip()))
    return slots


def _made(clause: str, match: re.Match[str], attribute: str, many: bool, single: bool, changed: bool) -> list[Slot]:
    value = match.groupdict().get("v") or match.groupdict().get("v2") or ("素食" if attribute == "diet" else "")
    value = _END.sub("", value).strip()
    negative = bool(_NEGATIVE.search(clause[: match.start()])) or attribute in ("eats", "drinks")
    if attribute == "dislikes":
        attribute, negative = "likes", True
    if attribute == "favourite":
        attribute = f"favourite_{_WHAT.get(match['what'], match['what'])}"
    if attribute == "lives_in" and re.search(r"不|过$|過$", value):
        return []
    if attribute in ("lives_in", "works_at", "works_on") and _FORMER.search(clause[: match.start() + 1]):
        negative = changed = True
    if attribute == "likes":
        value = _EATING.sub("", value) or value
    if attribute == "age":
        value, changed = match[0].strip(), changed or bool(re.search(r"满|滿|刚|剛", clause))
    if attribute == "uses" and re.search(r"改用|换成|換成|换到|換到", match[0]):
        changed = True
    if (
        not value
        or value in ("他", "她", "它", "你", "这", "這", "那", "这样", "那个")
        or (negative and attribute in ("name",))
    ):
        return []
    values = (
        [v for v in re.split(r"和|跟|与|與|、|以及|还有|還有", value) if v] if many and len(value) < 20 else [value]
    )
    return [
        Slot(attribute, _END.sub("", v).strip(), negative, single, changed) for v in values if _END.sub("", v).strip()
    ]


_WHAT = {
    "茶": "tea", "颜色": "colour", "顏色": "colour", "食物": "food", "菜": "dish", "电影": "film", "電影": "film",
    "书": "book", "書": "book", "歌": "song", "城市": "city", "运动": "sport", "運動": "sport", "音乐": "music",
    "音樂": "music", "季节": "season", "水果": "fruit", "动物": "animal", "動物": "animal",
}  # fmt: skip


def _deploys(clause: str, changed: bool) -> list[Slot]:
    if not (_DEPLOY.search(clause) or _MANUAL.search(clause)):
        return []
    slots = []
    if (tool := _TOOL.search(clause)) and _DEPLOY.search(clause):
        slots.append(Slot("deploys_via", tool["v"], bool(_NEGATIVE.search(clause[: tool.start()])), False, changed))
    if manual := _MANUAL.search(clause):
        value = "手動" if manual[0] == "手動" else "手动"
        slots.append(Slot("deploys_via", value, bool(_REFUSED.search(clause[: manual.start()])), False, changed))
    return slots
