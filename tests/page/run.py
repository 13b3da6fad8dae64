#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""run.py test_units test_clerk …: runs these files; fails where Chromium, its driver or selenium is missing."""
import pathlib
import shutil
import sys
import unittest

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))
missing = [program for program in ("chromium", "chromedriver") if shutil.which(program) is None]
try:
    import selenium  # noqa: F401
except ImportError:
    missing.append("python3-selenium")
if missing:
    print("page tests: there is no " + ", ".join(missing) + " (scripts/setup.sh test installs them)")
    sys.exit(1)
unittest.main(module=None, argv=["run.py", "-v", *sys.argv[1:]])
