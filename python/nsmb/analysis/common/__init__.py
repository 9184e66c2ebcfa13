"""Tools of all long analyses: parallel points, checkpoints, interruption, one-line summaries."""
