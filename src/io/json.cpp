#include "scree/io/json.hpp"

#include <fmt/format.h>

#include <cmath>

namespace scree::io {

void JsonWriter::key(std::string_view name) {
  separate();
  quoted(name);
  text_ += ": ";
  after_key_ = true;
}

void JsonWriter::value(std::string_view text) {
  separate();
  quoted(text);
}

void JsonWriter::value(bool flag) {
  separate();
  text_ += flag ? "true" : "false";
}

void JsonWriter::value(double number) {
  separate();
  text_ += std::isfinite(number) ? fmt::format("{}", number) : "null";
}

void JsonWriter::value(std::span<const double> numbers) {
  separate();
  text_ += '[';
  for (std::size_t k = 0; k < numbers.size(); ++k) {
    if (k > 0) text_ += ", ";
    text_ += std::isfinite(numbers[k]) ? fmt::format("{}", numbers[k]) : "null";
  }
  text_ += ']';
}

void JsonWriter::integer(std::int64_t number) {
  separate();
  text_ += fmt::format("{}", number);
}

void JsonWriter::open(char bracket) {
  separate();
  text_ += bracket;
  ++depth_;
  first_ = true;
}

void JsonWriter::close(char bracket) {
  --depth_;
  if (!first_) text_ += fmt::format("\n{:{}}", "", 2 * depth_);
  text_ += bracket;
  first_ = false;
}

void JsonWriter::separate() {
  if (after_key_) {
    after_key_ = false;
    return;
  }
  if (depth_ == 0) return;
  if (!first_) text_ += ',';
  text_ += fmt::format("\n{:{}}", "", 2 * depth_);
  first_ = false;
}

void JsonWriter::quoted(std::string_view text) {
  text_ += '"';
  for (const char c : text) {
    if (c == '"' || c == '\\') {
      text_ += '\\';
      text_ += c;
    } else if (static_cast<unsigned char>(c) < 0x20) {
      text_ += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    } else {
      text_ += c;
    }
  }
  text_ += '"';
}

}  // namespace scree::io
