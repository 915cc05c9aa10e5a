"""What makes an editor at home in a course that is handed out."""

from pathlib import Path

FOLDER = ".vscode"
FILES = ("tasks.json", "settings.json", "extensions.json")
TEMPLATES = Path(__file__).parent / "templates" / "vscode"


def editor_files(exercises: str) -> dict[str, str]:
    """VS Code's tasks and settings, by their paths below the course's folder.

    `exercises` is the folder with the students' files, as seen from there: its checks are what the
    test explorer lists.
    """
    return {
        f"{FOLDER}/{name}": (TEMPLATES / name)
        .read_text(encoding="utf-8")
        .replace("{{ folder }}", exercises)
        for name in FILES
    }
