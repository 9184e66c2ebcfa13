"""Bodies, joints, force elements and contacts, as a :class:`Model` that builds a system."""

from nsmb.multibody import elastic as elastic
from nsmb.multibody import joints as joints
from nsmb.multibody.areal import ArealContact as ArealContact
from nsmb.multibody.areal import ElasticLayer as ElasticLayer
from nsmb.multibody.areal import ElasticSurface as ElasticSurface
from nsmb.multibody.handles import Body as Body
from nsmb.multibody.handles import Handle as Handle
from nsmb.multibody.handles import JointHandle as JointHandle
from nsmb.multibody.handles import StopHandles as StopHandles
from nsmb.multibody.laws import ForceTable as ForceTable
from nsmb.multibody.model import Model as Model
from nsmb.multibody.parts import ContourOnBody as ContourOnBody
from nsmb.multibody.parts import Marker as Marker
from nsmb.multibody.parts import ModelWarning as ModelWarning
from nsmb.multibody.parts import ShapeOnBody as ShapeOnBody
from nsmb.multibody.system import MultibodySystem as MultibodySystem
from nsmb.multibody.system import ShapeContacts as ShapeContacts
from nsmb.multibody.user_force import ForceInput as ForceInput
from nsmb.multibody.user_force import UserForce as UserForce

__all__ = [
    "ArealContact",
    "Body",
    "ContourOnBody",
    "ElasticLayer",
    "ElasticSurface",
    "ForceInput",
    "ForceTable",
    "Handle",
    "JointHandle",
    "Marker",
    "Model",
    "ModelWarning",
    "MultibodySystem",
    "ShapeContacts",
    "ShapeOnBody",
    "StopHandles",
    "UserForce",
    "elastic",
    "joints",
]
