#pragma once

#include <cstdint>
#include <limits>
#include <string>
#include <variant>
#include <vector>

#include "scree/collision/shape_contacts.hpp"
#include "scree/model/bodies.hpp"
#include "scree/model/body_recipe.hpp"
#include "scree/model/region.hpp"
#include "scree/model/wall.hpp"
#include "scree/parallel/comm.hpp"

namespace scree::dynamics {

/// Makes bodies during a run, at random places of a region where nothing is. What finds no room waits.
struct Source {
  std::string name;
  model::Region region;
  model::BodyRecipe recipe;
  double rate = 0.0;  ///< bodies/s, or kg/s if `by_mass`
  bool by_mass = false;
  double start = 0.0;                                             ///< s
  double end = std::numeric_limits<double>::infinity();           ///< s
  std::int64_t total = std::numeric_limits<std::int64_t>::max();  ///< bodies at most
};

/// Removes bodies whose centres come into a box, leave a box, or come behind a plane.
struct Sink {
  struct Inside {
    model::Box box;
  };
  struct Outside {
    model::Box box;
  };

  std::string name;
  std::variant<Inside, Outside, model::Plane> where;

  [[nodiscard]] bool takes(const model::Vec3& centre) const;
};

/// What went through a source or a sink since the start, equal on all ranks.
struct FlowTally {
  std::int64_t bodies = 0;
  double mass = 0.0;  ///< kg

  friend bool operator==(const FlowTally&, const FlowTally&) = default;
};

/// Where the flow of bodies stands: with the bodies, all that a later run needs to go on.
struct FlowState {
  std::int64_t next_id = 0;  ///< no body ever had this id, or a larger one
  std::vector<FlowTally> sources = {};
  std::vector<FlowTally> sinks = {};
};

struct FlowSetup {
  std::vector<Source> sources = {};
  std::vector<Sink> sinks = {};
  std::uint64_t seed = 1;
  std::int64_t first_id = 0;  ///< of bodies from sources
};

/// Sources and sinks of a simulation. Which bodies a source makes follows from its number, the seed and how many it
/// has made; where they may appear from the step too. So every rank knows the candidates without a message, and one
/// reduction of a bit for each tells where bodies of any rank are in the way.
class Flow {
 public:
  /// `shapes` must outlive it.
  Flow(FlowSetup setup, const std::vector<model::Shape>& shapes);

  /// Goes on from a state. Throws InputError if it does not have the same numbers of sources and sinks.
  void resume(FlowState state);

  [[nodiscard]] bool is_idle() const { return setup_.sources.empty() && setup_.sinks.empty(); }
  [[nodiscard]] const std::vector<Source>& sources() const { return setup_.sources; }
  [[nodiscard]] const std::vector<Sink>& sinks() const { return setup_.sinks; }
  [[nodiscard]] const FlowState& state() const { return state_; }

  /// Bodies of a source that are due but had no room up to `time` (s); by mass, those that a mean body stands for.
  [[nodiscard]] std::int64_t waiting(std::size_t source, double time) const;

  struct Departures {
    std::int64_t total;        ///< on all ranks
    std::vector<char> leaves;  ///< by owned body
  };
  /// Collective: the owned bodies that are in a sink. They count as gone.
  [[nodiscard]] Departures take(const parallel::Comm& comm, const model::Bodies& bodies);

  struct Arrivals {
    std::int64_t total;             ///< on all ranks
    std::vector<model::Body> here;  ///< those that this rank is to own
  };
  /// Collective: bodies that sources make now, before a step. They overlap neither each other nor anything that is
  /// there; those of one source go to the rank that has most bodies about it.
  [[nodiscard]] Arrivals give(const parallel::Comm& comm, const model::Bodies& bodies,
                              const std::vector<model::Wall>& walls, std::int64_t step, double time);

  /// How many bodies a source will make in all, as far as that is known; a very large number else.
  [[nodiscard]] static double expected_bodies(const Source& source, const std::vector<model::Shape>& shapes);

 private:
  struct Entrant;
  struct Admitted {
    std::size_t source;
    model::Body body;
  };

  [[nodiscard]] Entrant next_of(std::size_t source, std::int64_t number, std::int64_t step) const;
  [[nodiscard]] std::vector<Entrant> due(std::int64_t step, double time) const;
  void veto(const model::Bodies& bodies, const std::vector<Entrant>& entrants, std::vector<std::uint64_t>& taken);
  [[nodiscard]] std::vector<Admitted> admit(const std::vector<Entrant>& entrants,
                                            const std::vector<std::uint64_t>& taken,
                                            const std::vector<model::Wall>& walls, const model::Periodicity& space);
  [[nodiscard]] bool overlap(const model::Body& a, const model::Body& b);
  [[nodiscard]] std::vector<int> hosts(const parallel::Comm& comm, const model::Bodies& bodies) const;

  FlowSetup setup_;
  const std::vector<model::Shape>& shapes_;
  collision::ShapeContacts contacts_;
  std::vector<collision::Touch> touches_;
  FlowState state_;
};

}  // namespace scree::dynamics
