"""Function words by language, spelled as terms are (no capitals, no diacritics), and Chinese function characters.

Few and frequent ones only: they tell languages apart and are left out of questions.
"""

_WORDS = {
    "english": """
        a an the and or but nor if then than so of to in on at by for from with without about into over under
        after before between through during is are was were be been being am do does did doing done have has had
        having will would shall should can could may might must i me my mine we us our ours you your yours he him
        his she her hers it its they them their theirs this that these those there here who whom whose what which
        when where why how not no yes as also just very too up out off down again more most some any all each
        both few own same such s t re ve ll d m don doesn didn isn aren wasn weren won wouldn couldn shouldn hasn
        haven hadn ain
    """,
    "french": """
        le la les un une des du de et ou mais donc car que qui quoi dont ce cet cette ces je tu il elle nous vous
        ils elles mon ma mes ton ta tes son sa ses notre nos votre vos leur leurs est sont etait suis es sommes
        etes ai as avons avez ont avait pas ne plus dans sur sous avec sans pour par chez au aux en y se quand
        comment pourquoi combien quel quelle quels quelles l d j c n qu
    """,
    "german": """
        der die das den dem des ein eine einen einem einer eines und oder aber denn dass wenn weil als ich du er
        sie es wir ihr mich dich sich uns euch mein meine meinen meiner dein deine sein seine ihre unser ist sind
        war waren bin bist hat habe haben hatte wird werden wurde nicht kein keine mit ohne fur von vom zu zum
        zur bei beim auf aus nach uber unter was im am wer wie wo wann warum welche welcher auch noch nur schon
    """,
    "spanish": """
        el la los las un una unos unas y o pero que quien cual cuando donde como por para con sin de del al en es
        son era eran soy eres somos he has ha hemos han no si yo tu el ella nosotros ellos ellas mi mis su sus me
        te se le les lo nos muy mas este esta estos estas ese esa cuanto porque
    """,
    "italian": """
        il lo la gli le un uno una e o ma che chi quale quando dove come perche per con senza di del della dei
        delle al alla ai in nel nella sono era sei siamo ho hai ha abbiamo hanno non io tu lui lei noi voi loro
        mio mia suo sua mi ti si ci vi questo questa quello
    """,
    "portuguese": """
        o a os as um uma uns umas e ou mas que quem qual quando onde como por para com sem de do da dos das ao na
        no nas nos em e sao era eram sou somos tenho tem temos nao sim eu tu ele ela nos eles elas meu minha seu
        sua me te se lhe muito mais este esta esse essa isso porque
    """,
    "dutch": """
        de het een en of maar want dat die dit deze wie wat wanneer waar hoe waarom ik jij je hij zij ze wij we
        jullie mijn jouw zijn haar ons onze is was waren ben bent heb hebt heeft hebben had niet geen met zonder
        voor van naar bij op uit aan om te ook nog
    """,
    "norwegian": """
        en ei et den det de og eller men for at som hvem hva nar hvor hvordan hvorfor jeg du han hun vi dere meg
        deg seg oss min mitt mine din sin er var har hadde ikke ingen med uten av til fra pa ved om ogsa noe noen
        skal vil kan
    """,
    "swedish": """
        en ett den det de och eller men att som vem vad nar var hur varfor jag du han hon vi ni mig dig sig oss
        min mitt mina din sin ar var har hade inte ingen med utan av till fran pa vid om ocksa nagot nagon ska
        vill kan for
    """,
    "russian": """
        и в во не что он на я с со как а то все она так его но да ты к у же вы за бы по только ее мне было вот от
        меня еще нет о из ему когда где кто чем мы они это
    """,
}

FUNCTION_WORDS: dict[str, tuple[str, ...]] = {
    word: tuple(language for language, words in _WORDS.items() if word in words.split())
    for word in sorted({word for words in _WORDS.values() for word in words.split()})
}
FUNCTION_CHARACTERS = frozenset(
    "的了吗呢吧啊呀嘛是我你您他她它们在有和与就都也很不没要会这那个么什谁哪怎样为请把被给让对从到于之其着过得地"
)
