"""Benchmarks: ratios within one run, since machines are noisy. Never a test."""
