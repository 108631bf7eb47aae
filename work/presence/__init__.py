"""Whether images show classes: questions in a hierarchy, their answers, and what these settle."""
