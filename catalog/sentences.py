"""English sentences that keep their template and values, so that pages can translate them.

    say("Image {image_id} does not exist.", image_id=3)

is a str with the English text, which commands, logs and files use as it is. A page looks up the
template among the translations and fills in the same values (web/language.py).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from string import Formatter
from typing import Any

Value = str | int | float | Sequence[str | int | float]
"""A value for a place of a template. A Sentence is translated too; lists are joined by commas."""
FormatValue = Callable[[Value, str], str]
"""Formats a value by a format such as ".1f"; most places have the empty format."""


class Sentence(str):
    """The English text of a template whose places, such as {image_id}, were filled with values."""

    template: str
    values: Mapping[str, Value]

    def __new__(cls, template: str, values: Mapping[str, Value]) -> Sentence:
        """Raises KeyError if the template has a place without a value."""
        sentence = super().__new__(cls, fill_in(template, values, _format_english))
        sentence.template = template
        sentence.values = values
        return sentence

    def __getnewargs__(self) -> tuple[str, Mapping[str, Value]]:  # type: ignore[override]
        """The arguments of `__new__`, by which copy and pickle make the same Sentence."""
        return self.template, self.values


def say(template: str, /, **values: Value) -> Sentence:
    """The sentence. Pass the template as a literal: a test looks for its translations."""
    return Sentence(template, values)


def say_number(count: int, singular: str, plural: str, /, **values: Value) -> Sentence:
    """The singular sentence if `count` is 1, else the plural one; {count} can stand in both."""
    return Sentence(singular if count == 1 else plural, values | {"count": count})


def say_all(words: Sequence[str]) -> str:
    """The words joined as in "class, box and view"."""
    *first, last = words
    return say("{words} and {last}", words=first, last=last) if first else last


def quote_error(error: Exception) -> Sentence:
    """The sentence with which the error was raised; its plain text if there was none."""
    first = error.args[0] if error.args else ""
    return first if isinstance(first, Sentence) else say("{text}", text=str(error))


def name_term(word: str) -> Sentence:
    """The name of a class, role or state as a sentence, so that it is translated where possible."""
    return Sentence(word.replace("{", "{{").replace("}", "}}"), {})


def fill_in(template: str, values: Mapping[str, Value], format_value: FormatValue) -> str:
    """The text of the template with these values; raises KeyError if one is missing."""
    parts = []
    for text, name, form, _ in Formatter().parse(template):
        parts.append(text)
        if name is not None:
            parts.append(format_value(values[name], form or ""))
    return "".join(parts)


def list_places(template: str) -> list[str]:
    """The names of the values that the template takes, in alphabetical order."""
    return sorted(name for _, name, _, _ in Formatter().parse(template) if name is not None)


def take_apart(text: str | None) -> dict[str, Any] | None:
    """Template and values as JSON, to store next to the text; None if it is not a Sentence."""
    if not isinstance(text, Sentence):
        return None
    values = {name: _take_value_apart(value) for name, value in text.values.items()}
    return {"template": text.template, "values": values}


def put_together(text: str, parts: Mapping[str, Any] | None) -> str:
    """The sentence that `take_apart` gave these parts of; the plain text if `parts` is None."""
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
