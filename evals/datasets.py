"""Questions with gold evidence, and the turns that they ask about. Data comes from the user's own path."""

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, Literal

import msgspec

from eunoe.evals.evidence import words_of
from eunoe.gateway import samples
from eunoe.gateway.importers import files, locomo, read
from eunoe.streams.errors import BadInput

Name = Literal["locomo", "sample"]
CATEGORIES = {1: "multi_hop", 2: "temporal", 3: "open_domain", 4: "single_hop", 5: "adversarial"}
_ID = re.compile(r"D:?(\d+):(\d+)")


class Question(msgspec.Struct, frozen=True):
    """`gold`: ids of the turns that answer it, in its scope. `reachable`: share of them that label audits left."""

    text: str
    scope: str
    gold: frozenset[str]
    category: str
    reachable: float = 1.0


class Turn(msgspec.Struct, frozen=True):
    """One turn as it was said. A caption describes an image that was sent with it."""

    text: str
    voice: str
    session: str
    caption: str = ""


class Dataset(msgspec.Struct, frozen=True):
    """Files to import and what to ask of them.

    turns: by scope and event id, in the files' order. names: words of the speakers' names, by scope.
    left_out: questions that can't be asked, by reason. malformed: gold ids that had to be repaired.
    """

    name: Name
    format: str
    paths: tuple[Path, ...]
    turns: Mapping[str, Mapping[str, Turn]]
    names: Mapping[str, frozenset[str]]
    questions: tuple[Question, ...]
    left_out: Mapping[str, int]
    malformed: int = 0

    @property
    def ceiling(self) -> float:
        """The mean share that is left to find where label errors were corrected for; 1 where none are known."""
        return sum(q.reachable for q in self.questions) / max(1, len(self.questions))


def load(name: str, path: str | Path | None = None) -> Dataset:
    """The dataset `locomo` at a path (a file or a folder of them), or the project's own `sample`.

    Raises BadInput when there is no such dataset or the path holds none.
    """
    if name == "sample":
        return _sample()
    if name != "locomo":
        raise BadInput("unknown dataset; known are locomo, sample")
    if path is None:
        raise BadInput("name the file or folder that holds LoCoMo; it can't be shipped with Eunoe")
    return _locomo(Path(path))


def _sample() -> Dataset:
    questions = [Question(q.question, q.scope, frozenset(q.events), q.category) for q in samples.gold().questions]
    return _made("sample", "jsonl", (samples.history_path(),), questions, Counter(), 0)


# -- LoCoMo ------------------------------------------------------------------------------------------


def _locomo(path: Path) -> Dataset:
    """All conversations of a file or folder; a list of label errors beside them lowers the ceiling."""
    talks: list[dict[str, Any]] = []
    errors: list[dict[str, Any]] = []
    used: list[Path] = []
    for file in sorted(path.glob("*.json")) if path.is_dir() else [path]:
        value = files.document(file)
        entries = value if isinstance(value, list) else [value]
        if entries and all(isinstance(e, dict) and "correct_evidence" in e for e in entries):
            errors += entries
            continue
        talks += locomo.conversations(value)
        used.append(file)
    if not talks:
        raise BadInput(f"{path.name!r} holds no LoCoMo conversation")
    audited = {(e.get("sample_id"), e.get("qa_index")): e["correct_evidence"] for e in errors}
    left_out: Counter[str] = Counter()
    questions: list[Question] = []
    malformed = 0
    for talk in talks:
        for question, repaired in _asked(talk, audited, left_out):
            questions.append(question)
            malformed += repaired
    return _made("locomo", "locomo", tuple(used), questions, left_out, malformed)


def _asked(
    talk: dict[str, Any], audited: Mapping[tuple[Any, Any], Any], left_out: Counter[str]
) -> Iterator[tuple[Question, int]]:
    """The questions of one conversation that have gold evidence, each with how many ids were repaired."""
    sample = talk["sample_id"]
    known = _dialogue_ids(talk)
    asked = talk.get("qa")
    for index, entry in enumerate(asked if isinstance(asked, list) else []):
        if not isinstance(entry, dict) or not isinstance(entry.get("question"), str):
            left_out["malformed"] += 1
            continue
        named, repaired = evidence_ids(entry.get("evidence"))
        gold = named & known
        if not gold:
            left_out["unknown_evidence" if named else "no_evidence"] += 1
            continue
        correct = audited.get((sample, index))
        category = entry.get("category")
        reachable = 1.0 if correct is None else len(gold & evidence_ids(correct)[0]) / len(gold)
        yield (
            Question(
                text=entry["question"],
                scope=f"locomo/{sample}",
                gold=frozenset(f"{sample}:{dialogue}" for dialogue in gold),
                category=CATEGORIES.get(category, "other") if isinstance(category, int) else "other",
                reachable=reachable,
            ),
            repaired,
        )


def evidence_ids(evidence: Any) -> tuple[set[str], int]:
    """(gold ids as `D8:6`, how many entries needed repair: several in one, a stray colon, leading zeros)."""
    entries = [e for e in evidence if isinstance(e, str)] if isinstance(evidence, list) else []
    found: set[str] = set()
    repaired = 0
    for entry in entries:
        ids = {f"D{int(session)}:{int(turn)}" for session, turn in _ID.findall(entry)}
        repaired += ids != {entry}
        found |= ids
    return found, repaired


def _dialogue_ids(talk: dict[str, Any]) -> set[str]:
    turns = [turn for session in locomo.sessions(talk) for turn in talk["conversation"][session]]
    return {t["dia_id"] for t in turns if isinstance(t, dict) and isinstance(t.get("dia_id"), str)}


# -- both --------------------------------------------------------------------------------------------


def _made(
    name: Name,
    format: str,
    paths: tuple[Path, ...],
    questions: list[Question],
    left_out: Counter[str],
    malformed: int,
) -> Dataset:
    """The dataset with the turns of its files, read as an import would."""
    turns: dict[str, dict[str, Turn]] = {}
    names: dict[str, set[str]] = {}
    for draft in (line.draft for path in paths for line in read(path, format)):
        if draft and draft.id:
            caption = (draft.meta or {}).get("caption", "")
            turn = Turn(draft.text, draft.speaker or draft.role, draft.session, str(caption))
            turns.setdefault(draft.scope, {})[draft.id] = turn
            names.setdefault(draft.scope, set()).update(words_of(draft.speaker or ""))
    return Dataset(
        name=name,
        format=format,
        paths=paths,
        turns=turns,
        names={scope: frozenset(words) for scope, words in names.items()},
        questions=tuple(questions),
        left_out=dict(left_out),
        malformed=malformed,
    )
