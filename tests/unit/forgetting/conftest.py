"""A memory with a plain extractor and a clock by hand, filled with a small history."""

import itertools
import json

import msgspec
import pytest

from eunoe import Memory
from eunoe.infra.settings import load_settings
from eunoe.processors.extracting import Extractor
from tests.property.worlds import Plain, say


class Places:
    """A home of this test, opened as often as it likes."""

    def __init__(self, path):
        self.path, self.opened, self.settings = path / "home", [], {}
        ticks = itertools.count(1_770_000_000, 60)
        self.clock = lambda: float(next(ticks))

    def open(self, **settings) -> Memory:
        self.close()
        self.settings |= settings
        memory = Memory.open(
            self.path, background=False, extractor=Extractor(Plain(), "plain/1"), clock=self.clock,
            settings=load_settings(home=self.path, **self.settings),
        )  # fmt: skip
        self.opened.append(memory)
        return memory

    def close(self):
        while self.opened:
            self.opened.pop().close()


@pytest.fixture
def places(tmp_path):
    made = Places(tmp_path)
    yield made
    made.close()


@pytest.fixture
def memory(places):
    return filled(places.open())


def filled(memory, count=12):
    """Three scopes of four turns each."""
    texts = ("city=Bergen", "likes=tea", "broke", "fixed it")
    for n in range(count):
        report = say(f"e{n}", f"{texts[n // 3 % 4]} word{n}", n, scope=f"user/{n % 3}", speaker="ana")
        memory.record_many([report])
    memory.settle()
    return memory


def as_json(value):
    """A document as it comes out of a file."""
    return json.loads(msgspec.json.encode(value))
