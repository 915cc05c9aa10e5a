"""Set up an environment: `python tools/install.py VENV EXTRA...`, with the standard library alone.

torch's newest builds for Linux pull gigabytes of GPU packages. So torch comes from where pip
already finds a CPU build (a local folder of wheels, a mirror, macOS, Windows) and otherwise from
the index of CPU builds that TORCH_INDEX names.
"""

import hashlib
import json
import os
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CONSTRAINTS = ROOT / "constraints.txt"
TORCH = "torch==2.13.0"
GPU_PACKAGES = ("nvidia-", "cuda-", "triton")


def main() -> None:
    folder, extras = Path(sys.argv[1]).resolve(), [e for e in sys.argv[2:] if e != "torch"]
    stamp = folder / "installed.json"
    wanted = {"inputs": digest(), "extras": sorted(sys.argv[2:])}
    if stamp.is_file():
        have = json.loads(stamp.read_text())
        if have["inputs"] == wanted["inputs"] and set(wanted["extras"]) <= set(have["extras"]):
            return
        wanted["extras"] = sorted({*wanted["extras"], *have["extras"]})
        extras = [extra for extra in wanted["extras"] if extra != "torch"]
    print(f"Setting up {folder} (once; a few minutes at most)", flush=True)
    if not (folder / "pyvenv.cfg").is_file():
        venv.create(folder, with_pip=True)
    scripts = "Scripts" if os.name == "nt" else "bin"
    python = folder / scripts / ("python.exe" if os.name == "nt" else "python")
    if "torch" in wanted["extras"]:
        install_torch(python)
    named = f"{ROOT}[{','.join(extras)}]" if extras else str(ROOT)
    pip(python, "install", "--quiet", "-c", str(CONSTRAINTS), "-e", named)
    stamp.write_text(json.dumps(wanted))


def digest() -> str:
    """What the environment depends on; it is set up again when this changes."""
    files = [ROOT / "pyproject.toml", CONSTRAINTS, Path(__file__)]
    text = b"\0".join(file.read_bytes() for file in files)
    return hashlib.sha256(text + sys.version.encode()).hexdigest()


def install_torch(python: Path) -> None:
    if have_torch(python):
        return
    arguments = [TORCH, "-c", str(CONSTRAINTS)]
    index = os.environ.get("TORCH_INDEX", "")
    if not index and pulls_gpu_packages(python, arguments):
        sys.exit(
            f"{TORCH} would pull gigabytes of GPU packages here. Name an index of CPU builds "
            f"(see PyTorch's own installation page): make TORCH_INDEX=URL. To take the GPU build "
            f"all the same, install {TORCH} into {python.parent.parent} yourself, and run make "
            f"again."
        )
    pip(python, "install", "--quiet", *arguments, *(["--index-url", index] if index else []))


def have_torch(python: Path) -> bool:
    code = "import importlib.util as u, sys; sys.exit(u.find_spec('torch') is None)"
    return subprocess.run([python, "-c", code], check=False).returncode == 0


def pulls_gpu_packages(python: Path, arguments: list[str]) -> bool:
    """Ask pip what it would install, without installing it."""
    with tempfile.TemporaryDirectory() as scratch:
        report = Path(scratch, "plan.json")
        pip(python, "install", "--quiet", "--dry-run", "--report", str(report), *arguments)
        plan = json.loads(report.read_text())
    names = [item["metadata"]["name"].lower() for item in plan["install"]]
    return any(name.startswith(GPU_PACKAGES) for name in names)


def pip(python: Path, *arguments: str) -> None:
    command = [str(python), "-m", "pip", "--disable-pip-version-check", *arguments]
    if subprocess.run(command, check=False).returncode:
        sys.exit("pip could not finish; its own words are above. Run make again to go on.")


if __name__ == "__main__":
    main()
