"""What all long work shares: points in parallel, checkpoints, interruption, one-line summaries."""
