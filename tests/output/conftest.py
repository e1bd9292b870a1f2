"""Where there is no browser in CI, its tests are not collected there: `make test-browser` insists on them."""

import os

from output.browser import CHROMIUM

collect_ignore = ["test_html_browser.py"] if CHROMIUM is None and os.environ.get("CI") == "true" else []
