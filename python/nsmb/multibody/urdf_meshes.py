"""The folder from which the meshes of a URDF file are read."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from nsmb.common.arguments import whole

__all__ = ["MeshFolder"]


@dataclass(frozen=True)
class MeshFolder:
    """The folder from which meshes are read. Names that lead out of it are rejected.

    A name is a path from the URDF file, or ``package://name/path``. The folder may be the package
    of that name, or hold it.
    """

    urdf: Path
    """Folder of the URDF file."""
    folder: Path
    max_bytes: int
    """Largest mesh."""

    @classmethod
    def of(
        cls, path: str | os.PathLike[str], folder: str | os.PathLike[str] | None, max_bytes: int
    ) -> MeshFolder:
        """The folder of a URDF file, if no other one is given."""
        own = Path(path).parent
        most = whole("max_mesh_bytes", max_bytes, 1)
        if folder is not None and not Path(folder).is_dir():
            raise ValueError(
                f"`mesh_folder`: must be a folder, got {os.fspath(folder)!r}. Give the folder that "
                "holds the meshes."
            )
        return cls(own, own if folder is None else Path(folder), most)

    def find(self, name: str) -> Path:
        """The file of a mesh.

        Raises
        ------
        FileNotFoundError
            If there is none of this name.
        ValueError
            For names that lead out of the folder, also by links, and addresses of the network.
        """
        root = self.folder.resolve()
        outside = None
        for path in self._candidates(name):
            if not path.resolve().is_relative_to(root):
                outside = path
            elif path.exists():
                return path
        if outside is not None and os.path.lexists(outside):
            raise ValueError(
                f"mesh {name!r} must lie in the folder {os.fspath(self.folder)!r}. Pass "
                "mesh_folder with a folder that holds it, if you trust the file"
            )
        raise FileNotFoundError(f"no mesh {name!r} in the folder {os.fspath(self.folder)!r}")

    def _candidates(self, name: str) -> Iterator[Path]:
        scheme, mark, rest = name.partition("://")
        if not mark:
            yield self.urdf / name
            yield self.folder / name
        elif scheme == "package":
            _, _, inside = rest.partition("/")
            yield self.folder / rest
            yield self.folder / inside
        elif scheme == "file":
            yield Path(rest)
        else:
            raise ValueError(f"mesh {name!r} must be a file, got an address {scheme}://")
