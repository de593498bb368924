"""Real histories in: files of other tools read as drafts, entry by entry, refusals included."""

from eunoe.gateway.importers.lines import Defaults, ImportLine
from eunoe.gateway.importers.readers import FORMATS, Format, detect, read

__all__ = ["FORMATS", "Defaults", "Format", "ImportLine", "detect", "read"]
