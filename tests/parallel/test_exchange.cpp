#include "scree/parallel/exchange.hpp"

#include <random>
#include <set>
#include <string>

#include "support/support.hpp"

using scree::parallel::Bytes;
using scree::parallel::Mail;
using scree::test::world;

namespace {

/// What `from` writes to `to` in round `round`: every rank can compute it, so arrivals are checked directly.
Bytes letter(int from, int to, int round) {
  Bytes bytes;
  const int length = (5 * from + 3 * to + round) % 11;
  for (int k = 0; k < length; ++k) scree::parallel::append(bytes, 1000000 * round + 10000 * from + 100 * to + k);
  return bytes;
}

void check_mail(const Mail& mail, const std::set<int>& senders, int round) {
  std::set<int> seen;
  for (const auto& [from, bytes] : mail) {
    seen.insert(from);
    BOOST_TEST((bytes == letter(from, world().rank(), round)), "letter from " << from << " in round " << round);
  }
  BOOST_TEST(seen == senders, boost::test_tools::per_element());
}

void exchange_and_check(const std::set<int>& neighbours, int round) {
  Mail outgoing;
  for (const int to : neighbours) outgoing[to] = letter(world().rank(), to, round);
  const std::vector<int> list(neighbours.begin(), neighbours.end());
  check_mail(scree::parallel::exchange_with_neighbours(world(), list, outgoing), neighbours, round);
}

/// Who writes to whom in a round, known to all: about `degree` letters per rank, some of them to oneself.
std::vector<std::set<int>> random_addressees(int round, double degree) {
  std::mt19937 random(static_cast<unsigned>(97 * round + 1));
  std::bernoulli_distribution writes(std::min(1.0, degree / world().size()));
  std::vector<std::set<int>> to(static_cast<std::size_t>(world().size()));
  for (auto& addressees : to)
    for (int rank = 0; rank < world().size(); ++rank)
      if (writes(random)) addressees.insert(rank);
  return to;
}

void deliver_and_check(const std::vector<std::set<int>>& addressees, int round) {
  const int me = world().rank();
  Mail outgoing;
  for (const int to : addressees[static_cast<std::size_t>(me)]) outgoing[to] = letter(me, to, round);
  std::set<int> senders;
  for (int from = 0; from < world().size(); ++from)
    if (addressees[static_cast<std::size_t>(from)].contains(me)) senders.insert(from);
  check_mail(scree::parallel::deliver(world(), outgoing), senders, round);
}

}  // namespace

BOOST_AUTO_TEST_CASE(records_come_back_as_they_were_appended) {
  struct Record {
    int number;
    double value;
    bool operator==(const Record&) const = default;
  };
  Bytes bytes;
  scree::parallel::append(bytes, Record{1, 0.5});
  scree::parallel::append(bytes, Record{2, -3.0});
  const auto back = scree::parallel::records<Record>(bytes);
  BOOST_TEST_REQUIRE(back.size() == 2U);
  BOOST_TEST((back[0] == Record{1, 0.5}));
  BOOST_TEST((back[1] == Record{2, -3.0}));
  BOOST_TEST(scree::parallel::records<Record>({}).empty());
}

BOOST_AUTO_TEST_CASE(neighbours_in_a_ring) {
  const int n = world().size();
  const std::set<int> both{(world().rank() + 1) % n, (world().rank() + n - 1) % n};
  for (int round = 0; round < 50; ++round) exchange_and_check(both, round);
}

BOOST_AUTO_TEST_CASE(neighbours_in_a_chain_with_lonely_ranks) {
  // The chain leaves out every third rank: such a rank has no neighbours and must not be needed.
  std::vector<int> chain;
  for (int rank = 0; rank < world().size(); ++rank)
    if (rank % 3 != 2) chain.push_back(rank);
  std::set<int> neighbours;
  for (std::size_t k = 0; k + 1 < chain.size(); ++k) {
    if (chain[k] == world().rank()) neighbours.insert(chain[k + 1]);
    if (chain[k + 1] == world().rank()) neighbours.insert(chain[k]);
  }
  for (int round = 0; round < 50; ++round) exchange_and_check(neighbours, round);
}

BOOST_AUTO_TEST_CASE(no_neighbours_at_all) { exchange_and_check({}, 0); }

BOOST_AUTO_TEST_CASE(neighbours_with_nothing_to_say_get_empty_mail) {
  std::vector<int> others;
  for (int rank = 0; rank < world().size(); ++rank)
    if (rank != world().rank()) others.push_back(rank);
  const Mail mail = scree::parallel::exchange_with_neighbours(world(), others, {});
  BOOST_TEST(mail.size() == others.size());
  for (const auto& [from, bytes] : mail) BOOST_TEST(bytes.empty(), "from " << from);
}

BOOST_AUTO_TEST_CASE(one_message_per_neighbour) {
  const int next = (world().rank() + 1) % world().size();
  const int last = (world().rank() + world().size() - 1) % world().size();
  const std::set<int> both{next, last};
  const auto before = world().traffic();
  exchange_and_check(both, 3);
  BOOST_TEST(world().traffic().messages - before.messages == static_cast<std::int64_t>(both.size()));
  BOOST_TEST(world().traffic().reductions == before.reductions);
}

BOOST_AUTO_TEST_CASE(random_mail_arrives_and_rounds_do_not_mix) {
  for (int round = 0; round < 200; ++round) deliver_and_check(random_addressees(round, 1.5), round);
}

BOOST_AUTO_TEST_CASE(everybody_writes_to_everybody) {
  for (int round = 0; round < 20; ++round) deliver_and_check(random_addressees(round, world().size()), round);
}

BOOST_AUTO_TEST_CASE(all_write_to_one) {
  const int receiver = world().size() - 1;
  const std::vector<std::set<int>> addressees(static_cast<std::size_t>(world().size()), {receiver});
  for (int round = 0; round < 50; ++round) deliver_and_check(addressees, round);
}

BOOST_AUTO_TEST_CASE(a_rank_may_write_to_itself) {
  std::vector<std::set<int>> addressees;
  for (int rank = 0; rank < world().size(); ++rank) addressees.push_back({rank});
  deliver_and_check(addressees, 7);
}

BOOST_AUTO_TEST_CASE(nobody_writes) {
  const std::vector<std::set<int>> addressees(static_cast<std::size_t>(world().size()));
  for (int round = 0; round < 10; ++round) deliver_and_check(addressees, round);
}

BOOST_AUTO_TEST_CASE(long_letters_arrive_whole) {
  // Longer than what MPI sends eagerly.
  const int next = (world().rank() + 1) % world().size();
  const int last = (world().rank() + world().size() - 1) % world().size();
  const auto content = [](int from) { return Bytes(300000U + static_cast<std::size_t>(from), std::byte{42}); };
  const Mail mail = scree::parallel::deliver(world(), {{next, content(world().rank())}});
  BOOST_TEST_REQUIRE(mail.size() == 1U);
  BOOST_TEST(mail.begin()->first == last);
  BOOST_TEST((mail.begin()->second == content(last)));
}

BOOST_AUTO_TEST_CASE(kinds_of_exchange_may_alternate) {
  const int n = world().size();
  const std::set<int> both{(world().rank() + 1) % n, (world().rank() + n - 1) % n};
  for (int round = 0; round < 50; ++round) {
    exchange_and_check(both, round);
    deliver_and_check(random_addressees(round, 2.0), round);
  }
}
