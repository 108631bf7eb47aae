"""The queries of a party: what they brought, further ones, suggestions."""
