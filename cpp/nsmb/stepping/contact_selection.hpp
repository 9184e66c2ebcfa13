// Which of the contacts near a step belong to it.
#pragma once

#include <utility>
#include <vector>

#include "nsmb/simulation/mechanics.hpp"
#include "nsmb/stepping/contact_memory.hpp"
#include "nsmb/stepping/contact_model.hpp"

namespace nsmb {

/// Workspace. All contacts that touch where a step looks; besides them either those of shapes that
/// have been closed, which the step may close again, or, where that is asked for, those whose
/// shapes are within each other at its end, and whose gap closes until then.
class ContactSelection {
 public:
  ContactSelection(Mechanics& mechanics, ContactModel& model, double gap_tolerance);

  /// Near (t, q), with the velocities u of the begin; `rest` in s from there to the end of the
  /// step, 0: only those that touch. Pairs of cliques that are `at_rest` are left out.
  void find(double t, const ConstVectorRef& q, const ConstVectorRef& u, double rest,
            const std::vector<char>* at_rest);
  /// As find(), with those that have hardly left besides. Of two shapes with a closed contact in
  /// the last step, that is what approaches no faster, and is no farther away, than forces close in
  /// `rest`, with a change of velocities `change` (nu) where either shape is held by others:
  /// solvers leave velocities by which contacts at rest creep, and what creeps has not left.
  /// What was more than 2 `reach` away is not looked at.
  void find_held(double t, const ConstVectorRef& q, const ConstVectorRef& u,
                 const ConstVectorRef& change, double rest, double theta, double reach,
                 const ContactMemory& memory, const std::vector<char>* at_rest);
  /// m/s, the fastest that forces close one of those near by.
  double forced() const { return forced_; }
  /// Those passed at (t, q), the end of the step that these velocities lead to. False: none.
  bool add_passed(double t, const ConstVectorRef& q, const ConstVectorRef& u);
  /// Those that belong to the step, with rows of their own.
  void take(ContactSet& set) const;
  /// All of them, near or touching.
  const ContactSet& near() const { return near_; }

 private:
  void search(double t, const ConstVectorRef& q, const ConstVectorRef& u, double margin,
              double rest, const std::vector<char>* at_rest);
  double rate(const FoundContact& contact, std::size_t side, const ConstVectorRef& u) const;
  double approach(const FoundContact& contact, const ConstVectorRef& u) const;

  Mechanics& mechanics_;
  ContactModel& model_;
  const double gap_tolerance_;
  double rest_ = 0.0, forced_ = 0.0;
  const std::vector<char>* at_rest_ = nullptr;
  ContactSet near_, at_end_;
  std::vector<char> chosen_;  // of near_
  std::vector<std::pair<Index, Index>> passed_;
};

}  // namespace nsmb
