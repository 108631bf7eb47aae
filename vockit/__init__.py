"""All that works on a VOC release and needs no party: reading, checking, showing, scoring it."""
