"""What every keyring must do. A backend's test is a subclass with a `keyring` fixture and the hooks below."""

import threading

import pytest

from eunoe.streams.keyring import Keyring
from eunoe.streams.sealing import KEY_BYTES


class KeyringContract:
    """Subclass with a fixture `keyring` that gives a fresh one.

    `another` opens the same keyring once more, as another process does.
    """

    def another(self, keyring: Keyring) -> Keyring:
        """A second look at the same keyring, with caches of its own."""
        raise NotImplementedError

    def test_the_home_has_a_name_of_its_own(self, keyring):
        assert len(keyring.home) == 16 and keyring.home != bytes(16)
        assert self.another(keyring).home == keyring.home

    def test_purposes_have_keys_of_their_own_that_stay(self, keyring):
        lookup, terms = keyring.purpose("lookup"), keyring.purpose("terms")
        assert len(lookup) == len(terms) == KEY_BYTES and lookup != terms
        assert self.another(keyring).purpose("lookup") == lookup
        keyring.refresh()
        assert keyring.purpose("terms") == terms

    def test_streams_have_pseudonyms_that_say_nothing(self, keyring):
        assert keyring.find_stream("user/1") is None
        scopes = ("user/1", "user/12", "User/1", "user/1/x", "user/%", "用户/一", "user/1 ")
        made = {scope: keyring.stream(scope) for scope in scopes}
        assert len(set(made.values())) == len(scopes)
        other = self.another(keyring)
        for scope, pseudonym in made.items():
            assert len(pseudonym) == 16 and scope.encode() not in pseudonym
            assert other.find_stream(scope) == other.stream(scope) == keyring.stream(scope) == pseudonym
        assert other.find_stream("user") is None

    def test_subjects_have_a_key_each(self, keyring):
        ana, theo = keyring.subject("ana"), keyring.subject("theo")
        assert ana.secret != theo.secret and ana.pseudonym != theo.pseudonym and ana.number != theo.number
        assert ana.version == 1 and len(ana.secret) == KEY_BYTES and len(ana.pseudonym) == 16
        again = self.another(keyring).subject("ana")
        assert (again.number, again.pseudonym, again.version, again.secret) == (
            ana.number, ana.pseudonym, ana.version, ana.secret,
        )  # fmt: skip

    def test_a_key_is_found_by_number_and_pseudonym(self, keyring):
        ana = keyring.subject("ana")
        other = self.another(keyring)
        assert other.subject_by_pseudonym(ana.pseudonym) == other.find_subject("ana") == ana.number
        found = other.key(ana.number, 1)
        assert found is not None and found.secret == ana.secret
        assert other.key(ana.number, 2) is None and other.key(ana.number + 999, 1) is None
        assert other.subject_by_pseudonym(bytes(16)) is None and other.find_subject("nobody") is None

    def test_what_is_looked_for_and_made_later_is_found(self, keyring):
        other = self.another(keyring)
        assert other.find_stream("user/1") is None and other.find_subject("ana") is None
        assert other.find_stream("user/1") is None
        pseudonym, ana = keyring.stream("user/1"), keyring.subject("ana")
        assert other.find_stream("user/1") == pseudonym and other.find_subject("ana") == ana.number

    def test_destroyed_keys_and_names_are_gone_for_all(self, keyring):
        ana, theo, stream = keyring.subject("ana"), keyring.subject("theo"), keyring.stream("user/1")
        other = self.another(keyring)
        assert other.key(ana.number, 1) is not None
        assert keyring.destroy([ana.pseudonym, stream]) == 2
        assert keyring.destroy([ana.pseudonym, stream]) == 0
        other.refresh()
        for one in (keyring, other):
            assert one.key(ana.number, 1) is None and one.subject_by_pseudonym(ana.pseudonym) is None
            assert one.find_stream("user/1") is None
            assert one.key(theo.number, 1).secret == theo.secret
        anew = keyring.subject("ana")
        assert anew.number != ana.number and anew.pseudonym != ana.pseudonym and anew.secret != ana.secret
        assert keyring.stream("user/1") != stream

    def test_threads_that_ask_at_once_get_the_same(self, keyring):
        others = [keyring, self.another(keyring)]
        found, failed = [], []

        def ask(one):
            try:
                for n in range(12):
                    found.append(
                        (n, one.stream(f"user/{n}"), one.subject(f"user/{n}").secret, one.purpose(f"p{n % 3}"))
                    )
            except Exception as error:
                failed.append(error)

        threads = [threading.Thread(target=ask, args=(others[n % 2],)) for n in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert not failed
        assert len(set(found)) == 12

    @pytest.mark.parametrize("text", ["{}", "{!r}", "{!s}"])
    def test_no_secret_shows(self, keyring, text):
        key = keyring.subject("ana")
        shown = text.format(key) + text.format(keyring)
        assert "ana" not in shown.lower().replace("banana", "")
        for secret in (key.secret, key.pseudonym, keyring.purpose("lookup")):
            assert secret.hex() not in shown and repr(secret)[2:-1] not in shown
