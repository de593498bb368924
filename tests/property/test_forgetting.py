"""The headline: after any forgets and redacts, a rebuild of the log is a rebuild of a log that never had it."""

import os
import random

import pytest

from eunoe.streams.errors import Forgotten
from tests.property.histories import History

COUNT = 500 if os.environ.get("EUNOE_SOAK") else 30


@pytest.fixture
def history(request, tmp_path):
    made = History(request.param, tmp_path / "home")
    yield made
    made.memory.close()


@pytest.mark.slow
@pytest.mark.parametrize("history", range(COUNT), indirect=True)
def test_as_if_it_had_never_been(history, tmp_path):
    for _ in range(history.rnd.randint(4, 12)):
        history.step()
    for _ in range(history.rnd.randint(1, 3)):
        history.forget()
        if history.rnd.random() < 0.5:
            history.step()
    wanted = history.never_had(tmp_path / "other")
    assert history.memory.digest().digest == wanted

    built = history.memory.rebuild()
    assert built.same_as_live
    assert built.digest == wanted
    assert built.model_calls == 0
    history.reopen()
    assert history.memory.digest().digest == wanted

    _sent_again(history)
    assert history.memory.digest().digest == wanted
    assert history.memory.verify().ok
    assert len(history.memory.receipts()) == len(history.receipts)


def _sent_again(history):
    """All of it once more, in any order: what went is refused, the rest is known."""
    reports = list(history.reports.items())
    random.Random(1).shuffle(reports)
    for key, report in reports:
        if key in history.gone:
            with pytest.raises(Forgotten):
                history.memory.record(**report)
        else:
            assert history.memory.record(**report).duplicate
