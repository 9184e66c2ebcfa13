#include "nsmb/integration/sparse_sundials.hpp"

#include <nvector/nvector_serial.h>

#include <algorithm>
#include <new>

namespace nsmb::sundials {

namespace {

constexpr int kSingular = 1;  // > 0: SUNDIALS tries again, with a new matrix or a smaller step

struct Content {
  SparseNewton* newton;
  std::vector<double> values;
};

Content& content(SUNMatrix A) { return *static_cast<Content*>(A->content); }
SparseNewton& newton_of(SUNLinearSolver S) { return *static_cast<SparseNewton*>(S->content); }

SUNMatrix_ID matrix_id(SUNMatrix) { return SUNMATRIX_CUSTOM; }

SUNMatrix clone(SUNMatrix A) { return make_sparse_matrix(*content(A).newton, A->sunctx); }

void destroy(SUNMatrix A) {
  if (!A) return;
  delete static_cast<Content*>(A->content);
  A->content = nullptr;
  SUNMatFreeEmpty(A);
}

int zero(SUNMatrix A) {
  std::fill(content(A).values.begin(), content(A).values.end(), 0.0);
  return 0;
}

int copy(SUNMatrix A, SUNMatrix B) {
  std::copy(content(A).values.begin(), content(A).values.end(), content(B).values.begin());
  return 0;
}

/// Compute A = c A + B.
int scale_add(sunrealtype c, SUNMatrix A, SUNMatrix B) {
  std::vector<double>&a = content(A).values, &b = content(B).values;
  for (std::size_t k = 0; k < a.size(); ++k) a[k] = c * a[k] + b[k];
  return 0;
}

/// Compute A = c A + I.
int scale_add_identity(sunrealtype c, SUNMatrix A) {
  const SparsityPattern& pattern = content(A).newton->pattern();
  std::vector<double>& values = content(A).values;
  for (std::size_t j = 0; j + 1 < pattern.begin.size(); ++j) {
    for (Index k = pattern.begin[j]; k < pattern.begin[j + 1]; ++k) {
      const auto entry = static_cast<std::size_t>(k);
      const bool diagonal = pattern.rows[entry] == static_cast<Index>(j);
      values[entry] = c * values[entry] + (diagonal ? 1.0 : 0.0);
    }
  }
  return 0;
}

SUNLinearSolver_Type solver_type(SUNLinearSolver) { return SUNLINEARSOLVER_DIRECT; }
SUNLinearSolver_ID solver_id(SUNLinearSolver) { return SUNLINEARSOLVER_CUSTOM; }

int initialise(SUNLinearSolver) { return 0; }

int set_up(SUNLinearSolver S, SUNMatrix A) {
  return newton_of(S).lu().factorise(content(A).values.data()) ? 0 : kSingular;
}

int solve(SUNLinearSolver S, SUNMatrix, N_Vector x, N_Vector b, sunrealtype) {
  const double* right = N_VGetArrayPointer(b);
  double* result = N_VGetArrayPointer(x);
  std::copy(right, right + newton_of(S).size(), result);
  newton_of(S).lu().solve(result);
  return 0;
}

int free_solver(SUNLinearSolver S) {
  if (S) {
    S->content = nullptr;
    SUNLinSolFreeEmpty(S);
  }
  return 0;
}

}  // namespace

SUNMatrix make_sparse_matrix(SparseNewton& newton, SUNContext context) {
  SUNMatrix A = SUNMatNewEmpty(context);
  if (!A) return nullptr;
  A->ops->getid = matrix_id;
  A->ops->clone = clone;
  A->ops->destroy = destroy;
  A->ops->zero = zero;
  A->ops->copy = copy;
  A->ops->scaleadd = scale_add;
  A->ops->scaleaddi = scale_add_identity;
  try {
    A->content = new Content{&newton, std::vector<double>(newton.pattern().rows.size(), 0.0)};
  } catch (const std::bad_alloc&) {  // the callers are C frames
    SUNMatFreeEmpty(A);
    return nullptr;
  }
  return A;
}

SUNLinearSolver make_sparse_solver(SparseNewton& newton, SUNContext context) {
  SUNLinearSolver S = SUNLinSolNewEmpty(context);
  if (!S) return nullptr;
  S->ops->gettype = solver_type;
  S->ops->getid = solver_id;
  S->ops->initialize = initialise;
  S->ops->setup = set_up;
  S->ops->solve = solve;
  S->ops->free = free_solver;
  S->content = &newton;
  return S;
}

double* sparse_values(SUNMatrix matrix) { return content(matrix).values.data(); }

}  // namespace nsmb::sundials
