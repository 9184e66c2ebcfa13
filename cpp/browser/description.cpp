#include "browser/description.hpp"

#include <cmath>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "nsmb/core/check.hpp"

namespace nsmb::browser {

using emscripten::val;

namespace {

bool has(const val& object, const char* name) {
  return !object.isUndefined() && !object.isNull() && !object[name].isUndefined() &&
         !object[name].isNull();
}

std::vector<val> entries(const val& object, const char* name) {
  if (!has(object, name)) return {};
  const val list = object[name];
  if (!list.isArray()) reject(name, "an array", "something else");
  return emscripten::vecFromJSArray<val>(list);
}

Vector as_vector(const val& array, const std::string& name) {
  if (!array.isArray()) reject(name, "an array of numbers", "something else");
  const std::vector<double> values = emscripten::convertJSArrayToNumberVector<double>(array);
  for (const double value : values) check_finite(name, value);
  return Eigen::Map<const Vector>(values.data(), static_cast<Index>(values.size()));
}

Matrix matrix(const val& object, const char* name, Index n) {
  Matrix result = Matrix::Zero(n, n);
  if (!has(object, name)) return result;
  const std::vector<val> rows = entries(object, name);
  check_size(name, Vector::Zero(static_cast<Index>(rows.size())), n);
  for (Index i = 0; i < n; ++i) {
    const Vector row = as_vector(rows[static_cast<std::size_t>(i)], name);
    check_size(name, row, n);
    result.row(i) = row.transpose();
  }
  return result;
}

std::string word(const val& object, const char* name, const char* usual) {
  return has(object, name) ? object[name].as<std::string>() : usual;
}

LinearForce force_from(const val& given, Index n) {
  LinearForce force;
  force.constant = numbers(given, "constant", n);
  force.ramp = Vector::Zero(n);
  for (const val& harmonic : entries(given, "harmonics")) {
    const Vector amplitude = numbers(harmonic, "amplitude", n);
    const double phase = number(harmonic, "phase", 0.0);
    // a cos(ωt + φ) = a cos φ cos ωt - a sin φ sin ωt
    force.harmonics.push_back({amplitude * std::cos(phase), -amplitude * std::sin(phase),
                               number(harmonic, "omega", 0.0)});
  }
  return force;
}

UnilateralContact law_from(const val& given) {
  UnilateralContact law;
  law.mu = number(given, "mu", 0.0);
  law.e_N = number(given, "e_N", 0.0);
  law.e_T = number(given, "e_T", 0.0);
  law.nu = number(given, "nu", 0.0);
  if (has(given, "curve")) {
    const val curve = given["curve"];
    law.curve = std::make_shared<StribeckCurve>(
        law.mu, number(curve, "mu_d", law.mu), number(curve, "v_s", 0.0),
        number(curve, "delta", 1.0), number(curve, "k", 0.0));
  }
  return law;
}

LinearContact contact_from(const val& given, Index n) {
  LinearContact contact;
  contact.name = word(given, "name", "contact");
  contact.w_N = numbers(given, "w_N", n);
  contact.w_T = numbers(given, "w_T", n);
  contact.gap = number(given, "gap", 0.0);
  contact.w_tilde_T = Vector::Constant(1, number(given, "w_tilde_T", 0.0));
  contact.law = has(given, "law") ? law_from(given["law"]) : UnilateralContact{};
  return contact;
}

}  // namespace

double number(const val& object, const char* name, double usual) {
  if (!has(object, name)) return usual;
  if (!object[name].isNumber()) reject(name, "a number", "something else");
  const double value = object[name].as<double>();
  check_finite(name, value);
  return value;
}

Vector numbers(const val& object, const char* name, Index size) {
  if (!has(object, name)) return Vector::Zero(size);
  const Vector values = as_vector(object[name], name);
  check_size(name, values, size);
  return values;
}

LinearSystem system_from(const val& description) {
  std::vector<std::string> coordinates;
  for (const val& name : entries(description, "coordinates")) {
    coordinates.push_back(name.as<std::string>());
  }
  const auto n = static_cast<Index>(coordinates.size());
  if (n == 0) reject("coordinates", "at least one name", "none");
  std::vector<LinearContact> contacts;
  for (const val& contact : entries(description, "contacts")) {
    contacts.push_back(contact_from(contact, n));
  }
  const val force = has(description, "force") ? description["force"] : val::object();
  return LinearSystem(std::move(coordinates), matrix(description, "M", n),
                      matrix(description, "K", n), matrix(description, "D", n),
                      force_from(force, n), contacts);
}

EventDrivenOptions options_from(const val& given) {
  EventDrivenOptions options;
  options.rtol = number(given, "rtol", options.rtol);
  options.max_events = static_cast<long>(number(given, "max_events", 1e5));
  options.dense_output = false;
  const std::string law = word(given, "impact_law", "poisson");
  if (law == "newton") {
    options.transition.impact_law = ImpactLaw::Newton;
  } else if (law == "moreau") {
    options.transition.impact_law = ImpactLaw::Moreau;
  } else if (law != "poisson") {
    reject("impact_law", "poisson, newton or moreau", law);
  }
  const std::string reaction = word(given, "on_inconsistent", "stop");
  if (reaction == "impact") {
    options.transition.on_inconsistent = OnInconsistent::Impact;
  } else if (reaction != "stop") {
    reject("on_inconsistent", "stop or impact", reaction);
  }
  return options;
}

}  // namespace nsmb::browser
