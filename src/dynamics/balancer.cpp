#include "scree/dynamics/balancer.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace scree::dynamics {

using collision::ContactSet;
using collision::Stage;
using model::Bodies;

namespace {

constexpr std::int64_t check_interval = 10;  // steps
constexpr double first_price = 5.0;  // steps: about what partition, migration and search cost, see performance.md
constexpr double body_work = 0.25;   // contacts: integration and search against the sweeps of one contact

}  // namespace

Balancer::Balancer(BalanceOptions options, BalanceState state)
    : options_(std::move(options)), partitioner_(&parallel::find_partitioner(options_.partitioner)), state_(state) {
  if (!(state_.price > 0.0)) state_.price = first_price;
}

bool Balancer::looks_after(std::int64_t steps) const {
  switch (options_.when) {
    case Rebalance::off:
      return false;
    case Rebalance::periodic:
      return steps > 0 && steps % options_.period == 0;
    case Rebalance::by_imbalance:
      break;
  }
  return steps % check_interval == 0;
}

bool Balancer::decide(const PartitionQuality& partition) {
  if (options_.when == Rebalance::periodic) return true;
  if (state_.cut_share < 0.0 && partition.cut_share > 0.0) state_.cut_share = partition.cut_share;
  const double cut_growth = std::max(0.0, partition.cut_share - std::max(0.0, state_.cut_share));
  const double excess = partition.imbalance - 1.0 + cut_growth, allowed = options_.threshold - 1.0;
  if (excess <= 0.5 * allowed) {
    state_.loss = 0.0;
    state_.price = first_price;
  }
  if (excess <= allowed) return false;
  state_.loss += excess * static_cast<double>(check_interval);
  if (state_.loss < state_.price) return false;
  state_ = {.loss = 0.0, .price = 2.0 * state_.price, .cut_share = -1.0};
  return true;
}

namespace {

double work_of(int bodies, std::size_t contacts) { return body_work * bodies + static_cast<double>(contacts); }

/// `contacts` have bodies a and b; b < 0 is a wall.
template <typename Contacts>
std::vector<double> share_out_work(const Bodies& bodies, const parallel::Halo& halo, const Contacts& contacts) {
  std::vector<double> work(static_cast<std::size_t>(bodies.size()), 0.0);
  for (const auto& contact : contacts) {
    work[static_cast<std::size_t>(contact.a)] += contact.b < 0 ? 1.0 : 0.5;
    if (contact.b >= 0) work[static_cast<std::size_t>(contact.b)] += 0.5;
  }
  halo.reverse_add(work.data(), {1, 1});
  work.resize(static_cast<std::size_t>(bodies.owned()));
  double sum = 0.0;
  for (double& body : work) sum += body += body_work;
  // Of the contacts across a border one of the two ranks has them all. The bodies do not show it, but a rank that wins
  // its borders must have fewer of them.
  const double scale = sum > 0.0 ? work_of(bodies.owned(), contacts.size()) / sum : 1.0;
  for (double& body : work) body *= scale;
  return work;
}

}  // namespace

double work_of_rank(const Bodies& bodies, const ContactSet& contacts) {
  return work_of(bodies.owned(), contacts.contacts.size());
}

std::vector<double> work_of_bodies(const Bodies& bodies, const parallel::Halo& halo, const ContactSet& contacts) {
  return share_out_work(bodies, halo, contacts.contacts);
}

std::vector<double> work_of_bodies(const Bodies& bodies, const parallel::Halo& halo,
                                   const std::vector<collision::Pair>& near) {
  return share_out_work(bodies, halo, near);
}

Spread spread_of(const parallel::Comm& comm, std::int64_t value) {
  return {comm.min(value), static_cast<double>(comm.sum(value)) / comm.size(), comm.max(value)};
}

PartitionQuality judge_partition(const parallel::Comm& comm, const Bodies& bodies, const ContactSet& contacts) {
  static_assert(static_cast<int>(Stage::interface) == collision::stage_count - 1, "interface contacts stand last");
  const int inner = contacts.stage_end[static_cast<std::size_t>(Stage::interface) - 1];
  std::array<std::int64_t, 2> sums{contacts.size() - inner, contacts.size()};
  comm.sum(sums);
  const auto [cut, all] = sums;
  return {.imbalance = parallel::imbalance_of(comm, work_of_rank(bodies, contacts)),
          .edge_cut = cut,
          .cut_share = all > 0 ? static_cast<double>(cut) / static_cast<double>(all) : 0.0};
}

}  // namespace scree::dynamics
