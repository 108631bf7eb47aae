"""Programs that measure, each against a named peer or limit in the same run."""
