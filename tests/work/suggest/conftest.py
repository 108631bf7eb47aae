from tests.annotate_ui.conftest import any_house as any_house
from tests.annotate_ui.conftest import house as house
