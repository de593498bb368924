"""Settings: precedence, and one clear error for what is wrong."""

import base64
from pathlib import Path

import pytest

from eunoe.infra.settings import load_settings
from eunoe.streams.errors import BadInput

KEY = base64.b64encode(bytes(range(32))).decode()


@pytest.fixture(autouse=True)
def bare_environment(monkeypatch, tmp_path):
    """No setting of the developer's shell, and an empty working directory."""
    for name in ("HOME", "PARTITIONS", "MASTER_KEY", "MASTER_KEY_FILE", "MASTER_KEY_COMMAND", "DEFAULT_BUDGET"):
        monkeypatch.delenv(f"EUNOE_{name}", raising=False)
    monkeypatch.chdir(tmp_path)


def filed(home: Path, text: str) -> Path:
    home.mkdir(exist_ok=True)
    (home / "eunoe.toml").write_text(text, "utf-8")
    return home


def test_defaults():
    settings = load_settings()
    assert (settings.home, settings.partitions, settings.default_budget) == (Path("memory"), 4, 1000)
    assert settings.mask_secrets is True
    assert settings.master_key is settings.master_key_file is settings.master_key_command is None


def test_precedence(monkeypatch, tmp_path):
    home = filed(tmp_path / "h", "partitions = 2\ndefault_budget = 300\nmask_secrets = false\n")
    monkeypatch.setenv("EUNOE_HOME", str(home))
    monkeypatch.setenv("EUNOE_DEFAULT_BUDGET", "400")
    settings = load_settings()
    assert (settings.home, settings.partitions, settings.default_budget) == (home, 2, 400)
    assert settings.mask_secrets is False
    assert load_settings(default_budget=500, partitions=None).default_budget == 500
    other = load_settings(home=tmp_path / "other")
    assert (other.partitions, other.default_budget) == (4, 400)


def test_the_default_home_has_its_file_read(tmp_path):
    filed(tmp_path / "memory", "partitions = 7\n")
    assert load_settings().partitions == 7


def test_empty_variables_count_as_unset(monkeypatch):
    monkeypatch.setenv("EUNOE_HOME", "")
    assert load_settings().home == Path("memory")


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("partitions = ", "TOML"),
        ("partitons = 3", "did you mean `partitions`?"),
        ("partitions = 'four'", "`partitions` (eunoe.toml)"),
        ("partitions = 0", "`partitions` (eunoe.toml)"),
        ("home = '/elsewhere'", "`home` can't be set in"),
        (f"master_key = '{KEY}'", "beside what it opens"),
        ("[partitions]\nx = 1", "`partitions` (eunoe.toml)"),
    ],
)
def test_a_wrong_file_is_one_clear_error(tmp_path, text, said):
    home = filed(tmp_path / "h", text)
    with pytest.raises(BadInput) as error:
        load_settings(home=home)
    assert said in str(error.value)
    assert KEY not in str(error.value)


def test_bytes_that_are_no_text(tmp_path):
    home = tmp_path / "h"
    home.mkdir()
    (home / "eunoe.toml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(BadInput, match="TOML"):
        load_settings(home=home)


def test_a_wrong_variable_is_named_without_its_value(monkeypatch):
    monkeypatch.setenv("EUNOE_PARTITIONS", "s3cret")
    with pytest.raises(BadInput, match=r"`partitions` \(EUNOE_PARTITIONS\)") as error:
        load_settings()
    assert "s3cret" not in str(error.value)


def test_an_unknown_variable(monkeypatch):
    monkeypatch.setenv("EUNOE_PARTITION", "4")
    with pytest.raises(BadInput, match="did you mean `partitions`"):
        load_settings()


def test_variables_of_the_tools_are_no_settings(monkeypatch):
    monkeypatch.setenv("EUNOE_DEBUG", "1")
    monkeypatch.setenv("EUNOE_SOAK", "1")
    assert load_settings().partitions == 4


def test_an_unknown_argument():
    with pytest.raises(BadInput, match="unknown setting `colour`"):
        load_settings(colour="red")


def test_two_master_keys_are_refused(monkeypatch):
    monkeypatch.setenv("EUNOE_MASTER_KEY", KEY)
    with pytest.raises(BadInput, match="master_key_file and master_key are both set") as error:
        load_settings(master_key_file="k")
    assert KEY not in str(error.value)


def test_no_secret_in_the_repr(monkeypatch):
    monkeypatch.setenv("EUNOE_MASTER_KEY", KEY)
    settings = load_settings()
    assert settings.master_key is not None
    assert settings.master_key.get_secret_value() == KEY
    assert KEY not in repr(settings) and KEY not in str(settings) and KEY not in settings.model_dump_json()
