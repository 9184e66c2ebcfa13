"""``python -m nsmb``: the command line."""

import sys

from nsmb.cli import main

if __name__ == "__main__":
    sys.exit(main())
