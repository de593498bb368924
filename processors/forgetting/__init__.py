"""Forgetting: what goes, what is built again, and the receipt that says so."""
