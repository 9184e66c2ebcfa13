// The equations that determine the motion of a system, as tables.
#pragma once

#include <vector>

#include "nsmb/system/system.hpp"

/// Evaluate the equations at every (t, row of y). Return a table (m, numbers) for each of M, h, ẋ,
/// and the kinematics of contacts, force elements and constraints, if present.
std::vector<nsmb::Matrix> equations(const nsmb::System& s, const nsmb::Vector& t,
                                    const nsmb::Matrix& y);
