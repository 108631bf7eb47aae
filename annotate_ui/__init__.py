"""The browser application: sign-in, annotation, checking, the organiser's board."""
