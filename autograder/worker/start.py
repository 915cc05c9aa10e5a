"""The worker's entry: `python -P -s -S start.py CONFIG`.

Python's own start-up is cut short, so that neither the folder of the course (`-P`) nor anything of
the user's (`-s`) or of an editable install (`-S`) can be imported: only libraries can.
"""

import gc
import importlib.util
import json
import os
import sys


def run() -> None:
    gc.disable()  # until all is imported: what is imported stays
    config = json.loads(sys.argv[1])
    sys.dont_write_bytecode = not config["compiles"]  # of what is imported here, before all else
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
    work = "confinement.probing" if config.get("probing") else "serve"
    importlib.import_module(f"autograder_worker.{work}")
    entry = importlib.import_module(f"autograder_worker.{config['role']}")
    sys.dont_write_bytecode = True
    entry.main(config)


if __name__ == "__main__":
    run()
