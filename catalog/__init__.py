"""The base layer: tables, session, migrations, settings, presets, Box, image store, errors."""
