"""English verbs: base forms, and what a form says about person and time."""

import re


def words(text: str) -> frozenset[str]:
    """The words of a list that is written with spaces."""
    return frozenset(text.split())


_BASES = (
    "accept bump compare confirm contact drain ensure grep inform notify rinse reload reinstall refresh search"
    " tag truncate add adopt adore agree allow answer appear apply arrive ask attend avoid back bake be become"
    " begin believe belong book boot borrow break bring build burn buy call camp cancel care carry catch"
    " celebrate change charge check choose clean climb clear close code collect come commute complain configure"
    " consider contain cook cost count cover crash create cut cycle dance deal decide delete deploy depend"
    " describe design despise detest develop die dig disable discover dislike dive do draw drink drive drop earn"
    " eat email enable end enjoy enter escalate exercise expect expire explain fail fall fear feed feel fetch"
    " fight fill find finish fix flush fly follow force forget garden get give go graduate grow handle hang"
    " happen hate have head hear help hike hire hit hold hope host hurt improve include increase inspect install"
    " invest invite join jog keep kill kick know last lead learn leave lend let lie like limit listen live load"
    " loathe lock log look lose love maintain make manage mean measure meet mention merge migrate mind miss"
    " monitor move name need notice offer open order own pack paint park pass pay phone pick pin ping plan plant"
    " play practise practice prefer prepare print publish pull purge push put quit rain raise read rebase reboot"
    " rebuild receive recommend release relocate rely remember remove rent reopen repair replace reply report"
    " require rerun reset reside resign restart restore retire retry return revert review ride rise roll rotate"
    " run sail save say scale see seem sell send serve set settle sew share ship shop show sign sing sit ski skip"
    " sleep smell smoke sound speak specialise specialize spend stand start stay stick stop store study suffer"
    " suggest support surf swim switch take talk teach tell tend test thank think throw time touch train transfer"
    " travel treat try turn understand unplug update upgrade upload use verify visit volunteer vote wait wake"
    " walk want warn wash watch water wear weigh win wipe wish work worry write yoga"
)
BASES = frozenset(_BASES.split())
_IRREGULAR = (
    "be:was,were,been become:became begin:began,begun break:broke,broken bring:brought build:built burn:burnt"
    " buy:bought catch:caught choose:chose,chosen come:came cost:cost cut:cut deal:dealt do:did,done"
    " draw:drew,drawn drink:drank,drunk drive:drove,driven eat:ate,eaten fall:fell,fallen feed:fed feel:felt"
    " fight:fought find:found fly:flew,flown forget:forgot,forgotten get:got,gotten give:gave,given go:went,gone"
    " grow:grew,grown hang:hung have:had hear:heard hit:hit hold:held hurt:hurt keep:kept know:knew,known"
    " lead:led leave:left learn:learnt lend:lent let:let lie:lay,lain lose:lost make:made mean:meant meet:met"
    " pay:paid put:put quit:quit read:read ride:rode,ridden rise:rose,risen run:ran say:said see:saw,seen"
    " sell:sold send:sent set:set show:shown sing:sang,sung sit:sat sleep:slept speak:spoke,spoken spend:spent"
    " stand:stood stick:stuck swim:swam,swum take:took,taken teach:taught tell:told think:thought"
    " throw:threw,thrown understand:understood wake:woke,woken wear:wore,worn win:won write:wrote,written"
    " rebuild:rebuilt"
)
AUXILIARIES = words(
    "am is are was were be been being have has had do does did will would can could should must might may shall"
)
MODALS = words("will would can could should must might may shall cannot")
_CONSONANT_Y = re.compile(r"[^aeiou]y$")


def third(verb: str) -> str:
    """The form with he, she or a name: goes, tries, watches."""
    if verb in ("be", "am", "are"):
        return "is"
    if verb == "have":
        return "has"
    if _CONSONANT_Y.search(verb):
        return verb[:-1] + "ies"
    return verb + ("es" if verb.endswith(("s", "x", "z", "ch", "sh", "o")) else "s")


def _regular(verb: str) -> tuple[str, str]:
    """Past and -ing form of a regular verb, consonants doubled where short verbs do."""
    if verb.endswith("e"):
        return verb + "d", (verb[:-1] if not verb.endswith(("ee", "ie")) else verb) + "ing"
    if _CONSONANT_Y.search(verb):
        return verb[:-1] + "ied", verb + "ing"
    if (re.search(r"(?:^|[^aeiou])[aeiou][bdgklmnprt]$", verb) and len(verb) <= 5) or verb == "prefer":
        double = verb + verb[-1]
        return double + "ed", double + "ing"
    return verb + "ed", verb + "ing"


def _table() -> tuple[dict[str, str], frozenset[str]]:
    lemmas: dict[str, str] = {"lying": "lie", "dying": "die", "am": "be", "are": "be", "is": "be", "does": "do"}
    past: set[str] = set()
    irregular = {part.split(":")[0]: part.split(":")[1].split(",") for part in _IRREGULAR.split()}
    for verb in _BASES.split():
        regular, progressive = _regular(verb)
        forms = irregular.get(verb, [])
        past.update(forms if forms and verb not in ("burn", "learn", "show") else [*forms, regular])
        for form in (verb, third(verb), regular, progressive, verb + "ed", verb + "ing", *forms):
            lemmas.setdefault(form, verb)
    return lemmas, frozenset(past - {"been", "done"})


LEMMAS, PAST = _table()


def lemma(word: str) -> str | None:
    """The base form of a known verb, in any form; None for other words."""
    return LEMMAS.get(word)


def is_past(word: str) -> bool:
    """Whether a form tells of the past. Forms that are also the base (put, read) don't."""
    return word not in BASES and (
        word in PAST or (word.endswith("ed") and len(word) > 4 and word not in ("need", "feed"))
    )
