"""Set up an environment: `python tools/install.py VENV EXTRA...`, with only the standard library.

torch's builds for Linux may pull in gigabytes of GPU packages. So torch comes from pip's usual
source, if this source has a CPU build (a local folder of wheels, a mirror, macOS, Windows).
Otherwise, torch comes from PyTorch's index of CPU builds, or from the index in TORCH_INDEX. The GPU
build is installed only if neither source has a CPU build.
"""

import sys

if sys.version_info < (3, 11):  # noqa: UP036
    sys.exit("This needs Python 3.11 or later. Name one: make demo PYTHON=python3.12")

import argparse
import hashlib
import json
import os
import subprocess
import tempfile
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
CONSTRAINTS = ROOT / "constraints.txt"
TORCH = "torch==2.13.0"
CPU_BUILDS = "https://download.pytorch.org/whl/cpu"
PIP = ("-m", "pip", "--disable-pip-version-check")
INSTALL = ("install", "--quiet", "--no-compile")
SUBMISSIONS_IMPORT = (
    *("numpy", "numpy.testing", "matplotlib.pyplot", "matplotlib.backends.backend_agg", "pytest"),
    *("torch", "torch.optim", "einops", "pandas", "scipy.special", "scipy.stats", "seaborn"),
)
GPU_PACKAGES = ("nvidia-", "cuda-", "triton")


def main() -> None:
    parser = argparse.ArgumentParser(description="Set up an environment for this course.")
    parser.add_argument("venv", type=Path, help="the environment's folder, such as .venv")
    parser.add_argument(
        "extras", nargs="*", help="extras to install; docs/reference/extras.md lists them"
    )
    arguments = parser.parse_args()
    folder, extras = arguments.venv.resolve(), [e for e in arguments.extras if e != "torch"]
    stamp = folder / "installed.json"
    wanted = {"inputs": digest(), "extras": sorted(arguments.extras)}
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
    renew_pip(python)
    torch = torch_from_here(python) if "torch" in wanted["extras"] else []
    named = f"{ROOT}[{','.join(extras)}]" if extras else str(ROOT)
    pip(python, *INSTALL, "-c", str(CONSTRAINTS), *torch, "-e", named)
    compile_modules(python)
    stamp.write_text(json.dumps(wanted))


def digest() -> str:
    """Return a digest of the environment's inputs. If it changes, set up the environment again."""
    files = [ROOT / "pyproject.toml", CONSTRAINTS, Path(__file__)]
    text = b"\0".join(file.read_bytes() for file in files)
    return hashlib.sha256(text + sys.version.encode()).hexdigest()


def renew_pip(python: Path) -> None:
    """Install a newer pip, which is three times as fast. If none is available, keep the old one."""
    newer = [*PIP, *INSTALL, "--timeout", "15", "--retries", "1", "-c", str(CONSTRAINTS), "pip"]
    command = [str(python), *newer, "--upgrade"]
    subprocess.run(command, check=False, stderr=subprocess.DEVNULL)


def torch_from_here(python: Path) -> list[str]:
    """Return pip's arguments for torch, or none if torch is installed already.

    If torch comes from another index, install it now, because pip would search all packages in that
    index.
    """
    if have_torch(python):
        return []
    if "TORCH_INDEX" not in os.environ and not pulls_gpu_packages(python):
        return [TORCH]
    index = os.environ.get("TORCH_INDEX") or CPU_BUILDS
    from_index = ["--index-url", index, "--timeout", "15", "--retries", "1"]
    if pulls_gpu_packages(python, *from_index):
        print(
            f"No CPU build of torch can be had from {index}, so {TORCH} comes with its GPU "
            f"packages: some gigabytes. `make TORCH_INDEX=URL` names another index.",
            flush=True,
        )
        return [TORCH]
    pip(python, *INSTALL, TORCH, *from_index)
    return []


def compile_modules(python: Path) -> None:
    """Import what submissions may import, so that Python compiles it; skip what is not installed.

    Processes that run students' code may write nothing, so they cannot compile. All other modules
    are compiled when they are first imported.
    """
    code = (
        "import contextlib, importlib\n"
        f"for name in {SUBMISSIONS_IMPORT}:\n"
        "    with contextlib.suppress(ImportError):\n"
        "        importlib.import_module(name)\n"
    )
    writes = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    subprocess.run([str(python), "-c", code], check=False, env=writes)


def have_torch(python: Path) -> bool:
    code = "import importlib.util as u, sys; sys.exit(u.find_spec('torch') is None)"
    return subprocess.run([python, "-c", code], check=False).returncode == 0


def pulls_gpu_packages(python: Path, *options: str) -> bool:
    """Return True if pip would install GPU packages, or cannot find torch."""
    with tempfile.TemporaryDirectory() as scratch:
        report = Path(scratch, "plan.json")
        command = [*PIP, "install", "--quiet", "--dry-run", "--report", str(report)]
        done = subprocess.run(
            [str(python), *command, TORCH, *options], check=False, stderr=subprocess.DEVNULL
        )
        if done.returncode or not report.is_file():
            return True
        plan = json.loads(report.read_text())
    names = [item["metadata"]["name"].lower() for item in plan["install"]]
    return any(name.startswith(GPU_PACKAGES) for name in names)


def pip(python: Path, *arguments: str) -> None:
    if subprocess.run([str(python), *PIP, *arguments], check=False).returncode:
        sys.exit("pip could not finish; its own words are above. Run make again to go on.")


if __name__ == "__main__":
    main()
