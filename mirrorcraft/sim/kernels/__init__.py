"""What happens in the simulated world: one verb a file, one ``step`` for a single episode and for a batch."""
