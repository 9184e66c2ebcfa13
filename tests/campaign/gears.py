"""Random gears in mesh, with rigid or elastic teeth.

Pairs, chains, stars, shafts with two gears and planets on a carrier have axes that are fixed,
elastic, sliding or free. There are also pairs of rigid flanks by set-valued contact (`flanks.py`).
`gear_truth.py` has an independent implementation of the same gears.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from tests.campaign import flanks, gear_check
from tests.campaign.case import Case, code, generator
from tests.campaign.findings import Findings
from tests.campaign.gear_truth import Train

Generator = np.random.Generator
Spec = dict[str, Any]
SET_VALUED = 0.2
"""Share of cases with set-valued contact."""
FIELDS = ("z", "m_n", "alpha_n", "beta", "x", "addendum", "dedendum", "width", "E", "tip_relief",
          "relief_length", "crowning")  # fmt: skip
PAIR = ("distance", "backlash_from", "backlash", "shape", "stiffness_ratio", "damping",
        "transition", "mu", "v_eps", "entry", "flanks")  # fmt: skip


def make(seed: int) -> Case:
    rng = generator("gears", seed)
    if rng.random() < SET_VALUED:
        return flanks.make(seed, rng)
    while True:
        try:
            spec = draw(rng)
        except ValueError:  # pointed teeth, gears that cannot be assembled
            continue
        break
    train = Train(spec)
    method: dict[str, Any] = {"rtol": float(rng.choice([1e-7, 1e-8, 1e-9])), "max_events": 20_000}
    stiff = train.motion_of_teeth in ("quasi-static", "dynamic")
    if rng.random() < (0.9 if stiff else 0.3):
        method["integrator"] = "cvode"
    if not spec["events"]:
        method["max_step"] = gear_check.longest_step(spec)
    tags = (spec["arrangement"], spec["mount"], train.motion_of_teeth, *spec["tags"])
    return Case(
        "gears", seed, source(spec, spec["events"]), spec["t_end"], None, None, method, spec, tags
    )


def draw(rng: Generator) -> Spec:
    """Draw the numbers of a train. Raises ValueError if they are inconsistent."""
    arrangement = str(rng.choice(["pair", "pair", "chain", "star", "shaft", "planets"]))
    mount = str(rng.choice(["fixed", "fixed", "floating", "sliding", "afloat"]))
    if arrangement == "planets":
        mount = "fixed"
    kept = bool(rng.random() < 0.35)  # constant stiffness: flanks conserve energy
    spec: Spec = {"arrangement": arrangement, "mount": mount, "kept": kept, "loads": []}
    blank = {"tip_relief": 0.0, "relief_length": None, "crowning": 0.0}
    motion = str(
        rng.choice(["rigid", "static", "quasi-static", "dynamic"], p=[0.5, 0.15, 0.15, 0.2])
    )
    common = {
        "m_n": float(rng.uniform(1e-3, 5e-3)), "alpha_n": float(rng.uniform(0.3, 0.44)),
        "dedendum": float(rng.uniform(1.05, 1.3)), "E": 2.1e11,
        "addendum": float(rng.uniform(0.8, 1.0)),
    }  # fmt: skip
    beta = 0.0 if kept or rng.random() < 0.5 else float(rng.uniform(-0.5, 0.5))
    width = float(rng.uniform(5.0, 12.0)) * common["m_n"]
    count = {"pair": 2, "chain": 3, "star": int(rng.integers(3, 5)), "shaft": 4, "planets": 3}
    wheels = []
    for k in range(count[arrangement]):
        # Partners have helices of opposite hand: the second of a pair, a star and a chain.
        odd = {"chain": k == 1, "shaft": k in (1, 2)}.get(arrangement, k > 0)
        wheel = common | blank | {
            "z": int(rng.integers(13, 36)), "x": float(rng.uniform(-0.1, 0.4)),
            "beta": -beta if odd else beta, "width": width * float(rng.choice([1.0, 1.3])),
        }  # fmt: skip
        if not kept and rng.random() < 0.4:
            wheel["tip_relief"] = float(rng.uniform(1e-6, 2e-5))
            wheel["relief_length"] = float(rng.uniform(0.5, 2.0)) * common["m_n"]
        if motion != "static" and rng.random() < 0.25:
            wheel["crowning"] = float(rng.uniform(1e-6, 2e-5))
        wheels.append(wheel)
    joined = {"pair": [(0, 1)], "chain": [(0, 1), (1, 2)], "shaft": [(0, 1), (2, 3)]}.get(
        arrangement, [(0, k) for k in range(1, len(wheels))]
    )
    spec |= {"wheels": wheels, "meshes": [], "teeth": None}
    shape = float(10.0 ** rng.uniform(-2.0, -0.3))
    for gears in joined:
        spec["meshes"].append(draw_mesh(rng, gears, motion, kept, shape))
    place(rng, spec)
    tune(rng, spec, motion)
    return spec


def draw_mesh(
    rng: Generator, gears: tuple[int, int], motion: str, kept: bool, shape: float
) -> Spec:
    by_geometry = kept or bool(rng.random() < 0.6)  # otherwise the centre distance exchanges energy
    mesh: Spec = {
        "gears": gears, "backlash_from": "geometry" if by_geometry else "factor",
        "backlash": float(rng.choice([0.0, rng.uniform(0.0, 0.03)])) + 1e-3 * (not by_geometry),
        "extra": float(rng.uniform(0.0 if by_geometry else -0.02, 0.08)),
        "shape": shape * float(rng.uniform(0.5, 2.0)), "stiffness_ratio": 1.0, "damping": 0.0,
        "transition": 0.0, "mu": 0.0, "v_eps": float(10.0 ** rng.uniform(-2.0, -0.5)),
        "entry": 0.0,
        # With one flank alone, gears would rotate by half a pitch, up to the next pair.
        "flanks": ["left", "right"],
    }  # fmt: skip
    if not kept:
        mesh["stiffness_ratio"] = float(rng.uniform(0.6, 1.0))
        mesh["entry"] = float(rng.choice([0.0, 0.02, 0.1]))
    if rng.random() < 0.5:
        mesh["mu"] = float(rng.uniform(0.0, 0.2))
    if motion in ("rigid", "dynamic") and rng.random() < 0.5:
        mesh["damping"] = float(rng.uniform(0.01, 0.2))  # share of the critical one, until `tune`
        mesh["transition"] = float(rng.choice([0.0, 1e-6, 1e-5]))
    return mesh


def place(rng: Generator, spec: Spec) -> None:
    """Place bodies so that their gears mesh."""
    wheels, meshes, mount = spec["wheels"], spec["meshes"], spec["mount"]
    bodies, body_of = [], {}

    def add(gear: int, at: Any, kind: str, **more: Any) -> None:
        w = wheels[gear]
        r = 0.5 * w["m_n"] * w["z"] / math.cos(w["beta"])
        mass = math.pi * 7800.0 * w["width"] * r**2 * float(rng.uniform(0.5, 2.0))
        body_of[gear] = len(bodies)
        bodies.append({"place": [float(a) for a in at], "mount": kind, "mass": mass,
                       "I": 0.5 * mass * r**2, "r": r, **more})  # fmt: skip

    kind = {"afloat": "floating"}.get(mount, mount)
    carrier = spec["arrangement"] == "planets"
    add(0, (0.0, 0.0), kind)
    if carrier:
        bodies.append({"place": [0.0, 0.0], "mount": "carrier", "mass": 1.0, "r": 0.0,
                       "I": bodies[0]["I"] * float(rng.uniform(0.5, 5.0))})  # fmt: skip
    turn = float(rng.uniform(-math.pi, math.pi))
    for number, mesh in enumerate(meshes):
        one, two = mesh["gears"]
        if spec["arrangement"] == "shaft" and number == 1:
            body_of[one] = body_of[1]
        a_v = pair_of(wheels[one], wheels[two], mesh, None).a_v
        mesh["distance"] = a_v + mesh.pop("extra") * wheels[one]["m_n"]
        pair_of(wheels[one], wheels[two], mesh, mesh["distance"])
        star = spec["arrangement"] in ("star", "planets")
        turn += 2.0 * math.pi / len(meshes) if star else float(rng.uniform(-1.0, 1.0))
        mesh["direction"] = turn
        first = bodies[body_of[one]]["place"]
        at = np.array(first) + mesh["distance"] * np.array([math.cos(turn), math.sin(turn)])
        add(two, at, "carried" if carrier else kind, **({"carrier": 1} if carrier else {}))
    for k, w in enumerate(wheels):
        w["body"] = body_of[k]
    spec["bodies"] = bodies


def tune(rng: Generator, spec: Spec, motion: str) -> None:
    """Draw speeds, torques, dampers, teeth and the end time by the frequencies of the meshes."""
    wheels, bodies, meshes = spec["wheels"], spec["bodies"], spec["meshes"]
    omegas, pitch_turns = [], []
    for mesh in meshes:
        one, two = (wheels[k] for k in mesh["gears"])
        pair = pair_of(one, two, mesh, mesh["distance"])
        r_b = pair.gear_1.r_b, pair.gear_2.r_b
        mass = 1.0 / sum(
            r**2 / bodies[w["body"]]["I"] for r, w in zip(r_b, (one, two), strict=True)
        )
        K = 14e9 * mesh["shape"] * min(one["width"], two["width"])
        mesh |= {"stiffness": 14e9 * mesh["shape"], "K": K}
        omegas.append(math.sqrt(K / mass))
        mesh["damping"] *= 2.0 * math.sqrt(K * mass)
        pitch_turns.append(2.0 * math.pi / one["z"])
    periods = float(rng.uniform(8.0, 25.0)) * (0.4 if motion == "dynamic" else 1.0)
    spec["t_end"] = t_end = periods * 2.0 * math.pi / max(omegas)
    if motion != "rigid":
        K = max(mesh["K"] for mesh in meshes) * float(rng.uniform(1.0, 6.0))
        teeth: Spec = {"motion": motion, "K": K, "D": 0.0, "mass": None, "all_teeth": True}
        if motion == "quasi-static":
            teeth["D"] = K / max(omegas) * float(rng.uniform(0.05, 1.0))
        if motion == "dynamic":
            mass = K / (max(omegas) * float(rng.uniform(3.0, 10.0))) ** 2
            teeth["mass"] = mass
            teeth["D"] = (
                2.0 * float(rng.choice([0.0, rng.uniform(0.01, 0.3)])) * math.sqrt(K * mass)
            )
        teeth["all_teeth"] = motion == "static" or bool(rng.random() < 0.7)
        spec["teeth"] = teeth
    for w in wheels:
        given = spec["teeth"] or {"K": 0.0, "D": 0.0, "mass": 0.0}
        w |= {"K": given["K"], "D": given["D"], "mass": given["mass"] or 0.0, "phase": 0.0}
    for mesh in meshes:  # in the order of their dependence
        one, two = mesh["gears"]
        pair = pair_of(wheels[one], wheels[two], mesh, mesh["distance"])
        approach = 0.5 * pair.play * float(rng.uniform(-1.0, 1.0))
        wheels[two]["phase"] = pair.phase_2(wheels[one]["phase"], mesh["direction"], approach)
    # Rolling speeds, changed by a few percent.
    speed = [0.0] * len(bodies)
    speed[0] = float(rng.uniform(-6.0, 6.0)) * pitch_turns[0] / t_end
    carried = 0.3 * speed[0] if spec["arrangement"] == "planets" else 0.0
    for mesh in meshes:
        one, two = mesh["gears"]
        rolling = -(speed[wheels[one]["body"]] - carried) * wheels[one]["z"] / wheels[two]["z"]
        off = 0.05 * abs(speed[0]) * float(rng.uniform(-1.0, 1.0))
        speed[wheels[two]["body"]] = rolling + off
    if carried:
        speed[1] = carried
    for k, body in enumerate(bodies):
        add_loads(rng, spec, k, body, min(mesh["K"] for mesh in meshes), min(omegas))
        body["speed"] = speed[k]
    for mesh in meshes:
        del mesh["K"]
    spec["events"] = bool(rng.random() < 0.6)
    spec["tags"] = [t for t in (
        "kept" if spec["kept"] else "", "helical" if wheels[0]["beta"] else "",
        "near" if spec["teeth"] and not spec["teeth"]["all_teeth"] else "",
        "events" if spec["events"] else "",
    ) if t]  # fmt: skip


def add_loads(rng: Generator, spec: Spec, k: int, body: Spec, K: float, omega: float) -> None:
    if spec["mount"] == "afloat":
        return
    last = {"fixed": 0, "carrier": 0, "carried": 0, "sliding": 1, "floating": 2}[body["mount"]]
    r = body["r"] or 0.02
    if rng.random() < 0.7:
        T = float(rng.uniform(-1.0, 1.0)) * 2e-5 * K * r
        d = float(rng.choice([0.0, rng.uniform(0.0, 0.05)])) * omega * body["I"]
        spec["loads"].append({"body": k, "coordinate": last, "T": T, "d": d, "c": 0.0, "free": 0.0})
    for i in range(last):  # bearings of half the frequency
        c = body["mass"] * omega**2 * float(rng.uniform(0.1, 0.5))
        free = body["place"][i] if body["mount"] == "floating" else 0.0
        spec["loads"].append({"body": k, "coordinate": i, "T": 0.0, "d": 0.0, "c": c, "free": free})


def gear_text(wheel: Spec) -> str:
    return "nsmb.gears.Gear(" + ", ".join(f"{k}={code(wheel[k])}" for k in FIELDS) + ")"


def pair_text(mesh: Spec, one: str, two: str) -> str:
    given = ", ".join(f"{k}={code(mesh[k])}" for k in PAIR if k in mesh)
    return f"nsmb.gears.GearPair(gear_1={one}, gear_2={two}, {given})"


def pair_of(one: Spec, two: Spec, mesh: Spec, distance: float | None) -> Any:
    import nsmb

    text = pair_text(mesh | {"distance": distance}, gear_text(one), gear_text(two))
    return eval(text, {"nsmb": nsmb})


JOINTS = {"fixed": "Revolute", "carrier": "Revolute", "carried": "Revolute",
          "sliding": "Cylindrical", "floating": "Planar"}  # fmt: skip
COORDINATES = {"fixed": [""], "carrier": [""], "carried": [""], "sliding": [".shift", ".angle"],
               "floating": [".x", ".y", ".phi"]}  # fmt: skip


def source(spec: Spec, events: bool) -> str:
    lines = ["m = nsmb.Model(gravity=(0.0, 0.0, 0.0))", "on, gears = {}, {}"]
    initial, velocities = {}, {}
    for k, body in enumerate(spec["bodies"]):
        floats, carried = body["mount"] == "floating", body["mount"] == "carried"
        at = "" if floats else f", at={(*body['place'], 0.0)!r}"
        base = f"b{body['carrier']}" if carried else "m.ground"
        lines += [
            f"b{k} = m.add_body('b{k}', mass={body['mass']!r}, inertia=({body['I']!r},) * 3)",
            f"m.add_joint('j{k}', nsmb.joints.{JOINTS[body['mount']]}(), {base}, b{k}{at})",
        ]
        initial[f"j{k}"] = {"floating": [*body["place"], 0.0], "sliding": [0.0, 0.0]}.get(
            body["mount"], 0.0
        )
        rates = [0.0] * len(COORDINATES[body["mount"]])
        relative = spec["bodies"][body["carrier"]]["speed"] if carried else 0.0
        rates[-1] = body["speed"] - relative
        velocities[f"j{k}"] = rates if len(rates) > 1 else rates[0]
    for i, load in enumerate(spec["loads"]):
        name = f"j{load['body']}"
        name += COORDINATES[spec["bodies"][load["body"]]["mount"]][load["coordinate"]]
        lines.append(
            f"m.add_torsion_spring('f{i}', '{name}', c={load['c']!r}, d={load['d']!r}, "
            f"free_angle={load['free']!r}, preload={load['T']!r})"
        )
    phases, spins = {}, {}
    for k, wheel in enumerate(spec["wheels"]):
        lines.append(f"gears['g{k}'], on['g{k}'] = {gear_text(wheel)}, b{wheel['body']}")
        phases[f"g{k}"] = wheel["phase"]
        spins[f"g{k}"] = spec["bodies"][wheel["body"]]["speed"]
    meshes = []
    for number, mesh in enumerate(spec["meshes"]):
        names = [f"g{k}" for k in mesh["gears"]]
        pair = pair_text(mesh, *(f"gears['{name}']" for name in names))
        meshes.append(f"'m{number}': ('{names[0]}', '{names[1]}', {pair})")
    teeth = "None"
    if spec["teeth"]:
        given = ", ".join(f"{k}={v!r}" for k, v in spec["teeth"].items())
        teeth = f"nsmb.gears.ElasticTeeth({given})"
    lines += [
        f"train = nsmb.gears.GearTrain(gears=gears, meshes={{{', '.join(meshes)}}}, "
        f"phases={phases!r}, teeth={teeth}, spins={spins!r}, events={events})",
        "m.add_gear_train('train', on, train)",
        f"system = m.build(initial={code(initial)}, velocities={code(velocities)})",
    ]
    return "\n".join(lines) + "\n"


def look(case: Case, system: Any, found: Findings, notes: list[str]) -> None:
    if "wheels" not in case.spec:
        return flanks.look(case, system, found, notes)
    gear_check.look(case, system, found, notes)
