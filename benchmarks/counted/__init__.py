"""Counts of instructions, allocations and bytes.

Each case of ``cases.py`` is run in a separate process, under callgrind, under a preloaded
``malloc``, and under ``tracemalloc``. The counts of a program do not depend on other load of the
machine. The compiler, libraries and kind of processor, which also change the counts, are stored
with them.
"""
