"""The keyring in the books: see `eunoe.streams.keyring.Keyring` for what it promises.

Home and subject keys are wrapped by the master key; names stand as keyed hashes, and sealed for those who may ask.
"""

import secrets
import threading
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from hashlib import blake2b

from sqlalchemy import Connection, func, select
from sqlalchemy.dialects.sqlite import insert

from eunoe.stores.books.database import Database
from eunoe.stores.books.master import KeyFile, MasterKeySource
from eunoe.stores.books.tables import meta, purpose, stream, subject, subject_key
from eunoe.streams.errors import BadInput, KeyringError, LogDamaged, MasterKeyMissing, WrongMasterKey
from eunoe.streams.keyring import SubjectKey
from eunoe.streams.sealing import KEY_BYTES, seal, unseal


class BooksKeyring:
    """Keys of one home. `fresh` says that the home is being made, so that a master key may be made too."""

    def __init__(self, database: Database, source: MasterKeySource, *, fresh: bool) -> None:
        self._database, self._source, self._lock = database, source, threading.RLock()
        self._master = source.make() if fresh else source.read()
        self.home = self._opened_home()
        self.refresh()

    def _opened_home(self) -> bytes:
        """The home's id; on a new keyring it is made, and the master key leaves its mark."""
        with self._database.write() as connection:
            rows: dict[str, bytes] = {r.name: r.value for r in connection.execute(select(meta.c.name, meta.c.value))}
            if "home" not in rows:
                home = secrets.token_bytes(16)
                rows = {"home": home, "check": seal(self._master, b"eunoe", home)}
                connection.execute(insert(meta), [{"name": n, "value": v} for n, v in rows.items()])
        self._check(rows["home"], rows["check"])
        return rows["home"]

    def _check(self, home: bytes, mark: bytes) -> None:
        try:
            unseal(self._master, mark, home)
        except LogDamaged:
            raise WrongMasterKey(
                "this master key does not open this home; give the one that `eunoe init` made (see `eunoe keys show`)"
            ) from None

    def refresh(self) -> None:
        with self._lock:
            self._purposes: dict[str, bytes] = {}
            self._streams: dict[str, bytes] = {}
            self._subjects: dict[str, SubjectKey] = {}
            self._numbers: dict[bytes, int | None] = {}
            self._keys: dict[tuple[int, int], SubjectKey | None] = {}

    # -- the home's own keys ----------------------------------------------------------------------

    def purpose(self, name: str) -> bytes:
        key = self._purposes.get(name)
        if key is None:
            with self._database.write() as connection:
                wrapped = self._wrapped(connection, secrets.token_bytes(KEY_BYTES), name.encode())
                connection.execute(insert(purpose).values(name=name, wrapped=wrapped).on_conflict_do_nothing())
                found = connection.execute(select(purpose.c.wrapped).where(purpose.c.name == name)).scalar_one()
            key = self._purposes[name] = self._unwrapped(found, name.encode())
        return key

    def _unwrapped(self, wrapped: bytes, binding: bytes) -> bytes:
        for key in (self._master, *self._new_masters()):
            with suppress(LogDamaged):
                return unseal(key, wrapped, binding)
        raise KeyringError(f"a key in {self._database.path.name} is damaged; restore it from a backup")

    def _wrapped(self, connection: Connection, secret: bytes, binding: bytes) -> bytes:
        """A key under the master key that is in force in this transaction: another process may have changed it."""
        return seal(self._in_force(connection), secret, binding)

    def _in_force(self, connection: Connection) -> bytes:
        rows = {r.name: r.value for r in connection.execute(select(meta.c.name, meta.c.value))}
        for key in (self._master, *self._new_masters()):
            with suppress(LogDamaged):
                unseal(key, rows["check"], rows["home"])
                self._master = key
                return key
        raise WrongMasterKey(
            "the master key was changed meanwhile, and not in its file; open the home with the new one"
        )

    def _new_masters(self) -> Iterator[bytes]:
        """What the source says now, asked only when the key that we have does not fit."""
        sources = [self._source]
        if isinstance(self._source, KeyFile):
            sources.insert(0, waiting(self._source))
        for source in sources:
            with suppress(MasterKeyMissing, BadInput):
                yield source.read()

    def _mac(self, name: str) -> bytes:
        return blake2b(name.encode(), key=self.purpose("names"), digest_size=16).digest()

    # -- streams ----------------------------------------------------------------------------------

    def stream(self, scope: str) -> bytes:
        found = self._streams.get(scope) or self.find_stream(scope)
        if found is None:
            mac, pseudonym = self._mac(f"stream:{scope}"), secrets.token_bytes(16)
            sealed = seal(self.purpose("names"), scope.encode(), pseudonym)
            with self._database.write() as connection:
                row = insert(stream).values(pseudonym=pseudonym, mac=mac, sealed=sealed)
                connection.execute(row.on_conflict_do_nothing())
                found = connection.execute(select(stream.c.pseudonym).where(stream.c.mac == mac)).scalar_one()
            self._streams[scope] = found
        return found

    def find_stream(self, scope: str) -> bytes | None:
        found = self._streams.get(scope)
        if found is None:
            mac = self._mac(f"stream:{scope}")
            with self._database.read() as connection:
                found = connection.execute(select(stream.c.pseudonym).where(stream.c.mac == mac)).scalar()
            if found is not None:
                self._streams[scope] = found
        return found

    # -- subjects ---------------------------------------------------------------------------------

    def subject(self, name: str) -> SubjectKey:
        known = self._subjects.get(name)
        if known is None:
            mac = self._mac(f"subject:{name}")
            names = self.purpose("names")
            with self._lock, self._database.write() as connection:
                known = self._newest(connection, mac) or self._made(connection, mac, name, names)
            self._subjects[name] = known
        return known

    def _newest(self, connection: Connection, mac: bytes) -> SubjectKey | None:
        row = connection.execute(
            select(subject.c.number, subject.c.pseudonym, subject_key.c.version, subject_key.c.wrapped)
            .join(subject_key, subject_key.c.subject == subject.c.number)
            .where(subject.c.mac == mac)
            .order_by(subject_key.c.version.desc())
        ).first()
        return None if row is None else SubjectKey(row[0], row[1], row[2], self._unwrapped(row[3], row[1]))

    def _made(self, connection: Connection, mac: bytes, name: str, names: bytes) -> SubjectKey:
        pseudonym, secret = secrets.token_bytes(16), secrets.token_bytes(KEY_BYTES)
        sealed = seal(names, name.encode(), pseudonym)
        made = connection.execute(insert(subject).values(pseudonym=pseudonym, mac=mac, sealed=sealed))
        assert made.inserted_primary_key is not None
        number: int = made.inserted_primary_key[0]
        return self._add_version(connection, SubjectKey(number, pseudonym, 1, secret))

    def _add_version(self, connection: Connection, key: SubjectKey) -> SubjectKey:
        wrapped = self._wrapped(connection, key.secret, key.pseudonym)
        connection.execute(insert(subject_key).values(subject=key.number, version=key.version, wrapped=wrapped))
        return key

    def subject_by_pseudonym(self, pseudonym: bytes) -> int | None:
        found = self._numbers.get(pseudonym)
        if found is None and pseudonym not in self._numbers:
            with self._database.read() as connection:
                statement = select(subject.c.number).where(subject.c.pseudonym == pseudonym)
                found = self._numbers[pseudonym] = connection.execute(statement).scalar()
        return found

    def key(self, number: int, version: int) -> SubjectKey | None:
        found = self._keys.get((number, version))
        if found is None and (number, version) not in self._keys:
            with self._database.read() as connection:
                row = connection.execute(
                    select(subject.c.pseudonym, subject_key.c.wrapped)
                    .join(subject_key, subject_key.c.subject == subject.c.number)
                    .where(subject.c.number == number, subject_key.c.version == version)
                ).first()
            if row is not None:
                found = SubjectKey(number, row[0], version, self._unwrapped(row[1], row[0]))
            self._keys[number, version] = found
        return found

    def find_subject(self, name: str) -> int | None:
        with self._database.read() as connection:
            statement = select(subject.c.number).where(subject.c.mac == self._mac(f"subject:{name}"))
            return connection.execute(statement).scalar()

    def counts(self) -> dict[str, int]:
        """How many subjects, subject key versions, streams and home keys there are."""
        tables = {"subjects": subject, "subject_keys": subject_key, "streams": stream, "home_keys": purpose}
        with self._database.read() as connection:
            return {
                name: int(connection.execute(select(func.count()).select_from(table)).scalar_one())
                for name, table in tables.items()
            }

    # -- rotation ---------------------------------------------------------------------------------

    def renew(self, name: str) -> tuple[SubjectKey, SubjectKey]:
        """(old, new): a later version of a subject's key, durable. The log wraps its shares anew, then `retire`."""
        self.subject(name)
        mac = self._mac(f"subject:{name}")
        with self._lock, self._database.write() as connection:
            old = self._newest(connection, mac)
            assert old is not None
            new = SubjectKey(old.number, old.pseudonym, old.version + 1, secrets.token_bytes(KEY_BYTES))
            self._add_version(connection, new)
        self.refresh()
        return old, new

    def retire(self, key: SubjectKey) -> None:
        """Destroy this version of a subject's key, and those that a rotation which was cut short left before it."""
        with self._lock, self._database.write() as connection:
            connection.execute(
                subject_key.delete().where(subject_key.c.subject == key.number, subject_key.c.version <= key.version)
            )
        self._database.checkpoint()
        self.refresh()

    def destroy(self, pseudonyms: Sequence[bytes]) -> int:
        with self._lock, self._database.write() as connection:
            count = 0
            for pseudonym in pseudonyms:
                for table in (subject, stream):
                    count += connection.execute(table.delete().where(table.c.pseudonym == pseudonym)).rowcount
        if count:
            self._database.checkpoint()
        self.refresh()
        return count

    def rotate_master(self, target: KeyFile) -> int:
        """Wrap every key under a new master key kept in `target`; how many. One transaction, then the file.

        The new key is durable in a file beside before the keyring needs it; `recovered` finishes after a crash.
        The caller holds the home's lock, since whoever opens the home would take the waiting key for a left-over.
        """
        new = waiting(target).make()
        with self._lock, self._database.write() as connection:
            count = self._wrap_anew(connection, new)
        waiting(target).move(target)
        self._take(new)
        return count

    def put_under(self, new: bytes) -> int:
        """Wrap every key under another master key, which the caller keeps; how many."""
        with self._lock, self._database.write() as connection:
            count = self._wrap_anew(connection, new)
        self._take(new)
        return count

    def _wrap_anew(self, connection: Connection, new: bytes) -> int:
        count = 0
        for name, wrapped in connection.execute(select(purpose.c.name, purpose.c.wrapped)).all():
            fresh = seal(new, self._unwrapped(wrapped, name.encode()), name.encode())
            connection.execute(purpose.update().where(purpose.c.name == name).values(wrapped=fresh))
            count += 1
        keys = select(subject.c.pseudonym, subject_key.c.subject, subject_key.c.version, subject_key.c.wrapped)
        for pseudonym, number, version, wrapped in connection.execute(
            keys.join(subject, subject_key.c.subject == subject.c.number)
        ).all():
            fresh = seal(new, self._unwrapped(wrapped, pseudonym), pseudonym)
            where = (subject_key.c.subject == number, subject_key.c.version == version)
            connection.execute(subject_key.update().where(*where).values(wrapped=fresh))
            count += 1
        mark = seal(new, b"eunoe", self.home)
        connection.execute(meta.update().where(meta.c.name == "check").values(value=mark))
        return count

    def _take(self, new: bytes) -> None:
        self._master = new
        self.refresh()
        self._database.checkpoint()

    # -- backups ----------------------------------------------------------------------------------

    def master(self) -> bytes:
        """The master key in force, for a backup to seal."""
        with self._database.read() as connection:
            return self._in_force(connection)

    def purposes(self) -> dict[str, bytes]:
        """All keys of the home."""
        with self._database.read() as connection:
            names = connection.execute(select(purpose.c.name)).scalars().all()
        return {name: self.purpose(name) for name in names}

    def adopt(self, purposes: Mapping[str, bytes]) -> None:
        """Keys of the home that a backup was made too early to have."""
        with self._database.write() as connection:
            for name, key in purposes.items():
                wrapped = self._wrapped(connection, key, name.encode())
                connection.execute(insert(purpose).values(name=name, wrapped=wrapped).on_conflict_do_nothing())


def recovered(database: Database, source: KeyFile) -> None:
    """Finish a master rotation that a crash left between the keyring and the file."""
    following = waiting(source)
    if not following.path.exists():
        return
    with database.read() as connection:
        rows: dict[str, bytes] = {r.name: r.value for r in connection.execute(select(meta.c.name, meta.c.value))}
    try:
        unseal(following.read(), rows["check"], rows["home"])
    except (LogDamaged, KeyError, BadInput):
        following.path.unlink()
    else:
        following.move(source)


def waiting(source: KeyFile) -> KeyFile:
    """Where the next master key lies until the keyring is wrapped under it."""
    return KeyFile(source.path.with_name(source.path.name + ".next"))
