#pragma once

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <string>

#include "scree/io/program.hpp"
#include "scree/parallel/comm.hpp"
#include "scree/parallel/error.hpp"
#include "scree/version.hpp"

namespace scree {

/// Reads the arguments of a program into what its options are bound to, with --list and --version beside them. False:
/// all is done already (help, version, list). Throws InputError that names what is wrong.
inline bool parse_command_line(const parallel::Comm& comm, CLI::App& app, const io::Arguments& arguments) {
  bool list = false, show_version = false;
  app.add_flag("--list", list, "print solvers, laws and measures");
  app.add_flag("--version", show_version, "print the version");
  try {
    app.parse(io::Arguments(arguments.rbegin(), arguments.rend()));
  } catch (const CLI::CallForHelp&) {
    if (comm.is_root()) fmt::print("{}", app.help());
    return false;
  } catch (const CLI::ParseError& error) {
    throw InputError(fmt::format("{}: see {} --help", error.what(), app.get_name()));
  }
  if (comm.is_root() && show_version) fmt::print("{} {}\n", app.get_name(), version);
  if (comm.is_root() && list) fmt::print("{}", io::catalogue());
  return !list && !show_version;
}

}  // namespace scree
