"""Sentences that remember what they were made of, so that a page can say them in another language.

    say("Image {image_id} does not exist.", image_id=3)

is the English text, for commands, logs and files. A page looks up its template among the
translations, and fills the values in again (web/language.py).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from string import Formatter
from typing import Any

Value = str | int | float | Sequence[str | int | float]
"""What stands in a sentence; a Sentence in it is translated too, a list is joined by commas."""
FormatValue = Callable[[Value, str], str]
"""The text of a value by a format such as ".1f", which is empty in most places."""


class Sentence(str):
    """The English text; `template` has places such as {image_id} for the values of these names."""

    template: str
    values: Mapping[str, Value]

    def __new__(cls, template: str, values: Mapping[str, Value]) -> Sentence:
        """The text of the template with these values; raises KeyError where one is missing."""
        sentence = super().__new__(cls, fill_in(template, values, _format_english))
        sentence.template = template
        sentence.values = values
        return sentence

    def __getnewargs__(self) -> tuple[str, Mapping[str, Value]]:  # type: ignore[override]
        """What a copy is made from."""
        return self.template, self.values


def say(template: str, /, **values: Value) -> Sentence:
    """The sentence; the template is a literal, so that a test finds it and its translations."""
    return Sentence(template, values)


def say_number(count: int, singular: str, plural: str, /, **values: Value) -> Sentence:
    """The one sentence or the other by `count`, which is a value of both; both are literals."""
    return Sentence(singular if count == 1 else plural, values | {"count": count})


def say_all(words: Sequence[str]) -> str:
    """As in "class, box and view"."""
    *first, last = words
    return say("{words} and {last}", words=first, last=last) if first else last


def quote_error(error: Exception) -> Sentence:
    """What an error says: the sentence that it was made with, or its text as it is."""
    first = error.args[0] if error.args else ""
    return first if isinstance(first, Sentence) else say("{text}", text=str(error))


def name_term(word: str) -> Sentence:
    """A word such as a class, a role or a state, which has a translation of its own or none."""
    return Sentence(word.replace("{", "{{").replace("}", "}}"), {})


def fill_in(template: str, values: Mapping[str, Value], format_value: FormatValue) -> str:
    """The template with its values; raises KeyError where one is missing."""
    parts = []
    for text, name, form, _ in Formatter().parse(template):
        parts.append(text)
        if name is not None:
            parts.append(format_value(values[name], form or ""))
    return "".join(parts)


def list_places(template: str) -> list[str]:
    """The names of the values that the template takes, in alphabetical order."""
    return sorted(name for _, name, _, _ in Formatter().parse(template) if name is not None)


def take_apart(text: str) -> dict[str, Any] | None:
    """What a sentence is made of as JSON, to be stored next to its text; None for other texts."""
    if not isinstance(text, Sentence):
        return None
    values = {name: _take_value_apart(value) for name, value in text.values.items()}
    return {"template": text.template, "values": values}


def put_together(text: str, parts: Mapping[str, Any] | None) -> str:
    """The sentence that was stored as these parts; the text itself where there are none."""
    if parts is None:
        return text
    values = {name: _put_value_together(value) for name, value in parts["values"].items()}
    return Sentence(parts["template"], values)


def _format_english(value: Value, form: str) -> str:
    if isinstance(value, str | int | float):
        return format(value, form)
    return ", ".join(_format_english(item, form) for item in value)


def _take_value_apart(value: Value) -> Any:
    if isinstance(value, Sentence):
        return take_apart(value)
    if isinstance(value, str | int | float):
        return value
    return [_take_value_apart(item) for item in value]


def _put_value_together(value: Any) -> Value:
    if isinstance(value, Mapping):
        return put_together("", value)
    if isinstance(value, list):
        return [_put_value_together(item) for item in value]  # type: ignore[misc]
    return value  # type: ignore[no-any-return]
