"""Words that people ask for an attribute with, which need not stand in what was said: "how do they deploy?".

They are indexed with each fact that has the attribute. An attribute that is not listed is asked for by its own words.
"""

from functools import lru_cache

from eunoe.processors.terms import terms

_CUES = {
    "age": "age old 年龄 几岁 多大",
    "allergic_to": "allergy allergic avoid 过敏",
    "assigned_to": "assigned team work 负责",
    "birthday": "birthday born 生日",
    "born_in": "born birthplace 出生",
    "deploys_via": "deploy deployment ship release rollout 部署 发布 上线",
    "diet": "diet eat food 饮食 吃",
    "drinks": "drink 喝",
    "eats": "eat food diet 吃",
    "likes": "like love hate dislike enjoy preference 喜欢 讨厌",
    "lives_in": "live home address city move 住 搬 家",
    "married": "married marriage wife husband partner 结婚",
    "name": "name called 名字 叫",
    "owns": "own pet have 养 宠物",
    "plans": "plan going intend 打算 计划",
    "prefers": "prefer preference want like 偏好 喜欢",
    "role": "role job position title work 职位 工作",
    "schedule": "schedule when regularly 安排",
    "speaks": "speak language 语言 说",
    "studies": "study learn course 学习",
    "uses": "use tool 用",
    "wants": "want wish 想要",
    "works_at": "work job employer company 工作 公司",
    "works_on": "work project 项目 工作",
    "years_at": "long years 多久 几年",
}


@lru_cache(1024)
def cue_terms(attribute: str | None) -> tuple[str, ...]:
    """The terms that an attribute is asked for with; none for a fact without one."""
    if not attribute:
        return ()
    own = attribute.replace("_", " ")
    favourite = " favorite 最喜欢" if attribute.startswith("favourite_") else ""
    return tuple(dict.fromkeys(terms(_CUES.get(attribute, own + favourite))))
