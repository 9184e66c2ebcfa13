// The Delassus matrix of all contact rows, in the order of ContactRows: W = (W_N | W_T),
// G = Wᵀ M⁻¹ W.
#pragma once

#include <Eigen/Cholesky>

#include "nsmb/system/contact.hpp"

namespace nsmb {

struct Delassus {
  Delassus(Index nu, Index rows) : W(nu, rows), Minv_W(nu, rows), G(rows, rows) {}

  Matrix W;       // (nu, nc + nt)
  Matrix Minv_W;  // (nu, nc + nt) M⁻¹W
  Matrix G;       // (nc + nt, nc + nt), 1/kg
};

inline void compute_delassus(const Eigen::LLT<Matrix>& M, const ContactKinematics& contacts,
                             Delassus& delassus) {
  const Index nc = contacts.g_N.size();
  if (nc == 0) return;
  delassus.W.leftCols(nc) = contacts.W_N;
  delassus.W.rightCols(contacts.w_tilde_T.size()) = contacts.W_T;
  delassus.Minv_W = delassus.W;
  M.matrixL().solveInPlace(delassus.Minv_W);
  M.matrixU().solveInPlace(delassus.Minv_W);
  delassus.G.noalias() = delassus.W.transpose() * delassus.Minv_W;
}

}  // namespace nsmb
