"""The statistics as text, JSON, CSV and LaTeX."""

from qa.statistics import take_statistics
from qa.statistics_files import (
    format_all_csv,
    format_all_latex,
    format_all_text,
    format_document,
    make_files,
)
from qa.statistics_pictures import draw_picture

from .counted import RELEASED
from .making import VOC2007, VOC2012


def test_the_text_has_the_layout_of_the_development_kit() -> None:
    text = format_all_text(take_statistics(RELEASED, VOC2012, subject="VOC2026"))
    lines = text.split("\n\nTable 2")[0].split("\n\n", 1)[1].splitlines()
    assert lines[0].startswith("Table 1: Main image sets.")
    cat = next(line for line in lines if line.startswith("cat"))
    assert cat.split() == ["cat", "1", "2", "1", "1", "2", "3", "0", "0"]
    assert lines[-1].split() == ["Total", "2", "3", "2", "3", "4", "6", "1", "1"]


def test_the_same_statistics_give_the_same_files() -> None:
    first, second = (
        make_files(take_statistics(RELEASED, VOC2012, subject="VOC2026")) for _ in range(2)
    )
    assert first == second
    tables = ["table1", "table2", "table3", "table4"]
    figures = ["histogram", "chance", "sizes", "aspects", "together"]
    names = (*tables, *figures, "localization")
    text = {f"{name}.{form}" for name in names for form in ("csv", "tex")}
    drawn = {f"{name}.svg" for name in (*tables, *figures) if name != "table2"}
    assert set(first) == {"statistics.txt"} | text | drawn
    assert b"potted plant" in first["histogram.svg"]


def test_an_empty_table_says_why_in_every_format() -> None:
    counted = take_statistics(RELEASED, VOC2012, subject="VOC2026")
    assert "Table 2: Segmentation image sets." in format_all_text(counted)
    assert "No image has segmentation masks" in format_all_text(counted)
    latex = format_all_latex(counted)["table2"]
    assert r"\multicolumn{9}{l}{No image has segmentation masks" in latex
    assert format_all_csv(counted)["table2"].splitlines() == [
        "name,train_img,train_obj,val_img,val_obj,trainval_img,trainval_obj,test_img,test_obj"
    ]
    document = format_document(take_statistics(RELEASED, VOC2007, subject="VOC2026"))
    assert document["tables"]["table4"]["empty"].startswith("The preset has no actions")
    assert document["tables"]["table1"]["empty"] is None
    nothing = take_statistics([], VOC2012, subject="nothing")
    assert b"<svg" in draw_picture(nothing, "sizes")
    assert "Total" in format_all_text(nothing)
