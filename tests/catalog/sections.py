"""The sections of a Markdown page."""

from __future__ import annotations

import re


def find_section(page: str, heading: str) -> str | None:
    """What stands below this heading, to the next of its level or above; capitals do not count."""
    found = re.search(rf"^(#+) {re.escape(heading)}$", page, re.MULTILINE | re.IGNORECASE)
    if found is None:
        return None
    next_heading = re.compile(rf"^#{{1,{len(found[1])}}} ", re.MULTILINE)
    return next_heading.split(page[found.end() :], maxsplit=1)[0].strip()
