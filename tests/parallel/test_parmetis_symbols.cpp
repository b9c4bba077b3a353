// ranks: 1
// PT-Scotch, which PETSc may bring along, exports functions named like those of ParMETIS. The program must call the
// real ones.
#include <dlfcn.h>
#include <parmetis.h>

#include <string>

#include "support/support.hpp"

namespace {

std::string library_of(void* function) {
  Dl_info info{};
  return dladdr(function, &info) != 0 && info.dli_fname != nullptr ? info.dli_fname : "nowhere";
}

}  // namespace

BOOST_AUTO_TEST_CASE(partitioners_are_those_of_parmetis) {
  for (void* function :
       {reinterpret_cast<void*>(&ParMETIS_V3_PartGeomKway), reinterpret_cast<void*>(&ParMETIS_V3_PartGeom),
        reinterpret_cast<void*>(&ParMETIS_V3_PartKway), dlsym(RTLD_DEFAULT, "ParMETIS_V3_PartGeomKway")}) {
    const std::string library = library_of(function);
    BOOST_TEST(library.find("libparmetis") != std::string::npos, "found in " << library);
    BOOST_TEST(library.find("scotch") == std::string::npos, "found in " << library);
  }
}
