"""Commands are forked from a process that has loaded them, whoever forked before."""

from contextlib import closing

from catalog.settings import CollectSettings
from collect.fetching import Decoders

from .warm import Warm


def was_loaded() -> None:
    """Print whether the application was there before this process began its work."""
    import sys

    print("annotate_ui.serving" in sys.modules)


def test_a_command_is_loaded_already_also_after_decoders_ran() -> None:
    with closing(Decoders(CollectSettings(workers=1))) as decoders:
        decoders.open()
    command = Warm([], main=was_loaded)
    assert command.communicate() == ("True\n", "")
