#pragma once

#include <concepts>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace scree::io {

/// Builds an indented JSON text from top to bottom:
///
///     JsonWriter json;
///     json.begin_object();
///     json.field("ranks", 4);
///     json.end_object();
///
/// Numbers that JSON cannot express (NaN, infinity) become null.
class JsonWriter {
 public:
  void begin_object() { open('{'); }
  void end_object() { close('}'); }
  void begin_array() { open('['); }
  void end_array() { close(']'); }
  void key(std::string_view name);

  void value(std::string_view text);
  void value(const char* text) { value(std::string_view(text)); }
  void value(bool flag);
  void value(double number);
  template <std::integral Integer>
  void value(Integer number) {
    integer(static_cast<std::int64_t>(number));
  }
  void value(std::span<const double> numbers);  ///< an array on one line

  template <typename Value>
  void field(std::string_view name, const Value& content) {
    key(name);
    value(content);
  }

  /// The finished text, with a newline at its end.
  [[nodiscard]] std::string text() const { return text_ + "\n"; }

 private:
  void open(char bracket);
  void close(char bracket);
  void separate();
  void integer(std::int64_t number);
  void quoted(std::string_view text);

  std::string text_;
  int depth_ = 0;
  bool first_ = true;       // nothing stands in the present object or array yet
  bool after_key_ = false;  // the next value belongs to a key
};

}  // namespace scree::io
