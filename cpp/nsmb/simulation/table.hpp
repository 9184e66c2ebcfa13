// Tables whose columns are declared once, by name, type, and numbers per row.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "nsmb/core/types.hpp"

namespace nsmb {

class System;

/// The quantities that give the numbers per row. Row: one number. Space: three. Series: numbers
/// outside rows.
enum class Per {
  Row,
  Component,
  Coordinate,
  Velocity,
  State,
  Contact,
  Tangent,
  Constraint,
  Element,
  Input,
  Feature,
  Space,
  Series
};
inline constexpr std::size_t kPers = 13;
/// Numbers per row for each of them.
using RowSizes = std::array<Index, kPers>;
RowSizes row_sizes(const System& system);
std::string_view to_text(Per per);

class Table;

/// A column as seen by loops over all columns of a table.
class AnyColumn {
 public:
  AnyColumn(Table& table, const char* name, Per per);
  virtual ~AnyColumn() = default;
  AnyColumn(const AnyColumn&) = delete;
  AnyColumn& operator=(const AnyColumn&) = delete;

  const char* name() const { return name_; }
  Per per() const { return per_; }
  /// Numbers per row.
  Index width() const { return width_; }
  bool is_used() const { return used_; }
  void use(bool used) { used_ = used; }

  /// Return the type of the numbers in NumPy notation.
  virtual const char* type() const = 0;
  virtual std::size_t number_bytes() const = 0;
  /// Return the bytes in use, including reserved memory.
  virtual std::size_t bytes() const = 0;
  virtual const void* number(std::size_t place) const = 0;
  virtual std::size_t size() const = 0;
  /// Drop `count` numbers from `first` on, but keep their memory.
  virtual void drop(std::size_t first, std::size_t count) = 0;
  virtual void release() = 0;
  /// Take over all numbers of a column of the same type.
  virtual void take(AnyColumn& other) = 0;

 private:
  const char* name_;
  Per per_;
  Index width_;
  bool used_ = true;
};

template <typename T>
class Column final : public AnyColumn {
 public:
  using AnyColumn::AnyColumn;

  void add(T value) { values_.push_back(value); }
  /// Add a row of any type whose numbers convert to T.
  template <typename Row>
  void add_row(const Row& row) {
    const auto size = row.size();
    for (auto i = size - size; i < size; ++i) values_.push_back(static_cast<T>(row[i]));
  }
  void insert(const Column& other) {
    values_.insert(values_.end(), other.values_.begin(), other.values_.end());
  }

  bool empty() const { return values_.empty(); }
  const T& operator[](std::size_t place) const { return values_[place]; }
  const T& back() const { return values_.back(); }
  const T* data() const { return values_.data(); }
  const T* row(std::size_t k) const {
    return values_.data() + k * static_cast<std::size_t>(width());
  }

  const char* type() const override;
  std::size_t number_bytes() const override { return sizeof(T); }
  std::size_t bytes() const override { return values_.capacity() * sizeof(T); }
  const void* number(std::size_t place) const override { return values_.data() + place; }
  std::size_t size() const override { return values_.size(); }
  void drop(std::size_t first, std::size_t count) override {
    const auto begin = values_.begin() + static_cast<std::ptrdiff_t>(first);
    values_.erase(begin, begin + static_cast<std::ptrdiff_t>(count));
  }
  void release() override { values_ = {}; }
  void take(AnyColumn& other) override { values_ = std::move(static_cast<Column&>(other).values_); }

 private:
  std::vector<T> values_;  // row by row
};

/// A table whose columns are its members, in the order of their declaration.
class Table {
 public:
  explicit Table(const RowSizes& sizes) : sizes_(sizes) {}
  Table(const Table&) = delete;
  Table& operator=(const Table&) = delete;

  const std::vector<AnyColumn*>& columns() const { return columns_; }
  void use_all(bool used);
  const RowSizes& sizes() const { return sizes_; }
  /// Return the number of rows of the first column.
  std::size_t rows() const { return columns_.front()->size(); }
  /// Return the bytes of one more row, without series.
  std::size_t row_bytes() const;
  /// Return the bytes in use, including reserved memory.
  std::size_t bytes() const;
  /// Return the bytes of the stored numbers.
  std::size_t filled_bytes() const;
  /// Drop rows, or all rows with the series, but keep their memory.
  void drop(std::size_t first, std::size_t count);
  void clear();
  void release();
  void take(Table& other);

 private:
  friend class AnyColumn;
  RowSizes sizes_;
  std::vector<AnyColumn*> columns_;
};

}  // namespace nsmb
