"""From one pair to a billion: Arrow batches, files, frames, training loops and clusters."""
