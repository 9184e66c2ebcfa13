"""What is counted rather than timed: instructions, allocations, bytes.

Each case of ``cases.py`` is run in a process of its own, under callgrind, under a preloaded
``malloc``, and under ``tracemalloc``. The same program counts the same, whatever else the machine
does; what changes the counts besides the source (compiler, libraries, kind of processor) is
written beside them.
"""
