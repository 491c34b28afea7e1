"""Run the command as ``python -m skirt``."""

import sys

from skirt._command import main

if __name__ == "__main__":
    sys.exit(main())
