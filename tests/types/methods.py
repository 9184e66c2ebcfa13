"""Methods as a user writes them, for mypy alone: `make lint` checks this file and never runs it.

Each ignored error must occur. Otherwise mypy reports an unused ignore: a wrong option has passed.
"""

import nsmb

ball = nsmb.systems.bouncing_ball()

# Right options.
nsmb.simulate(ball, 1.0)
nsmb.simulate(ball, 1.0, method="auto")
nsmb.simulate(ball, 1.0, method=nsmb.EventDriven(rtol=1e-6, impact_law="poisson"))
nsmb.simulate(ball, 1.0, method=nsmb.Midpoint(1e-3, sleeping=True, solver="admm", threads=1))
nsmb.Simulator(ball, nsmb.Hybrid(step=1e-3, rtol=1e-6))
nsmb.PositionForces(1e-3, integrator="euler", mixing=0.5, solver="polyhedral")
nsmb.VelocityForces(1e-3, main_integrator="radau", max_iterations=10)
length: float = nsmb.Midpoint(1e-3).step

# Options of other methods.
nsmb.Hybrid(1e-3, sleeping=True)  # type: ignore[call-arg]
nsmb.Midpoint(1e-3, rtol=1e-6)  # type: ignore[call-arg]
nsmb.Midpoint(1e-3, mixing=0.5)  # type: ignore[call-arg]
nsmb.VelocityForces(1e-3, mixing=0.5)  # type: ignore[call-arg]
nsmb.PositionForces(1e-3, impact_law="moreau")  # type: ignore[call-arg]
nsmb.EventDriven(step=1e-3)  # type: ignore[call-arg]

# Misspelt options, and options without a name.
nsmb.Midpoint(1e-3, slepping=True)  # type: ignore[call-arg]
nsmb.EventDriven(rest_velcity=1e-6)  # type: ignore[call-arg]
nsmb.EventDriven(1e-6)  # type: ignore[misc]
nsmb.Midpoint(1e-3, 1e-8)  # type: ignore[misc]
nsmb.Midpoint()  # type: ignore[call-arg]

# Option values that a method does not accept.
nsmb.Midpoint(1e-3, impact_law="coulomb")  # type: ignore[arg-type]
nsmb.Midpoint(1e-3, solver="polyhedral")  # type: ignore[arg-type]
nsmb.PositionForces(1e-3, solver="admm")  # type: ignore[arg-type]
nsmb.VelocityForces(1e-3, integrator="euler")  # type: ignore[arg-type]

# Strings and classes instead of methods.
nsmb.simulate(ball, 1.0, method="midpoint")  # type: ignore[arg-type]
nsmb.simulate(ball, 1.0, method=nsmb.Midpoint)  # type: ignore[arg-type]
nsmb.Simulator(ball, "hybrid")  # type: ignore[arg-type]
