"""Every error that Eunoe raises on purpose, in one place. Each message says what to do."""


class EunoeError(Exception):
    """Root of all errors below."""


# -- what was asked or reported ------------------------------------------------------------------


class Rejected(EunoeError):
    """An input was refused; nothing of it was stored. `reason` is short and holds no content."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class IdReused(Rejected):
    """A known event id came with other content in the same scope."""


class Forgotten(Rejected):
    """The input is covered by an earlier forget request; `readmit` lifts that."""


class UnknownScope(EunoeError):
    """A scope was asked that holds no event. An empty answer would look like a known, empty scope."""


class ScopeRequired(EunoeError):
    """A read named no scope. Reads are never over everybody's memory."""


class NotFound(EunoeError):
    """No such memory, event, session or dead letter; a forgotten one answers the same."""


class BadInput(EunoeError):
    """A file, setting or argument can't be read as what it claims to be."""


# -- keys ----------------------------------------------------------------------------------------


class KeyringError(EunoeError):
    """Root of the errors about keys."""


class KeyringLost(KeyringError):
    """A log stands without its keyring. Restore `books.db` from a backup: the log can't be read without it."""


class MasterKeyMissing(KeyringError):
    """The master key is at none of the places where it is looked for."""


class WrongMasterKey(KeyringError):
    """The master key that was given doesn't open this home's keyring."""


class WrongRecoveryKey(KeyringError):
    """The recovery key or passphrase that was given is not the one that the backup was made for."""


class KeyMissing(KeyringError):
    """A record can't be opened, and no forget event covers it. Restore `books.db` and the log together."""

    def __init__(self, partition: int, position: int) -> None:
        super().__init__(
            f"record {position} of partition {partition} can't be opened: its key is missing and no forget covers it; "
            "restore books.db and the log together from one backup"
        )
        self.reason, self.partition, self.position = (
            "its key is missing and no forget covers it",
            partition,
            position,
        )


# -- the log -------------------------------------------------------------------------------------


class LogError(EunoeError):
    """Root of the errors about the event log."""


class LogDamaged(LogError):
    """The log breaks its chain, numbering or file format. `verify` names the first bad position."""

    def __init__(self, reason: str, partition: int | None = None, position: int | None = None) -> None:
        where = "" if partition is None else f" (partition {partition}, position {position})"
        super().__init__(f"{reason}{where}")
        self.reason, self.partition, self.position = reason, partition, position


class LogTruncated(LogDamaged):
    """The log is shorter than what a projection has already read: a file was rolled back or cut."""


class SchemaTooNew(LogError):
    """A record was written by a later release. Upgrade Eunoe to read it."""


class StorageFull(LogError):
    """The disk is full. What was acknowledged is stored; what failed was not stored at all."""


class HomeNewer(EunoeError):
    """The home was migrated by a later release. Upgrade Eunoe to open it."""


# -- running -------------------------------------------------------------------------------------


class Parked(EunoeError):
    """A step failed on an accepted event; later events of that stream wait behind it."""


class WaitTimeout(EunoeError, TimeoutError):
    """What was waited for did not happen in time."""
