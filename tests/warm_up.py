"""What a command does before its own work, done once in the process that commands are forked from.

Only that process imports this module.
"""

import gc
import importlib

from PIL import Image
from sqlalchemy.orm import configure_mappers

from catalog.preset import load_preset

LOADED = (
    "annotate_ui.serving",
    "collect.imports.job",
    "collect.imports.urls",
    "collect.job",
    "collect.recheck",
    "export.importing.job",
    "multiprocessing.popen_forkserver",
    "operate.party_cli",
    "psycopg",
    "sqlalchemy.dialects.postgresql.psycopg",
    "sqlalchemy.dialects.sqlite.pysqlite",
    "tests.annotate_ui.serve_commands",
    "tests.collect.haste",
    "tests.collect.small_disk",
    "tests.collect.source_table.cut_off",
    "tests.export.cut_off",
    "tests.operate.cut_off",
    "vocparty",
)

for name in LOADED:
    importlib.import_module(name)
configure_mappers()
load_preset("voc2012")
Image.preinit()
gc.collect()
gc.freeze()  # no search for garbage in a forked process writes to these pages
