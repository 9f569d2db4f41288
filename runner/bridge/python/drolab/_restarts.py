"""The runs of processes that torchrun starts again after a fault.

torchrun keeps a folder for all starts of a script, in which each start has a folder of its own. The
names of runs that have not ended well are in a file there.
"""

from __future__ import annotations

import json
import os
from typing import Optional

__all__ = ["begun", "count", "ended", "run_before"]


def count() -> int:
    """Returns how often torchrun has started this process again."""
    return int(os.environ.get("TORCHELASTIC_RESTART_COUNT") or 0)


def run_before(name: str) -> Optional[str]:
    """Returns the run that a start before had under this subject, if it has not ended well."""
    return _runs().get(name) if count() else None


def begun(name: str, run: str) -> None:
    _write(dict(_runs(), **{name: run}))


def ended(name: str) -> None:
    _write({k: v for k, v in _runs().items() if k != name})


def _path() -> Optional[str]:
    """Returns the path of the file; None without torchrun."""
    error = os.environ.get("TORCHELASTIC_ERROR_FILE")  # FOLDER/attempt_0/RANK/error.json
    if not error:
        return None
    folder = os.path.dirname(os.path.dirname(os.path.dirname(error)))
    return os.path.join(folder, "drolab.json")


def _runs() -> dict[str, str]:
    path = _path()
    if path is None or not os.path.exists(path):
        return {}
    with open(path, encoding="utf-8") as f:
        runs: dict[str, str] = json.load(f)
    return runs


def _write(runs: dict[str, str]) -> None:
    path = _path()
    if path is None or not os.path.isdir(os.path.dirname(path)):
        return
    with open(path + ".new", "w", encoding="utf-8") as f:
        json.dump(runs, f)
        f.flush()
        os.fsync(f.fileno())
    os.replace(path + ".new", path)
