// ranks: 1
#include "scree/io/run_json.hpp"

#include <limits>
#include <string>

#include "support/support.hpp"

namespace io = scree::io;

BOOST_AUTO_TEST_CASE(the_fields_that_scripts_rely_on_are_there) {
  io::RunSummary summary;
  summary.scene = "tank";
  summary.ranks = 3;
  summary.steps = 10;
  summary.seconds = 2.0;
  summary.phases = {{"predict", 0.1, 0.2, 0.3, {}}, {"solve", 1.0, 1.5, 2.0, {12, 3456, 7, 0.25}}};
  summary.contact_updates = 1000;
  summary.last.residual = std::numeric_limits<double>::quiet_NaN();
  const std::string json = io::to_json(summary);
  for (const char* field : {"scene",
                            "ranks",
                            "steps",
                            "time",
                            "bodies",
                            "contacts",
                            "max_penetration",
                            "kinetic_energy",
                            "momentum",
                            "lost_bodies",
                            "seconds",
                            "total",
                            "contact_updates_per_second",
                            "iterations",
                            "messages",
                            "bytes",
                            "traffic",
                            "waiting",
                            "stages",
                            "decomposition",
                            "imbalance",
                            "edge_cut",
                            "ghosts",
                            "rebalances"}) {
    BOOST_TEST(json.find("\"" + std::string(field) + "\":") != std::string::npos, field << " is missing");
  }
  BOOST_TEST(json.find("\"contact_updates_per_second\": 500") != std::string::npos);
  BOOST_TEST(json.find("\"seconds_per_step\": 0.2") != std::string::npos);
  BOOST_TEST(json.find("\"residual\": null") != std::string::npos);
  BOOST_TEST(json.find("\"solve\": {\n      \"min\": 1,\n      \"avg\": 1.5,\n      \"max\": 2\n    }") !=
             std::string::npos);
}
