"""What Eunoe runs on: settings, and later the servers."""
