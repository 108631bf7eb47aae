"""Which of a detector's detections are stored, as rows of the table; the others are counted."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import compress, repeat
from typing import Any

import numpy as np

from catalog.party import Party
from catalog.states import WordKind
from vockit.foreign.datasets.run_lengths import find_run_lengths, pack_run_lengths
from vockit.format.rings import fill

from .fitting import Fitted, fit
from .photographs import Photograph, Photographs
from .values import Detections, LoadReport, Mask, Part, Polygons, SetInfo

OTHER_CLASS = "a class that the party does not have"
COLUMNS = (
    "set_id",
    "image_id",
    "class_id",
    "confidence",
    "mask",
    "parts",
    "box_xmin",
    "box_ymin",
    "box_xmax",
    "box_ymax",
)
Row = tuple[Any, ...]
"""The values of a suggestion in the order of COLUMNS."""


@dataclass
class Judge:
    """Makes rows of the detections of one set; `report` counts what is left out and changed."""

    party: Party
    info: SetInfo
    words: Mapping[str, str]
    photographs: Photographs
    report: LoadReport
    _classes: dict[str, str | None] = field(default_factory=dict)

    def make_rows(self, batch: Detections) -> list[Row]:
        """The rows of the detections that are right; the others are counted."""
        photographs = self.photographs.find_all(batch.images)
        fitted = self._fit(batch, photographs)
        class_ids = [self._find_class(word) for word in batch.classes]
        masks = _fill_polygons(batch, photographs)
        columns = zip(photographs, class_ids, fitted.faults, masks, strict=True)
        faults = [_find_fault(*values) for values in columns]
        if any(faults):
            for place, fault in enumerate(faults):
                if fault:
                    self._leave_out(fault, batch, place)
        is_stored = np.array([not fault for fault in faults])
        if cut := int((fitted.is_cut & is_stored).sum()):
            self.report.changed["cut at the border of the photograph"] += cut
        rows = zip(
            repeat(self.report.set_id),
            [photograph.id for photograph in photographs],
            class_ids,
            batch.confidences.tolist(),
            [mask.counts if mask else None for mask in masks],
            self._make_parts(batch, photographs, class_ids, faults),
            *fitted.boxes.T.tolist(),
            strict=False,  # the number of the set has no end
        )
        return list(compress(rows, is_stored.tolist()))

    def _make_parts(
        self,
        batch: Detections,
        photographs: Sequence[Photograph],
        class_ids: Sequence[str | None],
        faults: Sequence[str],
    ) -> list[str | None]:
        """The parts of each detection that is stored, as JSON; None where it has none."""
        if batch.parts is None:
            return [None] * len(photographs)
        columns = zip(batch.parts, photographs, class_ids, faults, strict=True)
        return [
            self._pack_parts(parts, photograph, class_id) if parts and not fault else None
            for parts, photograph, class_id, fault in columns
        ]

    def _pack_parts(
        self, parts: Sequence[Part], photograph: Photograph, class_id: str | None
    ) -> str | None:
        """The parts that an object of the class can have; the others are counted."""
        edges = np.array([part_edges for _, part_edges in parts], np.float64)
        sizes_wh = np.array([[photograph.width_px, photograph.height_px]] * len(parts), np.float64)
        fitted = fit(edges, np.ones(len(parts)), sizes_wh, min_confidence=0, min_px=1)
        room = self._find_room(class_id)
        kept = list[dict[str, Any]]()
        for (word, _), box, fault in zip(parts, fitted.boxes.tolist(), fitted.faults, strict=True):
            spec = self.party.find_word(WordKind.PART, self.words.get(word, word))
            if fault:
                self.report.changed["without a part that has no box in the photograph"] += 1
            elif spec is None or room[spec.key] == 0:
                self.report.changed["without a part that the party's class does not have"] += 1
            else:
                room[spec.key] -= 1
                kept.append({"part": spec.key, "box": box})
        return json.dumps(kept) if kept else None

    def _find_room(self, class_id: str | None) -> Counter[str]:
        """How many of each part an object of a class can have."""
        spec = self.party.find_class_today(class_id or "")
        if spec is None or not spec.has_parts:
            return Counter()
        return Counter({part.key: part.max_count for part in self.party.preset.parts})

    def _fit(self, batch: Detections, photographs: Sequence[Photograph]) -> Fitted:
        """The boxes in their photographs."""
        widths = np.fromiter((item.width_px for item in photographs), np.float64)
        heights = np.fromiter((item.height_px for item in photographs), np.float64)
        sizes_wh = np.column_stack([widths, heights])
        edges = batch.edges * np.tile(sizes_wh, 2) if batch.is_share else batch.edges
        return fit(
            edges,
            batch.confidences,
            sizes_wh,
            min_confidence=self.info.min_confidence,
            min_px=self.party.settings.annotate.min_box_px,
        )

    def _leave_out(self, fault: str, batch: Detections, place: int) -> None:
        self.report.left_out[fault] += 1
        if fault == OTHER_CLASS:
            self.report.unknown_classes[batch.classes[place]] += 1
        elif fault not in self.report.first:
            box = ", ".join(f"{edge:g}" for edge in batch.edges[place])
            self.report.first[fault] = (
                f"{batch.images[place]}, {batch.classes[place]} "
                f"{batch.confidences[place]:g}, edges {box}"
            )

    def _find_class(self, word: str) -> str | None:
        """The id of the party's class; None where it has none, or the map leads to nothing."""
        if word not in self._classes:
            wanted = self.words.get(word, word)
            spec = self.party.find_class(wanted) if wanted else None
            self._classes[word] = spec.key if spec else None
        return self._classes[word]


def _fill_polygons(batch: Detections, photographs: Sequence[Photograph]) -> list[Mask | None]:
    """The masks of a batch, polygons filled in the sizes of their photographs."""
    if batch.masks is None:
        return [None] * len(photographs)
    return [
        _fill(mask, photograph) if isinstance(mask, Polygons) else mask
        for mask, photograph in zip(batch.masks, photographs, strict=True)
    ]


def _fill(polygons: Polygons, photograph: Photograph) -> Mask | None:
    """The pixels inside any of the polygons; None where there are none in the photograph."""
    if photograph.fault:
        return None
    width = photograph.width_px
    height = photograph.height_px
    inside = np.zeros((height, width), np.bool_)
    for ring in polygons.rings:
        corners = np.clip(np.array(ring).reshape(-1, 2), 0, (width, height)).round().astype(int)
        inside |= fill([[(x, y) for x, y in corners.tolist()]], width, height)
    if not inside.any():
        return None
    return Mask(height, width, pack_run_lengths(find_run_lengths(inside)))


def _find_fault(photograph: Photograph, class_id: str | None, fault: str, mask: Mask | None) -> str:
    """Why a detection is left out, empty where it is not; `fault` is that of its box."""
    if photograph.fault or class_id is None or fault:
        return photograph.fault or (OTHER_CLASS if class_id is None else fault)
    size_wh = (photograph.width_px, photograph.height_px)
    if mask is not None and (mask.width_px, mask.height_px) != size_wh:
        return "a mask of another size than its photograph"
    return ""
