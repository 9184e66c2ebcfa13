#include "nsmb/simulation/table.hpp"

#include "nsmb/system/system.hpp"

namespace nsmb {

namespace {

constexpr std::array<std::string_view, kPers> kPer = {
    "row",        "component", "coordinate", "velocity", "state", "contact", "tangent",
    "constraint", "element",   "input",      "feature",  "space", "series"};

}  // namespace

RowSizes row_sizes(const System& system) {
  const Index features = system.feature_search() ? 2 * system.nc() : 0;
  return {1,
          system.ny(),
          system.nq(),
          system.nu(),
          system.nx(),
          system.nc(),
          system.nt(),
          system.nb(),
          system.ne(),
          system.ni(),
          features,
          3,
          0};
}

std::string_view to_text(Per per) { return kPer[static_cast<std::size_t>(per)]; }

AnyColumn::AnyColumn(Table& table, const char* name, Per per)
    : name_(name), per_(per), width_(table.sizes_[static_cast<std::size_t>(per)]) {
  table.columns_.push_back(this);
}

template <>
const char* Column<double>::type() const {
  return "f8";
}
template <>
const char* Column<std::int8_t>::type() const {
  return "i1";
}
template <>
const char* Column<std::uint8_t>::type() const {
  return "u1";
}
template <>
const char* Column<std::int32_t>::type() const {
  return "i4";
}
template <>
const char* Column<std::int64_t>::type() const {
  return "i8";
}
template <>
const char* Column<std::uint64_t>::type() const {
  return "u8";
}

void Table::use_all(bool used) {
  for (AnyColumn* column : columns_) column->use(used);
}

std::size_t Table::row_bytes() const {
  std::size_t bytes = 0;
  for (const AnyColumn* column : columns_) {
    if (!column->is_used()) continue;
    bytes += static_cast<std::size_t>(column->width()) * column->number_bytes();
  }
  return bytes;
}

std::size_t Table::bytes() const {
  std::size_t bytes = 0;
  for (const AnyColumn* column : columns_) bytes += column->bytes();
  return bytes;
}

std::size_t Table::filled_bytes() const {
  std::size_t bytes = 0;
  for (const AnyColumn* column : columns_) bytes += column->size() * column->number_bytes();
  return bytes;
}

void Table::drop(std::size_t first, std::size_t count) {
  for (AnyColumn* column : columns_) {
    if (column->per() == Per::Series || !column->is_used()) continue;
    const auto width = static_cast<std::size_t>(column->width());
    column->drop(first * width, count * width);
  }
}

void Table::clear() {
  for (AnyColumn* column : columns_) column->drop(0, column->size());
}

void Table::release() {
  for (AnyColumn* column : columns_) column->release();
}

void Table::take(Table& other) {
  for (std::size_t k = 0; k < columns_.size(); ++k) columns_[k]->take(*other.columns_[k]);
}

}  // namespace nsmb
