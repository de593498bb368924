"""`python -m eunoe.gateway.cli` is `eunoe`."""

from eunoe.gateway.cli import main

main()
