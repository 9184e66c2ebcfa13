#include "nsmb/simulation/observation.hpp"

namespace nsmb {

Observation::Observation(const System& system)
    : contacts(Matrix::Zero(system.nc(), kObservables)),
      gamma_T(Vector::Zero(system.nt())),
      lambda_T(Vector::Zero(system.nt())),
      lambda_B(Vector::Zero(system.nb())),
      element_gamma(Vector::Zero(system.ne())),
      element_force(Vector::Zero(system.ne())),
      element_switch(Vector::Zero(system.ne())),
      domain(Vector::Zero(system.nc())),
      margin(Vector::Zero(system.nc())),
      approach(Vector::Zero(system.nc())) {}

}  // namespace nsmb
