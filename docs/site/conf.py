"""The documentation site: `make docs` builds it from the pages in docs/, which also read as plain Markdown.

Nothing is fetched while it is built, warnings are errors, and the notebooks are run.
"""

from __future__ import annotations

import sys
from importlib.metadata import metadata
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))

import pages  # noqa: E402
import reference  # noqa: E402

about = metadata("fullmarks")
addresses = dict(entry.split(", ", 1) for entry in about.get_all("Project-URL") or [])

project = "fullmarks"
author = "The fullmarks authors"
project_copyright = author
version = release = about["Version"]

extensions = ["myst_nb", "sphinx.ext.autodoc", "sphinx_copybutton", "sphinx_design"]
exclude_patterns = ["site/**", "**.ipynb_checkpoints"]
nitpicky = True
nitpick_ignore_regex = reference.FOREIGN_NAMES
default_role = "literal"  # docstrings are written in plain English with `names` in them

myst_enable_extensions = ["attrs_block", "colon_fence"]
myst_heading_anchors = 4
nb_execution_mode = "force"
nb_execution_raise_on_error = True
nb_execution_in_temp = True
nb_execution_timeout = 120
nb_merge_streams = True

autodoc_typehints = "signature"
autodoc_typehints_format = "short"
autodoc_preserve_defaults = True
autodoc_class_signature = "separated"
autodoc_member_order = "bysource"
python_use_unqualified_type_names = True
python_display_short_literal_types = True
python_maximum_signature_line_length = 88
toc_object_entries_show_parents = "hide"

html_theme = "furo"
html_title = f"fullmarks {release}"
pygments_style = "friendly"
pygments_dark_style = "github-dark"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_logo = "static/mark.svg"
html_favicon = "static/mark.svg"
html_copy_source = False
html_show_sphinx = False
html_theme_options = {
    "sidebar_hide_name": False,
    "source_repository": addresses["Source"],
    "source_branch": "main",
    "source_directory": "docs/",
    "light_css_variables": {"color-brand-primary": "#12674f", "color-brand-content": "#12674f"},
    "dark_css_variables": {"color-brand-primary": "#6fd3b0", "color-brand-content": "#6fd3b0"},
}
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True
copybutton_only_copy_prompt_lines = False


def setup(app):
    """Sphinx calls this."""
    pages.setup(app, source=addresses["Source"])
    reference.setup(app)
