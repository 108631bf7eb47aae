"""The command `vocparty segment`."""
