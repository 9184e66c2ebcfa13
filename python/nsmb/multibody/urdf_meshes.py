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

    A name is a path relative to the URDF file, or ``package://name/path``. The folder may be the
    package of that name, or contain it.
    """

    urdf: Path
    """Folder of the URDF file."""
    folder: Path
    max_bytes: int
    """Maximum size of a mesh file."""

    @classmethod
    def of(
        cls, path: str | os.PathLike[str], folder: str | os.PathLike[str] | None, max_bytes: int
    ) -> MeshFolder:
        """Return the given folder, or by default the folder of a URDF file."""
        own = Path(path).parent
        most = whole("max_mesh_bytes", max_bytes, 1)
        if folder is not None and not Path(folder).is_dir():
            raise ValueError(
                f"`mesh_folder`: must be a folder, got {os.fspath(folder)!r}. Give the folder that "
                "holds the meshes."
            )
        return cls(own, own if folder is None else Path(folder), most)

    def find(self, name: str) -> Path:
        """Return the file of a mesh.

        Raises
        ------
        FileNotFoundError
            If no mesh has this name.
        ValueError
            If the name leads out of the folder, also by links, or is a network address.
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
