"""Settings: arguments over environment over `<home>/eunoe.toml` over defaults.

In the environment each setting is `EUNOE_` and its name in capitals; in `eunoe.toml` its name.
"""

import difflib
import os
import tomllib
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from pydantic import Field, SecretStr, ValidationError, model_validator
from pydantic_settings import (
    BaseSettings,
    InitSettingsSource,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
)

from eunoe.streams.errors import BadInput

PREFIX = "EUNOE_"
FILE = "eunoe.toml"
DEFAULT_HOME = Path("memory")
# Read elsewhere, before or instead of settings: traceback of the command line, full counts of the tests, the key
# that a backup is made for or opened with.
_OTHER_VARIABLES = frozenset({"EUNOE_DEBUG", "EUNOE_SOAK", "EUNOE_RECOVERY_KEY"})
# A file inside the home can't say where the home is, and a key must not lie beside what it opens.
_NOT_IN_FILE = {"home": "it stands in the home itself", "master_key": "a key must not lie beside what it opens"}


class Settings(BaseSettings):
    """All that can be set. Make one with `load_settings`, which gives one clear error.

    home: the directory of log, projections and books. partitions: of the log, fixed when a home is made.
    master_key_file, master_key (base64), master_key_command (prints base64): where the master key comes from, one
        of them at most; without any it is `<home>/master.key`.
    default_budget: tokens of a recall that names no budget.
    mask_secrets: mask keys, cards and passwords before sealing. Off, they are stored.
    audit_recalls: note every recall in the log, without its question, so that the audit shows it.
    heads_file: a file outside the home to which signed tree heads are appended. heads_command: a command that gets
        each on standard input. heads_every: records after which one is published; 0 for on closing only.
    """

    model_config = SettingsConfigDict(
        env_prefix=PREFIX, env_ignore_empty=True, extra="forbid", frozen=True, hide_input_in_errors=True
    )

    home: Path = DEFAULT_HOME
    partitions: int = Field(4, ge=1, le=1024)
    master_key_file: Path | None = None
    master_key: SecretStr | None = None
    master_key_command: str | None = None
    default_budget: int = Field(1000, ge=1, le=1_000_000)
    mask_secrets: bool = True
    audit_recalls: bool = False
    heads_file: Path | None = None
    heads_command: str | None = None
    heads_every: int = Field(0, ge=0)

    @model_validator(mode="after")
    def _one_master_key(self) -> "Settings":
        given = [
            name for name in ("master_key_file", "master_key", "master_key_command") if getattr(self, name) is not None
        ]
        if len(given) > 1:
            raise ValueError(f"{' and '.join(given)} are both set; keep one")
        return self

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,
        file_secret_settings: PydanticBaseSettingsSource,
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Arguments, environment, the home's file: the first that has a value wins."""
        home = init_settings().get("home") or env_settings().get("home") or DEFAULT_HOME
        filed = _read(Path(home) / FILE)
        return init_settings, env_settings, InitSettingsSource(settings_cls, filed)


def load_settings(**arguments: Any) -> Settings:
    """The settings in force; an argument of None counts as not given. Raises BadInput, never repeating a value."""
    given = {name: value for name, value in arguments.items() if value is not None}
    _refuse_unknown(given, "argument")
    _refuse_unknown(
        [
            name.removeprefix(PREFIX).lower()
            for name in os.environ
            if name.startswith(PREFIX) and name not in _OTHER_VARIABLES
        ],
        f"environment variable {PREFIX}…",
    )
    try:
        return Settings(**given)
    except ValidationError as error:
        raise BadInput("; ".join(_said(problem, given) for problem in error.errors())) from None


def _read(path: Path) -> dict[str, Any]:
    try:
        values = tomllib.loads(path.read_text("utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        return {}
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise BadInput(f"{path} can't be read as TOML: {error}") from None
    for name in values:
        if name in _NOT_IN_FILE:
            raise BadInput(f"`{name}` can't be set in {path}: {_NOT_IN_FILE[name]}")
    _refuse_unknown(values, str(path))
    return values


def _refuse_unknown(names: Iterable[str], where: str) -> None:
    for name in names:
        if name not in Settings.model_fields:
            near = difflib.get_close_matches(name, Settings.model_fields, n=1)
            hint = f"; did you mean `{near[0]}`?" if near else f"; there are {', '.join(Settings.model_fields)}"
            raise BadInput(f"unknown setting `{name}` ({where}){hint}")


def _said(problem: Any, given: dict[str, Any]) -> str:
    """One problem in words: the setting, where it came from, what is wrong, not its value."""
    message = problem["msg"].removeprefix("Value error, ")
    if not problem["loc"]:
        return str(message)
    name = str(problem["loc"][0])
    variable = PREFIX + name.upper()
    where = "argument" if name in given else variable if os.environ.get(variable) else FILE
    return f"setting `{name}` ({where}): {message[0].lower()}{message[1:]}"
