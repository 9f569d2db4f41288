"""What the source of the package keeps to."""

import ast
import pathlib

import pytest

FOLDER = pathlib.Path(__file__).parent.parent / "drolab"
FILES = sorted(FOLDER.glob("*.py"))


def tree(path):
    return ast.parse(path.read_text(), str(path), feature_version=(3, 9))


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.name)
def test_python_3_9_reads_it(path):
    annotations = set()
    for node in ast.walk(tree(path)):
        for of in (getattr(node, "annotation", None), getattr(node, "returns", None)):
            if of is not None:
                annotations.update(map(id, ast.walk(of)))
        # A union of types outside an annotation is computed, which 3.9 cannot.
        if isinstance(node, ast.BinOp) and isinstance(node.op, ast.BitOr) and \
                id(node) not in annotations:
            for side in (node.left, node.right):
                assert not isinstance(side, ast.Subscript) or isinstance(side.value, ast.Attribute)
                assert not isinstance(side, ast.Constant) or side.value is not None


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.name)
def test_no_private_name_crosses_modules(path):
    for node in ast.walk(tree(path)):
        if isinstance(node, ast.ImportFrom) and node.level and node.module:
            private = [a.name for a in node.names if a.name.startswith("_") and
                       not a.name.startswith("__")]
            assert not private, f"line {node.lineno}: {node.module}.{private}"


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.name)
def test_all_names_what_is_imported_by_others(path):
    of = {n.targets[0].id: n.value for n in tree(path).body
          if isinstance(n, ast.Assign) and isinstance(n.targets[0], ast.Name)}
    if path.name == "_version.py":
        return
    offered = set(ast.literal_eval(of["__all__"]))
    for other in FILES:
        for node in ast.walk(tree(other)):
            if isinstance(node, ast.ImportFrom) and node.level and node.module == path.stem:
                assert {a.name for a in node.names} <= offered, f"{other.name} imports others"


@pytest.mark.parametrize("path", FILES, ids=lambda p: p.name)
def test_no_global_counter(path):
    assert not [n.lineno for n in ast.walk(tree(path)) if isinstance(n, ast.Global)]


def test_licence_is_that_of_the_repository():
    own, whole = FOLDER.parent / "LICENSE", FOLDER.parents[3] / "LICENSE"
    assert not own.is_symlink()  # a source distribution would have a link to nowhere
    if whole.exists():
        assert own.read_bytes() == whole.read_bytes()
