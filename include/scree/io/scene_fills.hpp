#pragma once

#include <optional>
#include <string>
#include <vector>

#include "scree/io/body_file.hpp"
#include "scree/io/fill.hpp"
#include "scree/io/scene_document.hpp"
#include "scree/model/material.hpp"
#include "scree/model/shape.hpp"

namespace scree::io {

/// What bodies that are made in numbers may be made of.
struct Ingredients {
  const std::vector<model::Material>& materials;
  const std::vector<model::Shape>& shapes;
};

[[nodiscard]] Region read_region(const Entry& entry);

/// The lower and the upper corner of a box.
[[nodiscard]] model::Box read_box(const Entry& entry);

/// Size, shape, mass, material and velocity of the bodies of a fill or source.
[[nodiscard]] model::BodyRecipe read_recipe(const Entry& entry, const Ingredients& ingredients);

/// A fill on a lattice or at random.
[[nodiscard]] Fill read_fill(const Entry& entry, const Ingredients& ingredients);

/// A fill from a file, whose name counts from the directory of the scene; what is in it is not yet known.
[[nodiscard]] FileFill read_file_fill(const Entry& entry, const Ingredients& ingredients, const std::string& scene);

}  // namespace scree::io
