"""Common utilities without mechanics: checks of arguments, optional dependencies, files, texts."""
