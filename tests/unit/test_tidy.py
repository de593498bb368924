"""The code stays readable: small modules and functions, docstrings, nothing left behind."""

import ast
import re

MODULE_LINES = 400  # aim for 300
FUNCTION_LINES = 60  # aim for 40
Function = ast.FunctionDef | ast.AsyncFunctionDef

LEFT_BEHIND = re.compile(r"\b(?:TO" + r"DO|FIX" + r"ME|XX" + r"X|HA" + r"CK)\b")
SOMEBODYS_PATH = re.compile(r"(?<![\w.~}/])/(?:root|work|Users|workspace|mnt|home/(?!\$))/?\w")
SIGNATURE = re.compile(r"(?i)co-" + r"authored-by|\b(?:generated|written) (?:by|with) (?:an? )?(?:AI|LLM|model)\b")
NOT_IN_THE_REPOSITORY = re.compile(
    r"DESIGN"
    + r"(?:\.md| ?§)|\bfac"
    + r"ts/(?:stack|servers|models|retrieval|sources|streaming)\.md|\bshar"
    + r"ed/(?:cases|data|tools)"
)


def functions(module) -> list[Function]:
    """All functions of a module, nested ones and methods too."""
    return [node for node in ast.walk(module.tree) if isinstance(node, Function)]


def length(node: Function) -> int:
    """Lines from the def (decorators aside) to the end."""
    return (node.end_lineno or node.lineno) - node.lineno + 1


def lines_with(files, pattern: re.Pattern[str]) -> list[str]:
    """Where a pattern stands, as `path:line`."""
    return [
        f"{file.name}:{number}: {line.strip()[:100]}"
        for file in files
        for number, line in enumerate(file.lines, 1)
        if pattern.search(line)
    ]


def test_modules_are_small(modules):
    long = [(len(m.lines), m.name) for m in modules if len(m.lines) > MODULE_LINES]
    assert not long, "\n".join(f"{size} lines: {name}" for size, name in sorted(long, reverse=True))


def test_functions_are_small(modules):
    long = [
        (length(node), f"{module.name}:{node.lineno} {node.name}")
        for module in modules
        for node in functions(module)
        if length(node) > FUNCTION_LINES
    ]
    assert not long, "\n".join(f"{size} lines: {name}" for size, name in sorted(long, reverse=True))


def test_public_names_have_docstrings(modules):
    missing = []
    for module in modules:
        if not module.in_package or (module.path.name.startswith("_") and not module.text):
            continue
        if not ast.get_docstring(module.tree):
            missing.append(module.name)
        missing += [
            f"{module.name}:{node.lineno} {node.name}"
            for node in module.tree.body
            if isinstance(node, Function | ast.ClassDef)
            and not node.name.startswith("_")
            and not ast.get_docstring(node)
        ]
    assert not missing, "\n".join(missing)


def test_only_the_command_line_prints(modules):
    printing = [
        f"{module.name}:{node.lineno}"
        for module in modules
        if module.in_package and not module.name.startswith("gateway/cli/")
        for node in ast.walk(module.tree)
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id == "print"
    ]
    assert not printing, "\n".join(printing)


def test_nothing_is_left_for_later(text_files):
    assert not (found := lines_with(text_files, LEFT_BEHIND)), "\n".join(found)


def test_no_path_of_somebodys_machine(text_files):
    assert SOMEBODYS_PATH.search("see /ro" + "ot/x") and not SOMEBODYS_PATH.search("docs/work/x")
    assert not (found := lines_with(text_files, SOMEBODYS_PATH)), "\n".join(found)


def test_no_signature_lines(text_files):
    assert not (found := lines_with(text_files, SIGNATURE)), "\n".join(found)


def test_no_reference_that_a_reader_cannot_follow(text_files):
    assert not (found := lines_with(text_files, NOT_IN_THE_REPOSITORY)), "\n".join(found)
