// The Delassus matrix of all contact rows, normal rows first: W = (W_N | W_T), G = Wᵀ M⁻¹ W.
#pragma once

#include <Eigen/Cholesky>

#include "nsmb/system/contact.hpp"

namespace nsmb {

struct Delassus {
  Delassus(Index nu, Index nc) : W(nu, 2 * nc), Minv_W(nu, 2 * nc), G(2 * nc, 2 * nc) {}

  Matrix W;       // (nu, 2nc)
  Matrix Minv_W;  // (nu, 2nc) M⁻¹W
  Matrix G;       // (2nc, 2nc), 1/kg
};

inline void compute_delassus(const Eigen::LLT<Matrix>& M, const ContactKinematics& contacts,
                             Delassus& delassus) {
  const Index nc = contacts.g_N.size();
  if (nc == 0) return;
  delassus.W.leftCols(nc) = contacts.W_N;
  delassus.W.rightCols(nc) = contacts.W_T;
  delassus.Minv_W = delassus.W;
  M.matrixL().solveInPlace(delassus.Minv_W);
  M.matrixU().solveInPlace(delassus.Minv_W);
  delassus.G.noalias() = delassus.W.transpose() * delassus.Minv_W;
}

}  // namespace nsmb
