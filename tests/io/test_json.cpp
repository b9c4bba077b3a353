// ranks: 1
#include "scree/io/json.hpp"

#include <array>
#include <limits>

#include "support/support.hpp"

using scree::io::JsonWriter;

BOOST_AUTO_TEST_CASE(objects_arrays_and_values) {
  JsonWriter json;
  json.begin_object();
  json.field("name", "a \"b\"\\\n");
  json.field("count", 3);
  json.field("share", 0.25);
  json.field("done", true);
  json.field("point", std::span<const double>(std::array{1.0, 2.5, -3e-300}));
  json.key("list");
  json.begin_array();
  json.value(1);
  json.begin_object();
  json.end_object();
  json.end_array();
  json.end_object();
  BOOST_TEST(json.text() ==
             "{\n  \"name\": \"a \\\"b\\\"\\\\\\u000a\",\n  \"count\": 3,\n  \"share\": 0.25,\n  \"done\": true,\n"
             "  \"point\": [1, 2.5, -3e-300],\n  \"list\": [\n    1,\n    {}\n  ]\n}\n");
}

BOOST_AUTO_TEST_CASE(numbers_that_json_lacks_become_null) {
  JsonWriter json;
  json.begin_array();
  json.value(std::numeric_limits<double>::quiet_NaN());
  json.value(-std::numeric_limits<double>::infinity());
  json.end_array();
  BOOST_TEST(json.text() == "[\n  null,\n  null\n]\n");
}
