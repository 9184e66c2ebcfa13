// All that decides the motion of a system, as tables.
#pragma once

#include <vector>

#include "nsmb/system/system.hpp"

/// At every (t, row of y): a table (m, numbers) for each of M, h, ẋ, and the kinematics of
/// contacts, force elements and constraints, as far as there are some.
std::vector<nsmb::Matrix> equations(const nsmb::System& s, const nsmb::Vector& t,
                                    const nsmb::Matrix& y);
