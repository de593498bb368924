"""What all tests share: the repository's own files, read once."""

import ast
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import pytest

PACKAGE_FOLDERS = ("streams", "stores", "processors", "gateway", "evals", "infra")
TEXT_SUFFIXES = frozenset({"", ".py", ".md", ".toml", ".txt", ".json", ".jsonl", ".yml", ".yaml", ".ini", ".mako"})
IGNORED = frozenset({"__pycache__", "build", "dist", "memory", "demo-home"})


@dataclass(frozen=True)
class TextFile:
    """One file of the repository; `name` is its path from the root."""

    name: str
    path: Path

    @cached_property
    def text(self) -> str:
        return self.path.read_text("utf-8")

    @cached_property
    def lines(self) -> list[str]:
        return self.text.splitlines()


class Module(TextFile):
    """A Python file of the repository."""

    @cached_property
    def tree(self) -> ast.Module:
        return ast.parse(self.text, self.name)

    @property
    def in_package(self) -> bool:
        """Whether it is installed, which tests are not."""
        return self.name.split("/")[0] in PACKAGE_FOLDERS

    @property
    def dotted(self) -> str:
        """The name under which it is imported."""
        return "eunoe." + self.name.removesuffix(".py").removesuffix("/__init__").replace("/", ".")

    def imports(self) -> list[tuple[int, str]]:
        """(line, dotted name) of everything it imports, lazily or not; `from a import b` counts as `a.b`."""
        found: list[tuple[int, str]] = []
        for node in ast.walk(self.tree):
            if isinstance(node, ast.Import):
                found += [(node.lineno, alias.name) for alias in node.names]
            elif isinstance(node, ast.ImportFrom):
                found += [(node.lineno, self._origin(node) + "." + alias.name) for alias in node.names]
        return found

    def _origin(self, node: ast.ImportFrom) -> str:
        if not node.level:
            return node.module or ""
        package = self.dotted if self.name.endswith("__init__.py") else self.dotted.rpartition(".")[0]
        parts = package.split(".")[: len(package.split(".")) - node.level + 1]
        return ".".join([*parts, *([node.module] if node.module else [])])


@pytest.fixture(scope="session")
def repository() -> Path:
    """The root of the repository."""
    return Path(__file__).resolve().parent.parent


@pytest.fixture(scope="session")
def text_files(repository: Path) -> list[TextFile]:
    """Every text file that a reader of the repository meets."""
    return [
        TextFile(str(path.relative_to(repository)), path)
        for path in sorted(repository.rglob("*"))
        if path.is_file() and path.suffix in TEXT_SUFFIXES and _belongs(path.relative_to(repository))
    ]


@pytest.fixture(scope="session")
def modules(text_files: list[TextFile]) -> list[Module]:
    """Every Python file of the repository, parsed on demand."""
    found = [Module(file.name, file.path) for file in text_files if file.path.suffix == ".py"]
    assert any(module.in_package for module in found), "no module was found: these tests would check nothing"
    return found


def _belongs(path: Path) -> bool:
    hidden = [part for part in path.parts if part.startswith(".")]
    return not IGNORED.intersection(path.parts) and (not hidden or hidden == [".ci"])
