// The Delassus matrix of all contact rows, in the order of ContactRows: W = (W_N | W_T),
// G = Wᵀ M⁻¹ W. With bilateral constraints M⁻¹ stands for its projection onto what they allow.
#pragma once

#include "nsmb/system/contact.hpp"

namespace nsmb {

struct Delassus {
  Delassus(Index nu, Index rows)
      : W(Matrix::Zero(nu, rows)), Minv_W(Matrix::Zero(nu, rows)), G(Matrix::Zero(rows, rows)) {}

  Matrix W;       // (nu, nc + nt)
  Matrix Minv_W;  // (nu, nc + nt) M⁻¹W
  Matrix G;       // (nc + nt, nc + nt), 1/kg
};

}  // namespace nsmb
