"""Mass and stiffness of elastic continua, assembled by scikit-fem."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from nsmb.common.arguments import one_of, positive
from nsmb.common.extras import import_extra
from nsmb.flexible.finite_elements import FiniteElements
from nsmb.flexible.gradients import NodalGradients, mean_of_elements, scalar_gradients
from nsmb.flexible.mesh import Mesh
from nsmb.flexible.outlines import paths_of
from nsmb.flexible.places import Group
from nsmb.flexible.triangles import middles_of, triangles_of

__all__ = ["plane", "solid"]

Array = NDArray[np.float64]
_ELEMENTS = {
    "triangle": ("MeshTri", "ElementTriP1"),
    "triangle6": ("MeshTri", "ElementTriP2"),
    "quad": ("MeshQuad", "ElementQuad1"),
    "tetra": ("MeshTet", "ElementTetP1"),
    "tetra10": ("MeshTet", "ElementTetP2"),
    "hexahedron": ("MeshHex", "ElementHex1"),
}
_HEX_ORDER = [6, 2, 5, 7, 1, 3, 4, 0]  # corners of VTK in the order of scikit-fem


def plane(
    mesh: Mesh,
    *,
    E: ArrayLike,
    nu: ArrayLike,
    density: ArrayLike,
    thickness: float = 1.0,
    state: str = "stress",
    lumped: bool = False,
) -> FiniteElements:
    """Return the finite elements of a plate or disc that deforms in its plane.

    Parameters
    ----------
    mesh : Mesh
        Mesh of triangles or quads.
    E : float or (m,) array_like
        Young's modulus in Pa, of all elements or of each.
    nu : float or (m,) array_like
        Poisson's ratio, below 0.5.
    density : float or (m,) array_like
        Density in kg/m³; with `thickness` 1, in kg/m².
    thickness : float
        Thickness in m.
    state : str
        ``"stress"``: plane stress, free to contract; ``"strain"``: plane strain, between walls.
    lumped : bool
        Concentrate masses at the nodes, in proportion to the diagonal of the consistent mass
        matrix.

    Raises
    ------
    ValueError
        If the mesh is three-dimensional, or if a material constant is out of range.
    """
    _check_mesh(mesh, 2)
    one_of("state", state, ("stress", "strain"))
    E, nu, density = _material(mesh, E, nu, density)
    lam, mu = E * nu / ((1.0 + nu) * (1.0 - 2.0 * nu)), E / (2.0 * (1.0 + nu))
    if state == "stress":
        lam = 2.0 * mu * lam / (lam + 2.0 * mu)
    out_of_plane = np.zeros_like(nu) if state == "stress" else nu
    h = positive("thickness", thickness)
    return _assemble(mesh, (h * lam, h * mu), h * density, lumped, out_of_plane, h)


def solid(
    mesh: Mesh, *, E: ArrayLike, nu: ArrayLike, density: ArrayLike, lumped: bool = False
) -> FiniteElements:
    """Return the finite elements of a solid body in space.

    Parameters
    ----------
    mesh : Mesh
        Mesh of tetrahedra or hexahedra.
    E, nu, density, lumped
        As for :func:`plane`.

    Raises
    ------
    ValueError
        If the mesh is two-dimensional, or if a material constant is out of range.
    """
    _check_mesh(mesh, 3)
    E, nu, density = _material(mesh, E, nu, density)
    lam, mu = E * nu / ((1.0 + nu) * (1.0 - 2.0 * nu)), E / (2.0 * (1.0 + nu))
    return _assemble(mesh, (lam, mu), density, lumped, None, 1.0)


def _check_mesh(mesh: Mesh, dimension: int) -> None:
    if not isinstance(mesh, Mesh):
        raise ValueError(f"mesh: expected an nsmb.flexible.Mesh, got {mesh!r}")
    if mesh._kind.dimension != dimension:
        wanted = "triangles or quads" if dimension == 2 else "tetrahedra or hexahedra"
        raise ValueError(f"mesh: expected {wanted}, got {mesh.kind!r}")


def _material(mesh: Mesh, *given: ArrayLike) -> tuple[Array, Array, Array]:
    count, found = len(mesh._cells), []
    for name, value in zip(("E", "nu", "density"), given, strict=True):
        try:
            numbers = np.broadcast_to(np.asarray(value, dtype=float), (count,))
        except (TypeError, ValueError):
            raise ValueError(
                f"{name}: expected a number, or one for each of {count} elements, got "
                f"{np.shape(value) or value!r}"
            ) from None
        low, high = (-1.0, 0.5) if name == "nu" else (0.0, np.inf)
        wrong = ~((numbers > low) & (numbers < high))
        if wrong.any():
            k = int(np.argmax(wrong))
            raise ValueError(
                f"{name}: expected numbers above {low:g}"
                f"{'' if high == np.inf else f' and below {high:g}'}, got {numbers[k]} of element "
                f"{k}"
            )
        found.append(numbers)
    return found[0], found[1], found[2]


def _basis(mesh: Mesh) -> tuple[Any, Any, NDArray[np.int32]]:
    """Return displacement basis, scalar basis, and the node numbers of the scalar unknowns."""
    from scipy.spatial import cKDTree

    skfem = import_extra("skfem", "flexible")
    kind, d = mesh._kind, mesh._kind.dimension
    name, element = _ELEMENTS[mesh.kind]
    corners, cells = np.unique(mesh._cells[:, : kind.corners], return_inverse=True)
    t = cells.reshape(-1, kind.corners).T
    if mesh.kind == "hexahedron":
        t = t[_HEX_ORDER]
    fem = getattr(skfem, name)(mesh._nodes[corners].T.copy(), t.copy())
    scalar = getattr(skfem, element)()
    # Gradients of simplices have one degree less. Fewer points give the same integral.
    points = {"intorder": max(2 * (scalar.maxdeg - 1), 1)} if kind.corners == d + 1 else {}
    basis = skfem.Basis(fem, skfem.ElementVector(scalar), **points)
    single = skfem.Basis(fem, scalar)
    tree = cKDTree(mesh._nodes)
    _, number = tree.query(single.doflocs.T)
    return basis, single, np.asarray(number, dtype=np.int32)


def _assemble(
    mesh: Mesh,
    lame: tuple[Array, Array],
    density: Array,
    lumped: bool,
    out_of_plane: Array | None,
    thickness: float,
) -> FiniteElements:
    from scipy import sparse

    skfem = import_extra("skfem", "flexible")
    helpers = import_extra("skfem.helpers", "flexible")
    basis, single, number = _basis(mesh)
    d = mesh._kind.dimension

    @skfem.BilinearForm  # type: ignore[untyped-decorator, unused-ignore]
    def stiffness(u: Any, v: Any, w: Any) -> Any:
        strain = helpers.sym_grad(u)
        return w["lam"] * helpers.trace(strain) * helpers.div(v) + 2.0 * w["mu"] * helpers.ddot(
            strain, helpers.sym_grad(v)
        )  # (2.42), shear strains as (2.38)

    @skfem.BilinearForm  # type: ignore[untyped-decorator, unused-ignore]
    def mass(u: Any, v: Any, w: Any) -> Any:
        return w["rho"] * u * v

    lam, mu = (np.broadcast_to(k[:, None], basis.dx.shape) for k in lame)
    rho = np.broadcast_to(density[:, None], single.dx.shape)
    order = np.asarray((d * number[:, None] + np.arange(d)).ravel(), dtype=np.int32)
    K = _renumbered(stiffness.assemble(basis, lam=lam, mu=mu), order)
    m = _renumbered(mass.assemble(single, rho=rho), number)
    if lumped:
        m = _lump(m)
    elastic = tuple(mean_of_elements(mesh, k / thickness) for k in lame)
    nu = None if out_of_plane is None else mean_of_elements(mesh, out_of_plane)
    gradients = NodalGradients(scalar_gradients(mesh, basis, number), elastic, nu)
    return FiniteElements(
        mesh._nodes,
        sparse.kron(m, sparse.eye_array(d), format="csr"),
        K,
        places=_places(mesh),
        paths=paths_of(mesh),
        triangles=triangles_of(mesh),
        turns=gradients.turns,
        stresses=gradients.stresses,
        second_order=_second_order(basis, (lam, mu), order),
    )


def _second_order(
    basis: Any, lame: tuple[Array, Array], order: NDArray[np.int32]
) -> Callable[[Array, Array], Array]:
    """Return ∫ Bᵀ E sym(∇uᵀ ∇v) dV of the Green-Lagrange strain, at the points of `basis`."""
    skfem = import_extra("skfem", "flexible")
    helpers = import_extra("skfem.helpers", "flexible")
    lam, mu = lame

    @skfem.LinearForm  # type: ignore[untyped-decorator, unused-ignore]
    def work(v: Any, w: Any) -> Any:
        return helpers.ddot(w["stress"], helpers.grad(v))

    def forces(u: Array, v: Array) -> Array:
        result = np.zeros(u.shape)
        for k in range(u.shape[1]):
            G, H = (np.asarray(basis.interpolate(x[order, k]).grad) for x in (u, v))
            strain = np.einsum("ab...,ac...->bc...", G, H)
            strain = 0.5 * (strain + strain.swapaxes(0, 1))
            stress = 2.0 * mu * strain
            for a in range(len(stress)):
                stress[a, a] += lam * np.einsum("aa...->...", strain)
            result[order, k] = work.assemble(basis, stress=stress)
        return result

    return forces


def _renumbered(A: Any, number: NDArray[np.int32]) -> Any:
    """Return a matrix with renumbered rows and columns."""
    from scipy import sparse

    B = A.tocoo()
    return sparse.csr_array((B.data, (number[B.row], number[B.col])), shape=A.shape)


def _lump(m: Any) -> Any:
    """Return the diagonal, scaled to the same mass (Hinton, Rock and Zienkiewicz)."""
    from scipy import sparse

    diagonal = m.diagonal()
    return sparse.diags_array(diagonal * (m.sum() / diagonal.sum()), format="csr")


def _places(mesh: Mesh) -> dict[str, Any]:
    """Return the named groups of nodes; surface groups weight nodes by the surface they carry."""
    found: dict[str, Any] = dict(mesh.places)
    for name, facets in mesh.facets.items():
        found[name] = _surface_group(mesh, np.asarray(facets))
    return found


def _surface_group(mesh: Mesh, facets: NDArray[np.int64]) -> Group:
    """Return a group with weights ∫ N_i dA over straight lines, flat triangles and squares."""
    points = np.zeros((len(mesh._nodes), 3))
    points[:, : mesh._kind.dimension] = mesh._nodes
    x = points[facets]
    if facets.shape[1] == 2:
        area = np.linalg.norm(x[:, 1] - x[:, 0], axis=1)
    elif facets.shape[1] == 3:
        area = 0.5 * np.linalg.norm(np.cross(x[:, 1] - x[:, 0], x[:, 2] - x[:, 0]), axis=1)
    else:
        area = 0.5 * np.linalg.norm(np.cross(x[:, 2] - x[:, 0], x[:, 3] - x[:, 1]), axis=1)
    middles = middles_of(mesh, facets)
    weights = np.zeros(len(points))
    if not middles:
        np.add.at(weights, facets, np.broadcast_to(area[:, None] / facets.shape[1], facets.shape))
    elif facets.shape[1] == 2:  # Simpson's rule
        np.add.at(weights, facets, np.broadcast_to(area[:, None] / 6.0, facets.shape))
        np.add.at(weights, middles[0], 4.0 * area / 6.0)
    else:  # corners of a quadratic triangle carry no load
        for nodes in middles:
            np.add.at(weights, nodes, area / 3.0)
    nodes = np.flatnonzero(weights)
    return Group(nodes, weights[nodes] / weights.sum())
