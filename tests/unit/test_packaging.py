"""What a release holds: sdist → wheel → a fresh environment, without the network."""

import json
import os
import re
import subprocess
import sys
import tarfile
import tomllib
import venv
import zipfile
from pathlib import Path, PurePosixPath

import pytest

import eunoe

FOLDERS = ("streams", "stores", "processors", "gateway", "evals", "infra")
SHIPPED_SUFFIXES = frozenset({".py", ".json", ".jsonl", ".ini", ".mako"})
PIN = re.compile(r"[A-Za-z0-9._-]+==[A-Za-z0-9.+!]+")


def run(*command: str | Path, cwd: Path, env: dict[str, str] | None = None) -> str:
    """Standard output of a command that has to succeed."""
    done = subprocess.run(
        [str(part) for part in command], cwd=cwd, env=env, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, f"{command}: {done.stdout}{done.stderr}"
    return done.stdout


def package_files(root: Path) -> set[str]:
    """Code and data of the package's folders, as paths from the root."""
    return {
        str(PurePosixPath(path.relative_to(root)))
        for folder in FOLDERS
        for path in (root / folder).rglob("*")
        if path.suffix in SHIPPED_SUFFIXES and "__pycache__" not in path.parts
    }


@pytest.fixture(scope="module")
def release(repository, tmp_path_factory) -> tuple[Path, Path]:
    """The sdist, and the wheel that was built from it (not from the tree)."""
    out = tmp_path_factory.mktemp("dist")
    run(sys.executable, "-m", "build", "--no-isolation", "--outdir", out, repository, cwd=out)
    (sdist,), (wheel,) = out.glob("*.tar.gz"), out.glob("*.whl")
    return sdist, wheel


@pytest.mark.slow
def test_the_sdist_holds_every_file_of_the_package(repository, release):
    with tarfile.open(release[0]) as archive:
        held = {name.partition("/")[2] for name in archive.getnames()}
    wanted = package_files(repository) | {
        "pyproject.toml", "README.md", "LICENSE", "CHANGELOG.md", "constraints.txt",
        ".package/eunoe/__init__.py", ".package/eunoe/py.typed",
    }  # fmt: skip
    assert not wanted - held


@pytest.mark.slow
def test_the_wheel_holds_the_package_and_nothing_beside_it(repository, release):
    with zipfile.ZipFile(release[1]) as archive:
        held = set(archive.namelist())
    wanted = {f"eunoe/{name}" for name in package_files(repository)} | {"eunoe/__init__.py", "eunoe/py.typed"}
    assert not wanted - held
    top = {name.split("/")[0] for name in held}
    assert top == {"eunoe", f"eunoe-{eunoe.__version__}.dist-info"}


@pytest.mark.slow
def test_the_wheel_works_where_nothing_else_of_it_is(release, tmp_path):
    """The dependencies are lent by this environment; the package itself comes from the wheel alone."""
    home = tmp_path / "venv"
    venv.create(home, with_pip=False, symlinks=True)
    python = home / "bin" / "python"
    site = Path(run(python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))", cwd=tmp_path).strip())
    run(sys.executable, "-m", "pip", "--disable-pip-version-check", "install", "--quiet", "--no-deps",
        "--no-index", "--target", site, release[1], cwd=tmp_path)  # fmt: skip
    lent = [entry for entry in sys.path if entry.endswith("site-packages")]
    env = {**os.environ, "PYTHONPATH": os.pathsep.join(lent), "HOME": str(tmp_path)}
    program = "import eunoe, json; print(json.dumps([eunoe.__file__, eunoe.__version__]))"
    file, version = json.loads(run(python, "-c", program, cwd=tmp_path, env=env))
    assert Path(file).is_relative_to(site)
    assert version == eunoe.__version__
    command = run(python, "-m", "eunoe.gateway.cli", "--version", cwd=tmp_path, env=env)
    assert command == f"eunoe {eunoe.__version__}\n"
    demo = run(python, "-m", "eunoe.gateway.cli", "demo", cwd=tmp_path, env=env)
    assert "without a server" in demo


def test_versions_agree(repository):
    project = tomllib.loads((repository / "pyproject.toml").read_text("utf-8"))["project"]
    heading = re.search(r"^## (\S+)", (repository / "CHANGELOG.md").read_text("utf-8"), re.MULTILINE)
    assert heading and heading[1] == project["version"] == eunoe.__version__


def test_the_constraints_pin_names_and_versions_only(repository):
    lines = (repository / "constraints.txt").read_text("utf-8").splitlines()
    pins = [line for line in lines if not line.startswith("#")]
    assert not [line for line in pins if not PIN.fullmatch(line)]
    assert len(pins) == len({pin.split("==")[0].lower() for pin in pins})


def test_every_dependency_is_pinned(repository):
    project = tomllib.loads((repository / "pyproject.toml").read_text("utf-8"))["project"]
    wanted = project["dependencies"] + project["optional-dependencies"]["dev"]
    names = {re.split(r"[\[<>=~! ]", requirement)[0].lower() for requirement in wanted}
    pinned = {line.split("==")[0].lower() for line in (repository / "constraints.txt").read_text().splitlines()}
    assert not names - pinned


def test_the_base_install_stays_light(repository):
    """No server client, model engine or machine-learning library comes with it."""
    heavy = {
        "torch",
        "ray",
        "neo4j",
        "kafka-python",
        "aiokafka",
        "faust-streaming",
        "qdrant-client",
        "openai",
    }
    pinned = {line.split("==")[0].lower() for line in (repository / "constraints.txt").read_text().splitlines()}
    assert not heavy & pinned
