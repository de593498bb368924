"""The command line: one module for each group of verbs, each thin over `Memory`."""


def main() -> None:
    """The `eunoe` command. Exit codes: 0 done, 1 a check or request failed, 2 wrong usage, 130 interrupted."""
    from eunoe.gateway.cli.run import run

    raise SystemExit(run())
