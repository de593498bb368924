"""The file tree: memories as Markdown that a person can read. Rendered from the memories whenever it is asked for.

A pure function of them holds no copy that could be stale or be forgotten to purge.

    <scope>/preferences.md      what somebody likes, prefers, wants
    <scope>/facts/<about>.md    facts, a file for each one that they are about
    <scope>/skills/skills.md    what to do when

Beside them stands <scope>/audit.log, which is read off the log (`gateway.auditing`) and is no part of their digest.
"""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable
from hashlib import sha256

from eunoe.stores.contracts import Memory

_PREFERENCES = ("likes", "prefers", "favourite_", "diet")
_SLUG_CHARACTERS = 60


def rendered(scope: str, memories: Iterable[Memory]) -> dict[str, str]:
    """Path → Markdown text for one scope. Retired memories and episodes stand in no file."""
    sections: dict[str, list[Memory]] = defaultdict(list)
    titles: dict[str, str] = {}
    for memory in memories:
        if memory.retired or memory.kind == "episode":
            continue
        name, title = _place(memory)
        path = f"{folder(scope)}/{name}"
        sections[path].append(memory)
        titles.setdefault(path, title)
    return {path: _page(titles[path], held) for path, held in sorted(sections.items())}


def folder(scope: str) -> str:
    """The folder of a scope; different scopes never share one, whatever a file system makes of case."""
    parts = [slug(part) for part in scope.split("/")]
    return "/".join(parts)


def slug(name: str) -> str:
    """A file name for a name: readable, safe, and other for other names."""
    plain = unicodedata.normalize("NFKC", name)
    safe = re.sub(r"[^\w.-]+", "-", plain).strip("-.") or "_"
    if safe == name and safe == safe.lower() and len(safe) <= _SLUG_CHARACTERS:
        return safe
    return f"{safe[:_SLUG_CHARACTERS].lower()}-{sha256(name.encode('utf-8', 'surrogatepass')).hexdigest()[:8]}"


def _place(memory: Memory) -> tuple[str, str]:
    """File and title of a memory."""
    if memory.kind == "skill":
        return "skills/skills.md", "Skills"
    if memory.attribute and memory.attribute.startswith(_PREFERENCES):
        return "preferences.md", "Preferences"
    about = memory.about or "general"
    return f"facts/{slug(about)}.md", f"Facts about {about}"


def _page(title: str, memories: list[Memory]) -> str:
    lines = [f"# {_one_line(title)}", ""]
    for memory in sorted(memories, key=lambda m: (m.key, m.id)):
        lines.append(f"- {_one_line(memory.text)}{_marks(memory)}")
        lines.append(f"  <!-- {memory.id} · {', '.join(_sources(memory))} -->")
    return "\n".join(lines) + "\n"


def _marks(memory: Memory) -> str:
    marks = [f"last confirmed {memory.last_confirmed[:10]}"]
    if memory.superseded_by:
        marks.append("superseded")
    if memory.contested_by:
        marks.append("contested")
    if memory.untrusted:
        marks.append("untrusted origin")
    if memory.valid_until:
        marks.append(f"until {memory.valid_until[:10]}")
    return f" _({'; '.join(marks)})_"


def _sources(memory: Memory) -> list[str]:
    return [_one_line(source.event).replace("--", "- -") for source in memory.sources]


def _one_line(text: str) -> str:
    """Text that can't start a new line or an HTML comment in a Markdown list."""
    return " ".join(text.split()).replace("<!--", "&lt;!--").replace("-->", "--&gt;")
