"""The ground floor: tables, session, migrations, settings, presets, Box, image store, errors."""
