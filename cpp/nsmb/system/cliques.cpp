#include "nsmb/system/cliques.hpp"

#include <algorithm>
#include <map>

namespace nsmb {

void join_neighbours(VelocityRanges& ranges) {
  std::sort(ranges.begin(), ranges.end(),
            [](const VelocityRange& a, const VelocityRange& b) { return a.first < b.first; });
  std::size_t last = 0;
  for (std::size_t k = 1; k < ranges.size(); ++k) {
    if (ranges[last].first + ranges[last].size == ranges[k].first) {
      ranges[last].size += ranges[k].size;
    } else {
      ranges[++last] = ranges[k];
    }
  }
  if (!ranges.empty()) ranges.resize(last + 1);
}

Cliques::Cliques(const std::vector<Index>& of_velocity,
                 const std::vector<std::vector<Index>>& contact_velocities) {
  std::map<Index, Index> numbers;
  for (const Index given : of_velocity) {
    const Index number =
        numbers.try_emplace(given, static_cast<Index>(numbers.size())).first->second;
    of_velocity_.push_back(number);
    members_.resize(numbers.size());
    members_[at(number)].push_back({static_cast<Index>(of_velocity_.size()) - 1, 1});
  }
  for (VelocityRanges& members : members_) join_neighbours(members);
  std::vector<std::vector<Index>> contacts(members_.size());  // of each clique
  for (const std::vector<Index>& velocities : contact_velocities) {
    std::vector<Index> cliques;
    for (const Index k : velocities) cliques.push_back(of_velocity_[at(k)]);
    std::sort(cliques.begin(), cliques.end());
    cliques.erase(std::unique(cliques.begin(), cliques.end()), cliques.end());
    VelocityRanges reach;
    for (const Index clique : cliques) {
      contacts[at(clique)].push_back(static_cast<Index>(of_contact_.size()));
      reach.insert(reach.end(), members_[at(clique)].begin(), members_[at(clique)].end());
    }
    join_neighbours(reach);
    of_contact_.push_back(std::move(cliques));
    reach_.push_back(std::move(reach));
  }
  for (std::size_t i = 0; i < of_contact_.size(); ++i) {
    std::vector<Index> near = {static_cast<Index>(i)};
    for (const Index clique : of_contact_[i]) {
      near.insert(near.end(), contacts[at(clique)].begin(), contacts[at(clique)].end());
    }
    std::sort(near.begin(), near.end());
    near.erase(std::unique(near.begin(), near.end()), near.end());
    neighbours_.push_back(std::move(near));
  }
}

}  // namespace nsmb
