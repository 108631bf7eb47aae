"""How a sentence becomes one of another language."""

from catalog.sentences import Sentence, name_term, say
from web.language import Translation

GERMAN = Translation(
    pages={"Board": "Übersicht", "{0} left": "noch {0}"},
    messages={
        "Image {image_id} is {state}.": "Bild {image_id} ist {state}.",
        "Image {image_id} is unchanged: {why}": "Bild {image_id} bleibt: {why}",
        "{count:,} of {all:,} done, {share:.1%}": "{share:.1%}: {count:,} von {all:,} fertig",
        "Choose one of: {words}.": "Wähle eines von: {words}.",
    },
    terms={"checked": "geprüft", "dog": "Hund"},
    signs={".": ",", ",": ".", "%": " %"},
)


def translate(sentence: Sentence) -> str:
    return GERMAN.translate(sentence)


def test_a_sentence_has_its_values_where_the_translation_wants_them() -> None:
    sentence = say("{count:,} of {all:,} done, {share:.1%}", count=1234, all=10000, share=0.1234)
    assert sentence == "1,234 of 10,000 done, 12.3%"
    assert translate(sentence) == "12,3 %: 1.234 von 10.000 fertig"


def test_a_sentence_in_a_sentence_is_translated_too() -> None:
    why = say("Image {image_id} is {state}.", image_id=3, state=name_term("checked"))
    sentence = say("Image {image_id} is unchanged: {why}", image_id=3, why=why)
    assert translate(sentence) == "Bild 3 bleibt: Bild 3 ist geprüft."


def test_what_people_wrote_is_never_translated() -> None:
    sentence = say("Image {image_id} is {state}.", image_id=3, state="checked")
    assert translate(sentence) == "Bild 3 ist checked."
    words = ["dog", name_term("dog")]
    assert translate(say("Choose one of: {words}.", words=words)) == "Wähle eines von: dog, Hund."


def test_a_text_without_a_translation_stays_english() -> None:
    assert translate(say("Nobody translated {this:.1f}.", this=1.5)) == "Nobody translated 1,5."
    assert GERMAN.translate("Image 3 is checked.") == "Image 3 is checked."
    assert GERMAN.translate("Board") == "Übersicht"
