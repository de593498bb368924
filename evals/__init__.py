"""What a memory is worth: datasets, the evidence rule, and systems measured side by side."""
