"""The guidelines as HTML."""

from __future__ import annotations

import pytest

from annotate_ui.guidelines import render_guidelines
from catalog.preset import load_preset


def test_html_within_the_markdown_comes_out_as_text() -> None:
    html = render_guidelines("Hello <script>alert(1)</script>\n\n<img src=x onerror=alert(1)>")
    assert "<script>" not in html
    assert "<img" not in html
    assert "&lt;script&gt;" in html


@pytest.mark.parametrize("url", ["javascript:alert(1)", "data:text/html,x", "vbscript:x"])
def test_a_link_that_runs_something_is_no_link(url: str) -> None:
    assert "<a" not in render_guidelines(f"[click]({url})")


def test_tables_are_aligned_without_inline_styles() -> None:
    html = render_guidelines("| a | b |\n|---|--:|\n| 1 | 2 |")
    assert "style=" not in html
    assert '<td class="align-right">2</td>' in html


def test_the_guidelines_of_the_presets_have_a_heading_for_each_class() -> None:
    for name in ("voc2007", "voc2012"):
        preset = load_preset(name)
        html = render_guidelines(preset.guidelines)
        assert "style=" not in html
        for item in preset.classes:
            assert f"<h3>{item.display}</h3>" in html
