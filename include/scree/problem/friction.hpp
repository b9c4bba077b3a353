#pragma once

#include <algorithm>
#include <cstddef>
#include <initializer_list>
#include <vector>

namespace scree::problem {

/// The coefficient mu of each contact. It takes room and time to read only once two contacts differ, which they do not
/// where all bodies are of one material.
class Friction {
 public:
  Friction() = default;
  Friction(const std::vector<double>& values) { assign(values.begin(), values.end()); }  // NOLINT: any list of numbers
  Friction(std::initializer_list<double> values) { assign(values.begin(), values.end()); }
  template <typename Iterator>
  Friction(Iterator first, Iterator last) {
    assign(first, last);
  }

  template <typename Iterator>
  void assign(Iterator first, Iterator last) {
    clear();
    reserve(static_cast<std::size_t>(last - first));
    for (; first != last; ++first) push_back(*first);
  }
  void reserve(std::size_t contacts) { expected_ = contacts; }
  void clear() {
    size_ = 0;
    is_uniform_ = true;
    values_.clear();
  }
  void push_back(double value) {
    if (size_ > 0 && is_uniform_ && value != values_.front()) {
      is_uniform_ = false;
      values_.reserve(std::max(expected_, size_ + 1));
      values_.resize(size_, values_.front());
    }
    if (size_ == 0 || !is_uniform_) values_.push_back(value);
    ++size_;
  }

  [[nodiscard]] std::size_t size() const { return size_; }
  [[nodiscard]] bool empty() const { return size_ == 0; }
  [[nodiscard]] double operator[](std::size_t contact) const { return values_[is_uniform_ ? 0 : contact]; }
  [[nodiscard]] std::vector<double> all() const {
    std::vector<double> result = values_;
    if (size_ > 0 && is_uniform_) result.resize(size_, values_.front());
    return result;
  }

  /// For kernels: what all contacts have, or where the numbers of each stand.
  struct View {
    const double* values;
    bool is_uniform;
  };
  [[nodiscard]] View view() const { return {values_.data(), is_uniform_}; }

 private:
  std::size_t size_ = 0;
  std::size_t expected_ = 0;  ///< how many there will be
  bool is_uniform_ = true;
  std::vector<double> values_;  ///< one for all contacts, or one for each
};

}  // namespace scree::problem
