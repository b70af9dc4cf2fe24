#pragma once
// What AddressSanitizer cannot know of itself. Without it, nothing.
#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/lsan_interface.h>
#endif

namespace tessera::test {

/// While it lives, what is allocated is no leak: a model bug passes through firmware, which is compiled without unwinding.
class UncountedLeaks {
 public:
  UncountedLeaks() {
#ifdef __SANITIZE_ADDRESS__
    __lsan_disable();
#endif
  }
  ~UncountedLeaks() {
#ifdef __SANITIZE_ADDRESS__
    __lsan_enable();
#endif
  }
  UncountedLeaks(const UncountedLeaks&) = delete;
  UncountedLeaks& operator=(const UncountedLeaks&) = delete;
};

}  // namespace tessera::test
