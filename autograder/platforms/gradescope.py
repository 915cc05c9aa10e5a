"""Gradescope's export: folders `submission_NUMBER`, and `submission_metadata.yml` saying whose."""

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

import yaml

from autograder.errors import UserError
from autograder.platforms.listing import MOST_METADATA, Listing
from autograder.platforms.model import Importer, Owner, Piece

METADATA = "submission_metadata.yml"


class _Loader(getattr(yaml, "CSafeLoader", yaml.SafeLoader)):  # type: ignore[misc]
    """YAML as Ruby writes it: what it says of Ruby's classes is passed over."""


def _without_tag(loader: Any, _: str, node: yaml.Node) -> object:
    if isinstance(node, yaml.MappingNode):
        return loader.construct_mapping(node, deep=True)
    if isinstance(node, yaml.SequenceNode):
        return loader.construct_sequence(node, deep=True)
    return loader.construct_scalar(node)


_Loader.add_multi_constructor("!", _without_tag)


def pieces_of(metadata: str, folders: Sequence[str]) -> list[Piece]:
    """Whose each submission is; one by several people is everybody's.

    Raises:
        UserError: the metadata are not what Gradescope writes.
    """
    try:
        data = yaml.load(metadata, Loader=_Loader)
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        said = str(error).split("\n", 1)[0]
        raise UserError(
            f"{METADATA} cannot be read as YAML ({said:.100}). Download the export anew."
        ) from None
    if not isinstance(data, dict):
        raise UserError(f"{METADATA} names no submissions. Download the export anew.")
    return [
        Piece(
            entry=name,
            owners=owners,
            attempt=(when.isoformat() if when else "",),
            whole=True,
            at=when,
        )
        for name in folders
        if isinstance(about := data.get(name), dict)
        and (owners := _owners(about.get(":submitters")))
        for when in [_time(about.get(":created_at"))]
    ]


def _owners(submitters: object) -> tuple[Owner, ...]:
    people = []
    for each in submitters if isinstance(submitters, list) else []:
        if isinstance(each, dict):
            name, sid, email = (_text(each.get(field)) for field in (":name", ":sid", ":email"))
            if key := sid or email or name:
                people.append(Owner(key=key, id=sid, name=name, email=email))
    return tuple(people)


def _text(value: object) -> str:
    return str(value).strip() if isinstance(value, str | int) else ""


def _time(value: object) -> datetime | None:
    if isinstance(value, dict):  # a time of Ruby on Rails
        value = value.get("utc")
    if isinstance(value, str):
        try:
            value = datetime.fromisoformat(value.replace(" UTC", "+00:00").replace(" Z", "+00:00"))
        except ValueError:
            return None
    if not isinstance(value, datetime):
        return None
    return value if value.tzinfo else value.replace(tzinfo=UTC)


def read(listing: Listing) -> Sequence[Piece]:
    metadata = listing.text(METADATA, most=MOST_METADATA)
    if not metadata:
        raise UserError(
            f"There is no {METADATA} in {listing.root} that can be read. Gradescope's export has "
            f"one beside the submission folders: unpack it again, or name the zip itself."
        )
    names = [entry.name for entry in listing.entries]
    return pieces_of(metadata, names)


def recognise(listing: Listing) -> int:
    return len(listing.entries) - 1 if METADATA in listing.files else 0


GRADESCOPE = Importer(
    name="gradescope",
    title="Gradescope",
    expected=f"folders such as submission_12345678 that {METADATA} names",
    recognise=recognise,
    read=read,
    also=lambda _: (METADATA,),
)
