"""Odd values for fuzzing: seeded, so that what is found is found again."""

import random

SCOPES = ("user/1", "user/12", "User/1", "user/1/x", "user/%", "user/_", "用户/一")
MOMENT = "2025-03-03T09:00:00+01:00"
TEXTS = (
    "",
    " ",
    "\n\t",
    "\x00",
    "a\x00b",
    "\ud800",
    "\udfff\ud800 x",
    "😀",
    "👩‍👩‍👧‍👦" * 50,
    "🏳️‍🌈 1️⃣",
    "e\u0301" * 300,
    "Z͑ͫ̓ͪ̂ͫ̽͏̴̙̤̞͉͚̯̞̠͍A̴̵̜̰͔ͫ͗͢",
    "مرحبا بالعالم",
    "\u202eevil\u202c",
    "שלום user lives in Oslo",
    "I live in Bergen.",
    "x" * 20_000,
    "我" * 20_000,
    "word " * 8_000,
    "a. " * 13_000,
    "I like tea. " * 3_400,
    "\u2028\u2029\x85\x0b\x0c",
    "\ufeffBOM",
    "{}[]\"'\\",
    "$(rm -rf ~)",
    "%s%n%d {0}",
    "<script>alert(1)</script>",
    "' or 1=1; drop table memory; --",
    'NEAR(a b) OR "c" AND NOT d*',
    "-----BEGIN PRIVATE KEY-----",
    "password: hunter2 sk-abcdefghijklmnopqrstuvwxyz123456",
    "1" * 5_000,
    "4111 1111 1111 1111",
    "tomorrow " * 200,
    "?" * 999,
    "((((" * 500,
    '"' * 999,
    "if " * 500,
    "When it fails, then " * 100,
    "no, not never none " * 200,
    "because " * 300,
    "Ｉ　ｌｉｖｅ　ｉｎ　Ｂｅｒｇｅｎ",
    "ﷺ" * 400,
    "ß" * 300,
    "İ" * 300,
    "\U0010ffff",
    "\x1b[2J\x1b]0;x\x07",
    "a" + "\u0300" * 3_000,
    "-" * 9_999,
)
MOMENTS = (
    MOMENT,
    "2025-03-03T22:30:00",
    "0001-01-01T00:00:00+14:00",
    "9999-12-31T23:59:59-12:00",
    "",
    "now",
    "T",
    "2025-02-30T00:00:00Z",
    "2025-03-03",
    "2025-03-03T24:00:00",
    "٢٠٢٥-03-03T09:00:00",
    "2025-03-03T09:00:00+25:00",
    0,
    -1,
    1e308,
    None,
    True,
    [],
    {},
    "2025-03-03T09:00:00.123456789Z",
    "2025-W10-1T00:00:00",
    "20250303T090000Z",
    "\ud800T",
)
ODD_SCOPES = (
    *SCOPES,
    "",
    "/",
    "//",
    "a//b",
    ".",
    "..",
    "a/../b",
    "a" * 300,
    "/".join("abcdefghi"),
    "\x00",
    "\ud800",
    "a\nb",
    " ",
    "a/ /b",
    "user",
    "%",
    "*",
    None,
    1,
    [],
    {},
    True,
)
NUMBERS = (
    0,
    1,
    -1,
    2**31,
    2**63 - 1,
    2**63,
    -(2**63) - 1,
    10**400,
    0.5,
    1e308,
    float("nan"),
    float("inf"),
    True,
    "1",
    None,
    [],
    {},
)
IDS = (
    "e1",
    "",
    " ",
    "a#1",
    "a#0",
    "x" * 256,
    "x" * 257,
    "\x00",
    "\ud800",
    "m-00",
    "result-1",
    "init",
    "用",
    None,
    1,
    [],
    {"a": 1},
    "%",
    "a\nb",
)
JSONS = (
    None,
    {},
    [],
    "x",
    1,
    {"a": {"b": [1, None, {"c": 2.5}]}},
    {"": ""},
    {"a" * 300: 1},
    {"x": float("nan")},
    {"x": 10**30},
    {"\ud800": 1},
    {"x": "\x00"},
    {1: 2},
    {"name": "t"},
    {"name": "t", "output": "x" * 9_000, "error": "e"},
    {"name": 5},
    {"name": "t", "more": 1},
    {"x": {"y": [[[[[[]]]]]]}},
    {"x": b"bytes"},
    {"x": object()},
)


ROLES = ("assistant", "tool", "system", "observation", "feedback", "USER", "", None, 1, [])


def deep(levels=3_000):
    """JSON text that nests further than a parser likes."""
    return "[" * levels + "]" * levels


class Odd:
    """Seeded odd values."""

    def __init__(self, seed):
        self.choose = random.Random(seed)

    def pick(self, *kinds):
        return self.choose.choice(self.choose.choice(kinds))

    def text(self):
        roll = self.choose.random()
        if roll < 0.5:
            return self.choose.choice(TEXTS)
        if roll < 0.9:
            return "".join(self.choose.choice(TEXTS)[: self.choose.randrange(30)] for _ in range(3))
        return "".join(
            chr(self.choose.choice((self.choose.randrange(0x300), self.choose.randrange(0x110000)))) for _ in range(20)
        )

    def mostly(self, good, *odd, share=0.75):
        return good if self.choose.random() < share else self.pick(*odd)

    def report(self, number):
        made = {
            "scope": self.mostly(self.choose.choice(SCOPES), ODD_SCOPES),
            "session": self.mostly("s", IDS, TEXTS[:12]),
            "role": self.mostly(
                "user", ("assistant", "tool", "system", "observation", "feedback", "USER", "", None, 1, [])
            ),
            "text": self.mostly(self.text(), JSONS, NUMBERS, share=0.9),
            "at": self.mostly(MOMENT, MOMENTS),
            "id": self.mostly(f"f{number}", IDS),
        }
        for name, values in (("order", NUMBERS), ("meta", JSONS), ("tool", JSONS), ("speaker", (*IDS, *TEXTS[:12])),
                             ("subject", (*IDS, ["a", "b"], ["a", 1], ["x"] * 20)), ("agent", IDS)):  # fmt: skip
            if self.choose.random() < 0.2:
                made[name] = self.choose.choice(values)
        if self.choose.random() < 0.03:
            made[self.choose.choice(("extra", "\ud800", ""))] = 1
        if self.choose.random() < 0.1:
            made.pop(self.choose.choice(list(made)))
        return made
