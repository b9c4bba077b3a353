// The coefficients of contacts, which take room only where they differ.
// ranks: 1
#include "scree/problem/friction.hpp"

#include <vector>

#include "support/support.hpp"

using scree::problem::Friction;

BOOST_AUTO_TEST_CASE(one_number_serves_all_contacts_until_one_differs) {
  Friction friction;
  BOOST_TEST(friction.empty());
  for (int k = 0; k < 3; ++k) friction.push_back(0.3);
  BOOST_TEST(friction.size() == 3);
  BOOST_TEST(friction.view().is_uniform);
  BOOST_TEST(friction[2] == 0.3);
  friction.push_back(0.5);
  BOOST_TEST(!friction.view().is_uniform);
  BOOST_TEST(friction.all() == std::vector<double>({0.3, 0.3, 0.3, 0.5}), boost::test_tools::per_element());
  BOOST_TEST(friction[1] == 0.3);
  BOOST_TEST(friction[3] == 0.5);
}

BOOST_AUTO_TEST_CASE(any_list_of_numbers_comes_back_as_it_was) {
  for (const std::vector<double>& list :
       {std::vector<double>{}, {0.2}, {0.2, 0.2}, {0.2, 0.4}, {0.2, 0.2, 0.0, 0.2}, {0.0, 0.1, 0.1}}) {
    Friction friction(list);
    BOOST_TEST(friction.all() == list, boost::test_tools::per_element());
    friction.assign(list.begin(), list.end());
    BOOST_TEST(friction.size() == list.size());
    friction.clear();
    BOOST_TEST(friction.all().empty());
  }
}
