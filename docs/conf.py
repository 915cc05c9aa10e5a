"""How the site is made of these pages; `make docs` does it (tools/docs_site.py)."""

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from tools.docs_site import formula, formula_block

project = "Attention Course Kit"
copyright = ""
html_title = "Attention Course Kit"
html_theme = "furo"
extensions = ["myst_parser"]
source_suffix = {".md": "markdown"}
myst_enable_extensions = ["dollarmath", "amsmath"]
myst_heading_anchors = 4
myst_links_external_new_tab = False
html_copy_source = False
html_use_index = False
html_show_copyright = False
html_show_sphinx = False
html_last_updated_fmt = None
html_math_renderer = "mathml"
html_theme_options = {"navigation_with_keys": False}
pygments_style = "a11y-high-contrast-light"
pygments_dark_style = "a11y-high-contrast-dark"
suppress_warnings = ["myst.header"]  # a lesson's first heading may lie deeper


def setup(app):
    app.add_html_math_renderer("mathml", (formula, None), (formula_block, None))
