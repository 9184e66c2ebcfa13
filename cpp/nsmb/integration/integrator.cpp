#include "nsmb/integration/integrator.hpp"

#include "nsmb/core/check.hpp"
#include "nsmb/integration/dormand_prince.hpp"
#ifndef NSMB_WITHOUT_SUNDIALS
#include "nsmb/integration/sundials_integrator.hpp"
#endif

namespace nsmb {

std::string_view integrator_names() {
#ifdef NSMB_WITHOUT_SUNDIALS
  return "dp853";
#else
  return "dp853, arkode_fehlberg78, arkode_verner56, arkode_dormand_prince45, "
         "arkode_bogacki_shampine23, cvode";
#endif
}

std::unique_ptr<Integrator> make_integrator(std::string_view method, OdeProblem& problem,
                                            const IntegratorOptions& options) {
  if (problem.dimension() < 1) {
    reject("problem", "at least one equation", std::to_string(problem.dimension()));
  }
  check_positive("rtol", options.rtol);
  check_finite("rtol", options.rtol);
  check_size("atol", options.atol, problem.dimension());
  check_finite("atol", options.atol);
  for (Index i = 0; i < options.atol.size(); ++i) check_positive("atol", options.atol[i]);
  check_range("initial_step", options.initial_step, 0.0, std::numeric_limits<double>::max());
  if (!(options.max_step > 0.0)) reject("max_step", "a number > 0", to_text(options.max_step));

  if (method == "dp853") return std::make_unique<DormandPrince853>(problem, options);
#ifndef NSMB_WITHOUT_SUNDIALS
  if (method == "cvode") return make_cvode(problem, options);
  if (auto integrator = make_arkode(method, problem, options)) return integrator;
#endif
  reject("method", "one of " + std::string(integrator_names()), method);
}

}  // namespace nsmb
