#pragma once
// A check that guards the model's own invariants. A failed check is a bug of the model, never of its user.

namespace tessera {

/// Reports a broken invariant: throws ModelBug (base/error.hpp), which ends the run with exit status 3.
/// Firmware calls it across -fno-exceptions code; on a bare core it would be the panic handler.
[[noreturn]] void model_bug(const char* file, int line, const char* what);

}  // namespace tessera

#define TESSERA_CHECK(condition, what)                \
  do {                                                \
    if (!(condition)) [[unlikely]]                    \
      ::tessera::model_bug(__FILE__, __LINE__, what); \
  } while (false)
