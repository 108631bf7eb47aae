"""Which of other people's images show what images of this catalogue show."""
