"""From events to settled memories: the fold that every rebuild and every live projector runs."""
