"""Objects of images that checks look at."""

from catalog.states import View

from .making import thing

CAR = thing("car", (100, 100, 300, 200), view=View.LEFT)


PERSON = thing("person", (50, 50, 150, 350), view=View.FRONTAL)


BOTTLE = thing("bottle", (400, 100, 420, 160))


GROUP = thing("person", (1, 50, 500, 350), group_of=True, difficult=True)
