"""The file that a backup is: a zip of the log, the keyring, the settings and a manifest, not compressed.

The zip's comment is the SHA-256 of every byte before it, so that a cut or flipped file is found whole, before anything
of it is used. The master key is sealed for a recovery key and bound to the manifest, which names the hash of each file.
"""

import base64
import hashlib
import zipfile
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import msgspec

from eunoe.processors.forgetting.receipt import ChainHead
from eunoe.stores.books.recovery import Lock, opened_by, private_of, sealed_for
from eunoe.streams.errors import BadInput, HomeNewer, LogDamaged

FORMAT = 1
MANIFEST = "manifest.json"
_BLOCK = 1 << 20
_SUM = 64  # hex digits of the comment
_DATE = (2020, 1, 1, 0, 0, 0)
Progress = Callable[[float], None]


class Held(msgspec.Struct, frozen=True):
    """One file of a backup."""

    bytes: int
    sha256: str


class Manifest(msgspec.Struct, frozen=True, kw_only=True):
    """What a backup says of itself. heads: the last record of each partition. master: sealed for `lock`, base64."""

    format: int = FORMAT
    eunoe: str
    home: str
    at: str
    partitions: int
    records: int
    epoch: int
    heads: tuple[ChainHead, ...]
    files: dict[str, Held]
    lock: Lock
    master: str = ""


def written(path: Path, files: Mapping[str, Path], manifest: Manifest, master: bytes, progress: Progress) -> Manifest:
    """Write a backup to a new file, readable by its owner only; the manifest as it stands in it."""
    total, done = max(1, sum(file.stat().st_size for file in files.values())), 0
    held = {}
    path.touch(0o600, exist_ok=False)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_STORED) as archive:
        for name, file in files.items():
            digest = hashlib.sha256()
            with archive.open(zipfile.ZipInfo(name, _DATE), "w", force_zip64=True) as entry:
                for block in _blocks(file):
                    digest.update(block)
                    entry.write(block)
                    done += len(block)
                    progress(done / total)
            held[name] = Held(file.stat().st_size, digest.hexdigest())
        bare = msgspec.structs.replace(manifest, files=held)
        sealed = sealed_for(bare.lock, master, _binding(bare))
        whole = msgspec.structs.replace(bare, master=base64.b64encode(sealed).decode())
        archive.writestr(zipfile.ZipInfo(MANIFEST, _DATE), msgspec.json.encode(whole, order="sorted"))
        archive.comment = bytes(_SUM)
    with path.open("r+b") as file_:
        file_.seek(-_SUM, 2)
        end = file_.tell()
        found = _sum(path, end)
        file_.write(found.encode())
    return whole


class Archive:
    """A backup that was found whole. Raises BadInput for what is none or damaged, HomeNewer for a later release's."""

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            size = path.stat().st_size
            with path.open("rb") as file:
                start = file.read(4)
                file.seek(max(0, size - _SUM))
                said = file.read()
        except OSError as error:
            raise BadInput(f"{path} can't be read ({error.strerror})") from None
        if start != b"PK\x03\x04":
            raise BadInput(f"{path.name} is no backup of Eunoe")
        if said != _sum(path, size - _SUM).encode():
            raise BadInput(f"{path.name} is cut or damaged: its bytes are not those that were written")
        self.manifest = self._manifest()

    def _manifest(self) -> Manifest:
        try:
            with zipfile.ZipFile(self.path) as archive:
                document = archive.read(MANIFEST)
            made = msgspec.json.decode(document, type=_Versioned)
            if made.format > FORMAT:
                raise HomeNewer(f"{self.path.name} was made by a later release; upgrade Eunoe to restore it")
            return msgspec.json.decode(document, type=Manifest)
        except (zipfile.BadZipFile, KeyError, msgspec.DecodeError, UnicodeDecodeError, NotImplementedError):
            raise BadInput(f"{self.path.name} is no backup of Eunoe") from None

    def master(self, words: str) -> bytes:
        """The master key, by the recovery key or passphrase. Raises WrongRecoveryKey, BadInput."""
        private = private_of(words, self.manifest.lock)
        try:
            bare = msgspec.structs.replace(self.manifest, master="")
            return opened_by(private, base64.b64decode(self.manifest.master), _binding(bare))
        except (LogDamaged, ValueError):
            raise BadInput(f"{self.path.name} was changed: its manifest is not the one that was sealed") from None

    def extract(self, folder: Path, progress: Progress) -> None:
        """Write the files into a folder, each as it was. Raises BadInput where one is another."""
        total, done = max(1, sum(held.bytes for held in self.manifest.files.values())), 0
        with zipfile.ZipFile(self.path) as archive:
            for name, held in self.manifest.files.items():
                digest, target = hashlib.sha256(), folder / Path(name).name
                target.touch(0o600, exist_ok=False)
                try:
                    with archive.open(name) as entry, target.open("wb") as file:
                        while block := entry.read(_BLOCK):
                            digest.update(block)
                            file.write(block)
                            done += len(block)
                            progress(done / total)
                except (KeyError, zipfile.BadZipFile):
                    raise BadInput(f"{self.path.name} lacks {name}") from None
                if digest.hexdigest() != held.sha256:
                    raise BadInput(f"{self.path.name} was changed: {name} is not the file that was saved")


class _Versioned(msgspec.Struct):
    """All that a manifest of any release says."""

    format: int


def _binding(manifest: Manifest) -> bytes:
    return hashlib.sha256(msgspec.json.encode(manifest, order="sorted")).digest()


def _blocks(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        while block := file.read(_BLOCK):
            yield block


def _sum(path: Path, size: int) -> str:
    """SHA-256 of the first `size` bytes."""
    digest, left = hashlib.sha256(), size
    with path.open("rb") as file:
        while left > 0 and (block := file.read(min(_BLOCK, left))):
            digest.update(block)
            left -= len(block)
    return digest.hexdigest()
