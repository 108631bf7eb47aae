"""What a check of doctor says, and of what it says it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from vockit.report.comparison import Compared


@dataclass(frozen=True)
class Check:
    """One thing looked at; `state` is "ok", "repaired", "warning" or "error".

    `compared` is what was compared, where items were; the text is made from it.
    """

    name: str
    state: str
    text: str
    compared: Compared | None = None

    def as_json(self) -> dict[str, Any]:
        """The same as JSON values."""
        document: dict[str, Any] = {"name": self.name, "state": self.state, "text": self.text}
        if self.compared is not None:
            document["compared"] = self.compared.as_json()
        return document


def make_check(name: str, compared: Compared, advice: str = "", *, fault: str = "error") -> Check:
    """The check of that name; `advice` follows where something differs.

    Without a single item, as in a new party, there is a warning: nothing was compared.
    """
    if not compared.compared:
        counts = f"{compared.counts[:1].upper()}{compared.counts[1:]}"
        return Check(name, "warning", f"{counts}, so nothing was compared yet.", compared)
    if compared.is_passed:
        return Check(name, "ok", compared.sentence, compared)
    return Check(name, fault, f"{compared.sentence} {advice}".rstrip(), compared)
