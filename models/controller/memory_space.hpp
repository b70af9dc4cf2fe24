#pragma once
// A memory of the controller, into which regions are laid one behind the other, for good, against its real capacity.
#include <array>
#include <string>
#include <string_view>

#include "base/address.hpp"
#include "base/units.hpp"
#include "firmware/ports/memory_port.hpp"

namespace tessera {

class MemorySpace {
 public:
  struct Name {
    const char* memory;    ///< "DRAM"
    const char* capacity;  ///< the parameter that says how large it is
    /// Of a memory that is asked for: the section of parameters that ask, by category.
    const char* placement = nullptr;
  };
  MemorySpace(const Name& name, DramAddress base, Bytes capacity) : name_(name), base_(base), capacity_(capacity) {}

  /// Whole lines. What does not fit is laid behind the end until close(), so that the sum of all is known.
  DramAddress allocate(MemoryCategory category, Bytes size, std::string_view what);
  /// All is reserved: InputError where that is more than there is, with the first that did not fit and the sum of all.
  /// `counted`: what the sum is of, for the message where it does not fit.
  void close(const char* counted);
  /// Something lies behind the end.
  [[nodiscard]] bool overflows() const { return !missing_.empty(); }
  /// Everything is given back (power cut).
  void clear();

  [[nodiscard]] Bytes capacity() const { return capacity_; }
  [[nodiscard]] Bytes used() const { return used_; }
  [[nodiscard]] Bytes reserved(MemoryCategory category) const { return reserved_[static_cast<std::size_t>(category)]; }

 private:
  [[nodiscard]] std::string remedy() const;

  Name name_;
  DramAddress base_;
  Bytes capacity_;
  Bytes used_;
  std::array<Bytes, memory_categories> reserved_{};
  std::string missing_;  // what the first reservation that did not fit lacked
  MemoryCategory missing_category_{};
  bool closed_ = false;
};

}  // namespace tessera
