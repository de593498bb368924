"""Secrets never get past masking, and what only looks like one stays."""

import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eunoe.processors.ingestion.masking import mask, mask_tool, mask_value
from eunoe.streams.errors import BadInput
from eunoe.streams.events import Tool

A36 = "a1B2c3D4e5F6g7H8i9J0k1L2m3N4o5P6q7R8"
PEM = "-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\n\nMIIEow==\n-----END RSA PRIVATE KEY-----"
JWT = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhbmEifQ.c2lnbmF0dXJlLXZhbHVl"

SECRETS = [
    # (what is said, with the secret in braces; kind)
    (f"use {{sk-{A36}}} for it", "api key"),
    (f"key is {{sk-ant-api03-{A36}-AA}}.", "api key"),
    (f"{{sk-proj-{A36}}}", "api key"),
    ("the id {AKIAIOSFODNN7EXAMPLQ} leaked", "api key"),
    (f"push with {{ghp_{A36}}} please", "api key"),
    (f"{{github_pat_11ABCDEFG0_{A36}}}", "api key"),
    ("slack: {xoxb-2048123456-abcdefGHIJ12}", "api key"),
    (f"maps {{AIzaSy{A36[:33]}}}", "api key"),
    ("{glpat-x7Yz12345678abcdefgh}", "api key"),
    (f"{{hf_{A36[:34]}}}", "api key"),
    (f"//registry/:_auth={{npm_{A36}}}", "api key"),
    ("{sk_live_4eC39HqLyjWDarjtT1zdp7dc}", "api key"),
    (f"here:\n{{{PEM}}}\nthanks", "private key"),
    ("{-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBg}", "private key"),
    (f"cookie {{{JWT}}}", "token"),
    ("Authorization: Bearer {abc123def456ghi789jkl}", "token"),
    ("api_key={9f86d081884c7d65}", "api key"),
    ('"apiKey": "{q8W2e7R4t5Y6}"', "api key"),
    ("AWS_SECRET_ACCESS_KEY={wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY}", "api key"),
    ("my access token is {tk9f8e7d6c5b4a}", "api key"),
    ("client_secret: {Zx81kQp02LmN}", "api key"),
    ("postgres://ana:{s3cr/et@}@db.local:5432/app", "password"),
    ("redis://:{hunter2}@cache:6379/0", "password"),
    ("my password is {hunter2}", "password"),
    ("My password is {hunter2}, don't tell.", "password"),
    ("the password is {swordfish}.", "password"),
    ("password: {x}", "password"),
    ("pw = {x}", "password"),
    ("password: {$ecret(1}", "password"),
    ("pass: {rosebud}", "password"),
    ("the wifi password is {Tr0ub4dor&3}", "password"),
    ("the password for the staging box is {b00tstrap!}", "password"),
    ('the password to my laptop is "{open sesame}"', "password"),
    ("I changed my password to {qwerty99}", "password"),
    ("DB_PASSWORD='{pa ss}'", "password"),
    ('{"password": "X"}'.replace("X", "{letmein}").replace('{"', '("', 1)[:-1] + ")", "password"),
    ("passphrase: {correct horse battery staple}", "password"),
    ("my passphrase is {purple monkey dishwasher}.", "password"),
    ("your password? it's {hunter2}", "password"),
    ("密码是{hunter2}", "password"),
    ("我的密碼是{abc12345}，別告訴別人", "password"),
    ("Wi-Fi密码：{88888888}", "password"),
    ("密码改成「{芝麻开门}」了", "password"),
    ("le mot de passe est {soleil42}", "password"),
    ("Das Passwort lautet {geheim123}", "password"),
    ("la contraseña es {clave_99}", "password"),
    ("パスワードは{abc123!}です", "password"),
    ("my PIN is {4821}", "pin"),
    ("the door code is {90210}", "pin"),
    ("card {4111 1111 1111 1111} exp 12/29", "card number"),
    ("{4111111111111111}", "card number"),
    ("卡号{5500-0000-0000-0004}。", "card number"),
    ("amex {3782 822463 10005}", "card number"),
    ("ref 99 {4111 1111 1111 1111}", "card number"),
    ("{４１１１１１１１１１１１１１１１}", "card number"),
    ("pay to {DE89 3704 0044 0532 0130 00} THANKS", "account number"),
    ("IBAN {GB82WEST12345698765432}", "account number"),
]

HARMLESS = [
    "password reset is annoying",
    "The password is too long.",
    "my password is annoying",
    "The password for the staging box is stored in the vault.",
    "Is the password still correct?",
    "password is 12 characters long",
    "password: required",
    "def login(user: str, password: str) -> None: ...",
    "password = get_password()",
    'password=os.environ["PW"]',
    "api_key=<your key here>",
    "the token is expired",
    "the secret is patience and a hot oven",
    "The key is to rest the dough for 24 hours.",
    "tokens: 123456789012",
    "I lost my passport in Lisbon",
    "we passed: 12 of 12",
    "order 550e8400-e29b-41d4-a716-446655440000",
    "key: 550e8400-e29b-41d4-a716-446655440000",
    "commit da39a3ee5e6b4b0d3255bfef95601890afd80709 broke it",
    "call +49 170 1234567 or +1 (415) 555-2671",
    "call 0041 44 668 18 00 tomorrow",
    "ISBN 978-0-306-40615-7",
    "order number 4111 1111 1111 1112",
    "4111111111111112",
    "id 1764547200000 at 1764547200",
    "pi is 3.14159265358979323846",
    "see https://example.org:8080/a/b@2x.png",
    "mail ana@example.org at 10:30",
    "the mountain pass is beautiful",
    "密码是什么？",
    "密码是 API 的一部分",
    "pin 13 goes to ground",
    "sk-learn and scikit-image",
    "task-management-for-everyone-and-more",
    "DE89 is a motorway",
    "",
]


@pytest.mark.parametrize(("said", "kind"), SECRETS)
def test_a_secret_is_withheld_and_the_rest_stays(said, kind):
    start, end = said.index("{"), said.rindex("}")
    before, secret, after = said[:start], said[start + 1 : end], said[end + 1 :]
    masked, marks = mask(before + secret + after)
    assert masked == f"{before}[withheld: {kind}]{after}"
    (mark,) = marks
    assert (mark.kind, masked[mark.start : mark.end]) == (kind, f"[withheld: {kind}]")


@pytest.mark.parametrize("text", HARMLESS)
def test_what_only_looks_like_a_secret_stays(text):
    assert mask(text) == (text, ())


def test_several_secrets_in_one_text():
    text = f"pw: hunter2, card 4111-1111-1111-1111 and ghp_{A36}; and mail ana@example.org"
    masked, marks = mask(text)
    assert masked == (
        "pw: [withheld: password], card [withheld: card number] and [withheld: api key]; and mail ana@example.org"
    )
    assert [masked[m.start : m.end] for m in marks] == [f"[withheld: {m.kind}]" for m in marks]


def test_a_secret_glued_to_another_is_withheld_too():
    text = f"sk-proj-{A36}" + "\uff14" + "\uff11" * 15
    assert mask(text)[0] == "[withheld: api key][withheld: card number]"
    assert [(m.start, m.end) for m in mask(text)[1]] == [(0, 19), (19, 42)]


PIECES = st.sampled_from([s.replace("{", "").replace("}", "") for s, _ in SECRETS] + HARMLESS + ["\n", " ", "; ", "é"])


@settings(max_examples=300, deadline=None)
@given(st.lists(PIECES, max_size=6).map("".join))
def test_masking_twice_changes_nothing(text):
    masked, marks = mask(text)
    again, new = mask(masked)
    assert (again, new) == (masked, ())
    assert all(masked[m.start : m.end] == f"[withheld: {m.kind}]" for m in marks)


@given(st.text(alphabet=st.characters(), max_size=300))
def test_any_string_is_accepted(text):
    masked, marks = mask(text)
    assert marks or masked == text


@pytest.mark.parametrize(
    "text",
    [
        "a" * 400_000,
        "1" * 400_000,
        "1 " * 200_000,
        "4111 " * 80_000,
        "password " * 45_000,
        "password for " * 30_000,
        "my password is is " * 20_000,
        "key=" * 100_000,
        "token: " * 60_000,
        "://" * 130_000,
        "://a:" * 80_000,
        "eyJ" * 130_000,
        "eyJhbGciOiJI." * 30_000,
        "sk-" * 130_000,
        "-----BEGIN PRIVATE KEY-----" * 15_000,
        "DE89 " * 80_000,
        "密码" * 200_000,
        "mot de passe " * 30_000,
        "pin for a b c d e " * 20_000,
        '"' * 400_000,
        "bearer " * 60_000,
    ],
    ids=lambda text: text[:12],
)
def test_time_is_linear(text):
    start = time.process_time()
    mask(text)
    assert time.process_time() - start < 2


def test_an_unknown_version_is_refused():
    with pytest.raises(BadInput, match="version 99"):
        mask("x", version=99)


def test_a_tool_call_is_masked_all_through():
    tool = Tool(
        name="http",
        input={"url": "https://ana:hunter2@db", "headers": [{"Authorization": "Bearer x", "Accept": "json"}]},
        output={"user": {"name": "Ana", "api_key": {"value": 7}, "max_tokens": 4000, "token": None}, "ok": True},
        error="login failed: password=hunter2",
    )
    masked = mask_tool(tool)
    assert masked.input == {
        "url": "https://ana:[withheld: password]@db",
        "headers": [{"Authorization": "[withheld: secret field]", "Accept": "json"}],
    }
    assert masked.output == {
        "user": {"name": "Ana", "api_key": "[withheld: secret field]", "max_tokens": 4000, "token": None},
        "ok": True,
    }
    assert masked.error == "login failed: password=[withheld: password]"


def test_two_secret_field_names_stay_two_fields():
    value = mask_value({f"ghp_{A36}": 1, f"ghp_{A36[::-1]}": 2})
    assert sorted(value.values()) == [1, 2]
    assert not any("ghp_" in name for name in value)
