from nsmb._core import complementarity as complementarity
from nsmb._core import contact_laws as contact_laws
from nsmb._core import geometry as geometry
from nsmb._core import integration as integration
from nsmb._core import multibody as multibody
from nsmb._core import simulation as simulation
from nsmb._core import stepping as stepping
from nsmb._core import system as system
