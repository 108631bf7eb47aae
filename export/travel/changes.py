"""What a release has otherwise than the one before it, as a CHANGELOG.md."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from export.plan import ReleasePlan
from export.releases.difference import Difference

from .escapes import escape_markdown

MOST_CHANGES = 1000


def format_changes(plan: ReleasePlan, before: str | None, found: Difference | None) -> str:
    """The text; `before` is the earlier release's name, None where this is the first.

    `found` is None where a difference would tell of a test set that is held back.
    """
    head = f"# Changes\n\n## {escape_markdown(plan.name)}\n\n"
    if before is None:
        return f"{head}The first release.\n"
    if found is None:
        earlier = escape_markdown(before)
        return f"{head}What it has otherwise than {earlier} is told with its test set.\n"
    counts = Counter(change.field for change in found.changes)
    lines = [
        f"Against {escape_markdown(before)}:\n",
        f"- images added: {len(found.added)}",
        f"- images withdrawn: {len(found.withdrawn)}{_name(found.withdrawn)}",
        f"- images left out: {len(found.left_out)}{_name(found.left_out)}",
        *(f"- {field} changed: {count}" for field, count in sorted(counts.items())),
    ]
    told = [f"- {change}" for change in found.changes[:MOST_CHANGES]]
    if len(found.changes) > MOST_CHANGES:
        told.append(f"- and {len(found.changes) - MOST_CHANGES} more")
    return head + "\n".join(lines) + "\n" + ("\n### In detail\n\n" if told else "") + _join(told)


def _name(ids: Sequence[str]) -> str:
    return f" ({', '.join(ids)})" if ids else ""


def _join(lines: Sequence[str]) -> str:
    return "".join(f"{line}\n" for line in lines)
