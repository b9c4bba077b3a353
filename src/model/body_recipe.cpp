#include "scree/model/body_recipe.hpp"

#include <cmath>
#include <numbers>

namespace scree::model {

namespace {

/// What lies beyond the bounds is drawn again; bounds so narrow that this goes on for long leave the median.
double log_normal_radius(const BodyRecipe& recipe, Draws& draws) {
  for (int attempt = 0; attempt < 1000; ++attempt) {
    const double size = std::sqrt(-2.0 * std::log(1.0 - draws.next()));
    const double deviate = size * std::cos(2.0 * std::numbers::pi * draws.next());
    const double radius = recipe.sizes.median * std::exp(recipe.sizes.deviation * deviate);
    if (radius >= recipe.radius_min && radius <= recipe.radius_max) return radius;
  }
  return recipe.sizes.median;
}

double radius_of_class(const BodyRecipe& recipe, Draws& draws) {
  double sum = 0.0;
  for (const Sizes::Class& one : recipe.sizes.classes) sum += one.share;
  double left = sum * draws.next();
  for (const Sizes::Class& one : recipe.sizes.classes)
    if ((left -= one.share) < 0.0) return one.radius;
  return recipe.sizes.classes.back().radius;
}

/// Any attitude is as likely as any other (Shoemake's three random numbers).
Quat random_attitude(Draws& draws) {
  const double share = draws.next(), a = 2.0 * std::numbers::pi * draws.next(),
               b = 2.0 * std::numbers::pi * draws.next();
  const double low = std::sqrt(1.0 - share), high = std::sqrt(share);
  return {high * std::cos(b), low * std::sin(a), low * std::cos(a), high * std::sin(b)};
}

}  // namespace

double random_radius(const BodyRecipe& recipe, Draws& draws) {
  switch (recipe.sizes.kind) {
    case Sizes::Kind::log_normal:
      return log_normal_radius(recipe, draws);
    case Sizes::Kind::table:
      return radius_of_class(recipe, draws);
    case Sizes::Kind::uniform:
      break;
  }
  return recipe.radius_min + draws.next() * (recipe.radius_max - recipe.radius_min);
}

double mean_radius(const BodyRecipe& recipe) {
  if (recipe.radius_min == recipe.radius_max) return recipe.radius_max;
  constexpr int samples = 1000;
  Draws draws{samples};
  double sum = 0.0;
  for (int k = 0; k < samples; ++k) sum += random_radius(recipe, draws);
  return sum / samples;
}

Body make_body(const BodyRecipe& recipe, const std::vector<Shape>& shapes, std::int64_t id, const Vec3& position,
               double radius, Draws& draws) {
  const bool is_sphere = recipe.shape == sphere;
  const double volume = is_sphere ? 4.0 / 3.0 * std::numbers::pi * radius * radius * radius
                                  : shapes[static_cast<std::size_t>(recipe.shape)].volume;
  const double density = recipe.mass ? *recipe.mass / volume : recipe.density;
  Body body = is_sphere ? make_sphere(id, position, radius, density, recipe.material)
                        : make_body(id, position, recipe.turned ? random_attitude(draws) : Quat::Identity(), shapes,
                                    recipe.shape, density, recipe.material);
  if (recipe.mass) body.mass = *recipe.mass;  // exactly
  Vec3::Map(body.velocity) = recipe.velocity;
  return body;
}

}  // namespace scree::model
