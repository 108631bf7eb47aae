from simulate.people import take_turns


def test_findings_of_different_checks_alternate() -> None:
    items = [{"check": check, "number": at} for at, check in enumerate("aaabac")]
    turns = take_turns(items, lambda item: item["check"])
    assert "".join(item["check"] for item in turns) == "abcaaa"
    assert [item["number"] for item in turns] == [0, 3, 5, 1, 2, 4]
