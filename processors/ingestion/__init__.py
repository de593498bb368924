"""What comes in: checked, masked, cut into chunks and sealed before anything else touches it."""
