"""Imports run one way: streams, stores, processors, then gateway and evals. A server has one module."""

import sys

LAYERS = {"streams": 0, "stores": 1, "processors": 2, "gateway": 3, "evals": 3}
SETTINGS = "eunoe.infra.settings"
# The infrastructure may name the errors that it raises, and nothing else of the package.
INFRA_MAY_IMPORT = ("eunoe.infra", "eunoe.streams.errors")
# Library → the modules that are its backend. A new backend is one module, named here.
BACKENDS: dict[str, frozenset[str]] = {
    "kafka": frozenset(),
    "faust": frozenset(),
    "aiokafka": frozenset(),
    "ray": frozenset(),
    "qdrant_client": frozenset(),
    "neo4j": frozenset(),
    "psycopg": frozenset(),
    "openai": frozenset(),
    "xllamacpp": frozenset(),
}


def names(dotted: str, prefix: str) -> bool:
    """Whether `dotted` is `prefix` or stands below it."""
    return dotted == prefix or dotted.startswith(prefix + ".")


def allowed(importer: str, imported: str) -> bool:
    """Whether one module of the package may import another."""
    source, target = importer.split(".")[1], imported.split(".")[1]
    if source == "infra":
        return any(names(imported, prefix) for prefix in INFRA_MAY_IMPORT)
    if target == "infra":
        return names(imported, SETTINGS) and source != "streams"
    if target not in LAYERS:  # the package's own public names: only its users take them
        return LAYERS[source] == 3
    if source == target:
        return True
    if {source, target} == {"gateway", "evals"}:
        return names(importer, "eunoe.gateway.cli") or (source == "evals" and not names(imported, "eunoe.gateway.cli"))
    return LAYERS[target] < LAYERS[source]


def test_the_rule_itself():
    assert allowed("eunoe.stores.books", "eunoe.streams.errors")
    assert not allowed("eunoe.streams.log", "eunoe.stores.books")
    assert not allowed("eunoe.processors.recall", "eunoe.gateway.memory")
    assert allowed("eunoe.gateway.memory", "eunoe.infra.settings.Settings")
    assert not allowed("eunoe.gateway.memory", "eunoe.infra.broker")
    assert not allowed("eunoe.infra.settings", "eunoe.stores.books")
    assert allowed("eunoe.evals.run", "eunoe.gateway.memory")
    assert not allowed("eunoe.gateway.memory", "eunoe.evals.run")
    assert allowed("eunoe.gateway.cli.evaluate", "eunoe.evals.run")


def test_imports_run_one_way(modules):
    wrong = [
        f"{module.name}:{line} imports {imported}"
        for module in modules
        if module.in_package
        for line, imported in module.imports()
        if names(imported, "eunoe") and imported != "eunoe" and not allowed(module.dotted, imported)
    ]
    assert not wrong, "\n".join(wrong)


def test_parts_are_imported_by_the_package_name(modules):
    """`import streams` works in the repository and nowhere else."""
    parts = {*LAYERS, "infra"}
    wrong = [
        f"{module.name}:{line} imports {imported}"
        for module in modules
        for line, imported in module.imports()
        if imported.split(".")[0] in parts
    ]
    assert not wrong, "\n".join(wrong)


def test_servers_stay_behind_their_backends(modules):
    wrong = [
        f"{module.name}:{line} imports {imported}"
        for module in modules
        if module.in_package
        for line, imported in module.imports()
        if module.dotted not in BACKENDS.get(imported.split(".")[0], {module.dotted})
    ]
    assert not wrong, "\n".join(wrong)


def test_named_backends_exist(modules):
    known = {module.dotted for module in modules}
    assert {module for allowed_in in BACKENDS.values() for module in allowed_in} <= known


def test_the_parts_do_not_hide_the_standard_library():
    assert not {*LAYERS, "infra"} & sys.stdlib_module_names
