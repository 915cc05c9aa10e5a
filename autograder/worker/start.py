"""Entry point of the worker: `python -P -s -S start.py CONFIG`.

With these options, the worker can import only installed libraries: nothing from the course's folder
(`-P`), from the user's packages (`-s`) or from editable installs (`-S`).
"""

import gc
import importlib.util
import json
import os
import sys


def run() -> None:
    gc.disable()  # until the imports are done, because imported objects are never freed
    config = json.loads(sys.argv[1])
    sys.dont_write_bytecode = not config["compiles"]  # for the modules that are imported here first
    sys.path.extend(config["libraries"])
    folder = os.path.dirname(os.path.abspath(__file__))
    spec = importlib.util.spec_from_file_location(
        "autograder_worker",
        os.path.join(folder, "__init__.py"),
        submodule_search_locations=[folder],
    )
    assert spec is not None and spec.loader is not None
    package = importlib.util.module_from_spec(spec)
    sys.modules["autograder_worker"] = package
    spec.loader.exec_module(package)
    entry = importlib.import_module(f"autograder_worker.{config['role']}")
    sys.dont_write_bytecode = True
    entry.main(config)


if __name__ == "__main__":
    run()
