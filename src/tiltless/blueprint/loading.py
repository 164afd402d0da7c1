"""Opening any blueprint: of two players, or of three to six seats, as its file says."""

from tiltless.blueprint.files.file import PathName, read_about
from tiltless.blueprint.multiway.model import MultiwayBlueprint
from tiltless.blueprint.shipped import find_blueprint
from tiltless.blueprint.stored import CardsName
from tiltless.blueprint.strategy import Blueprint

__all__ = ["load_strategy"]


def load_strategy(
    path: PathName, *, cards: CardsName | None = None, verify: bool = True
) -> Blueprint | MultiwayBlueprint:
    """A blueprint from a file, or a shipped one by its name; see `Blueprint.load`."""
    kind = MultiwayBlueprint if read_about(find_blueprint(path)).layout else Blueprint
    return kind.load(path, cards=cards, verify=verify)
