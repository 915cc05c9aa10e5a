"""`autograder completion`: what makes a shell complete commands and names of exercises."""

import click
from click.shell_completion import get_completion_class

VARIABLE = "_AUTOGRADER_COMPLETE"


@click.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion(shell: str) -> None:
    """Print what makes SHELL complete commands and names of exercises.

    bash: autograder completion bash >> ~/.bashrc

    zsh: autograder completion zsh >> ~/.zshrc

    fish: autograder completion fish > ~/.config/fish/completions/autograder.fish
    """
    kind = get_completion_class(shell)
    assert kind is not None
    root = click.get_current_context().find_root().command
    click.echo(kind(root, {}, "autograder", VARIABLE).source())
