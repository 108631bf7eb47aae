"""How Flickr says no: a code and a message, inside a reply with HTTP status 200."""

from __future__ import annotations


class FlickrFailure(Exception):
    """A call that Flickr refuses (flickr.com/services/api, "Error Codes" of each method)."""

    def __init__(self, code: int, message: str) -> None:
        super().__init__(code, message)
        self.code = code
        self.message = message


PHOTO_NOT_FOUND = 1
UNKNOWN_USER = 2
ILLOGICAL_ARGUMENTS = 18

MESSAGES: dict[int, str] = {
    0: "Sorry, the Flickr API service is not currently available.",
    1: "Too many tags in ALL query",
    2: "Unknown user",
    3: "Parameterless searches have been disabled. Please use flickr.photos.getRecent instead.",
    4: "You don't have permission to view this pool",
    5: "User deleted",
    10: "Sorry, the Flickr search API is not currently available.",
    11: "No valid machine tags",
    12: "Exceeded maximum allowable machine tags",
    17: "You can only search within your own contacts",
    18: "Illogical arguments",
    77: "Exceeded limit of logical ORs allowed",
    100: "Invalid API Key (Key has invalid format)",
    105: "Service currently unavailable",
    106: "Write operation failed",
    201: "Sorry, the Flickr API service is not currently available.",
}


def make_failure(code: int, message: str | None = None) -> FlickrFailure:
    """Flickr's failure of this code, in its own words unless others are given."""
    return FlickrFailure(code, message or MESSAGES.get(code, f"Error {code}"))
