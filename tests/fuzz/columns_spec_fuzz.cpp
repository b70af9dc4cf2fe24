// The words of --format columns: a layout, or an InputError.
#include <string>

#include "base/error.hpp"
#include "stimuli/readers/columns_spec.hpp"

using namespace tessera;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  try {
    static_cast<void>(parse_columns_spec({reinterpret_cast<const char*>(data), size}, "--format columns"));
  } catch (const InputError&) {
  }
  return 0;
}
