"""From a system and options to a solution: the core's run, its steps, its statuses in words."""
