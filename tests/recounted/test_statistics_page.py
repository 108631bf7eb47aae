"""Each number of the page of statistics is one that `vocparty tables` counts, counted again there.

No number may be on the page that the tables do not have.
"""

import html
import re
from typing import Any

from .parties import IS_FINISHED_WORK, AwkwardParty
from .test_commands import call

Json = dict[str, Any]


def read_tables(page: str) -> list[list[list[str]]]:
    """The cells of each row of each table below its heads, as they are shown."""
    tables = []
    for table in re.findall("<table[^>]*>(.*?)</table>", page, re.DOTALL):
        body = table.partition("</thead>")[2]
        rows = re.findall("<tr>(.*?)</tr>", body, re.DOTALL)
        cells = [re.findall(r"<t[hd][^>]*>(.*?)</t[hd]>", row, re.DOTALL) for row in rows]
        tables.append([list(map(html.unescape, some)) for some in cells])
    return tables


def show(value: Any, decimals: int) -> str:
    """A value as the page has it."""
    if value is None:
        return "–"
    return f"{value:.{decimals}f}" if isinstance(value, float) else str(value)


def list_expected(document: Json) -> list[list[list[str]]]:
    """The rows of all tables without the names of the rows."""
    tables = []
    for table in document["tables"].values():
        rows = list(table["rows"].values())
        if table["total"]:
            rows.append(table["total"])
        if table["rows"]:
            cells = [
                [str(cell[unit]) for cell in row for unit in ("images", "objects")] for row in rows
            ]
            tables.append(cells)
    for name, decimals in {
        "histogram": 3,
        "chance": 3,
        "sizes": 2,
        "aspects": 2,
        "together": 3,
        "localization": 3,
    }.items():
        rows = [list(row.values())[1:] for row in document[name]]
        tables.append([[show(value, decimals) for value in row] for row in rows])
    return tables


def test_each_number_of_the_statistics_page_is_that_of_the_tables(awkward: AwkwardParty) -> None:
    with awkward.open() as house:
        page = house.enter(awkward.token).get("/statistics").text
    shown = [[row[1:] for row in rows] for rows in read_tables(page)]
    assert shown == list_expected(call(awkward, "tables"))
    images = awkward.number(
        "SELECT count(*) FROM image AS i JOIN annotation AS a ON a.id = i.annotation_id"
        f" WHERE {IS_FINISHED_WORK}"
    )
    assert f"Based on all finished images ({images}), released or not." in page
    assert "Counted just now." in page
    rest = re.sub("<table>.*?</table>|<img[^>]*>|<[^>]+>", " ", page, flags=re.DOTALL)
    rest = rest.replace(f"({images})", "")
    known = r"Table [1-4]|Fig\. 4|50 %|VOC20\d\d|Zoo 5|kit of 2011, table 1|appendix 2"
    assert [line for line in re.sub(known, "", rest).splitlines() if re.search(r"\d", line)] == []
