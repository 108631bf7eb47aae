"""The README.md of a release, which is a Hugging Face dataset card too (YAML in front)."""

from __future__ import annotations

from export.files import tree_path
from export.plan import ReleasePlan
from export.split_report import NAME as SPLITS

from .citation import describe, list_licences
from .croissant import IMAGES_PATH, OBJECTS_PATH
from .escapes import escape_markdown
from .statistics import Table, format_markdown

_SIZES = ((1000, "n<1K"), (10_000, "1K<n<10K"), (100_000, "10K<n<100K"), (1_000_000, "100K<n<1M"))
SPLIT = "release"
"""All rows are in one; their column `set` says train, val or test. `train` would be misleading."""
_LARGEST = "1M<n<10M"


def format_card(plan: ReleasePlan, table: Table) -> str:
    """The text of README.md; the table is that of the classes."""
    size = next((word for limit, word in _SIZES if len(plan.images) < limit), _LARGEST)
    return f"""---
license: other
license_name: per-image
license_link: CREDITS.csv
task_categories:
- object-detection
size_categories:
- {size}
configs:
- config_name: objects
  default: true
  data_files:
  - split: {SPLIT}
    path: {OBJECTS_PATH}
- config_name: images
  data_files:
  - split: {SPLIT}
    path: {IMAGES_PATH}
---

# {escape_markdown(plan.name)}

{escape_markdown(describe(plan))}

- `{tree_path(plan)}`: the tree that the PASCAL VOC development kit reads
- `DATASHEET.md`: how it was made, and what is known of its limits
- `GUIDELINES.md`: what the annotators were told
- `CREDITS.csv`, `CREDITS.html`: who took each photograph, and its licence
- `release.json`: where each image came from, who annotated and checked it
- `{IMAGES_PATH}`, `{OBJECTS_PATH}`: the same as tables, whose column `set` says train, val or
  test; `croissant.json` describes them and the pictures
{_splits_line(plan)}- `statistics/`: how many images and objects of each class
- `CITATION.cff`: how to cite it; `CHANGELOG.md`: what changed since the release before
- `SHA256SUMS`: `sha256sum --check SHA256SUMS` says whether all files are as released

## Images / objects by class

{format_markdown(table)}
Each photograph has its own licence. They are:

{list_licences(plan)}
"""


def _splits_line(plan: ReleasePlan) -> str:
    """A blind release does not tell what its sets hold."""
    what = "what each set holds of each class, and which images no set may part"
    return "" if plan.is_blind else f"- `{SPLITS}`: {what}\n"
