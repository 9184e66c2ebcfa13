"""Settings for all tests."""

import os

# Set before anything imports Matplotlib: tests and the processes they start draw without a screen.
os.environ["MPLBACKEND"] = "Agg"
