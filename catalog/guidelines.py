"""The page that tells annotators what to do: one Markdown text, fitted to a preset.

The text that comes with vocparty (presets/guidelines.md) serves every preset by its marks:

- `<!-- if FEATURE -->` or `<!-- if not FEATURE -->` to `<!-- end -->`: lines for presets with or
  without a feature, which is the name of a flag, or `parts`, or `actions`;
- `<!-- list NAME -->`: one of the preset's lists;
- `<!-- classes -->`: from here on one `### ` section for each class.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

_CLASSES_MARK = "<!-- classes -->\n"
_IF = re.compile(r"<!-- if (not )?(\w+) -->")
_LIST = re.compile(r"<!-- list (\w+) -->")
_END = "<!-- end -->"


@dataclass(frozen=True)
class PageContent:
    """What a preset puts into the page: its features, named lists, and a line for each class.

    `rules` maps the class's heading to its line, in the order of the page.
    """

    features: frozenset[str]
    lists: Mapping[str, Sequence[str]]
    rules: Mapping[str, str]


def compose_guidelines(page: str, content: PageContent) -> str:
    """The page with this content; a class without a section gets its line as the section.

    Raises ValueError where the marks of the page do not pair up.
    """
    general, _, sections = _keep_features(page, content.features).partition(_CLASSES_MARK)
    written = _split_sections(sections)
    chosen = (
        written.get(heading, f"### {heading}\n\n{rule}") for heading, rule in content.rules.items()
    )
    text = "\n\n".join([_fill_lists(general, content.lists), *chosen])
    return re.sub(r"\n{3,}", "\n\n", text).strip() + "\n"


def _keep_features(page: str, features: Collection[str]) -> str:
    kept: list[str] = []
    wanted: bool | None = None
    for line in page.splitlines(keepends=True):
        opening = _IF.fullmatch(line.strip())
        if bool(opening) != (wanted is None) and (opening or line.strip() == _END):
            raise ValueError(f"the guidelines have an unpaired mark: {line.strip()}")
        if opening:
            wanted = (opening[2] in features) != bool(opening[1])
        elif line.strip() == _END:
            wanted = None
        elif wanted is not False:
            kept.append(line)
    if wanted is not None:
        raise ValueError(f"the guidelines lack an {_END} after their last mark")
    return "".join(kept)


def _fill_lists(text: str, lists: Mapping[str, Sequence[str]]) -> str:
    return _LIST.sub(lambda mark: "\n".join(f"- {item}" for item in lists[mark[1]]), text)


def _split_sections(text: str) -> dict[str, str]:
    sections = re.split(r"^(?=### )", text, flags=re.MULTILINE)
    return {section[4:].split("\n", 1)[0].strip(): section.strip() for section in sections[1:]}
