"""How Sphinx makes a site with search of these pages: `make docs`."""

project = "vocparty"
extensions = ["myst_parser"]
root_doc = "index"
exclude_patterns = ["design", "site"]
html_theme = "furo"
html_title = "vocparty"
html_show_copyright = False
myst_heading_anchors = 4
# Links to folders of code and to pages that only the repository has; a test follows every link.
suppress_warnings = ["myst.xref_missing", "misc.highlighting_failure"]
