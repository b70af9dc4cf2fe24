#include "controller/memory_space.hpp"

#include <algorithm>

#include "base/error.hpp"

namespace tessera {

namespace {

/// How far reservations are counted on behind the end of a memory that is too small: the tables take memory of the machine meanwhile.
constexpr Bytes most_counted_beyond{std::uint64_t{1} << 30};

}  // namespace

DramAddress MemorySpace::allocate(MemoryCategory category, Bytes size, std::string_view what) {
  constexpr std::uint64_t line = 64;
  const Bytes rounded((size.value() + line - 1) / line * line);
  if (missing_.empty() && rounded > capacity_ - used_) {
    missing_ = std::string("the ") + name_.memory + " of " + std::to_string(capacity_.value()) + " B (" + name_.capacity +
               ") cannot hold the " + std::string(what) + " of " + std::to_string(size.value()) +
               " B: " + std::to_string((capacity_ - used_).value()) + " B are left; ";
    missing_category_ = category;
  }
  if (overflows() && (closed_ || used_ + rounded > capacity_ + most_counted_beyond))
    throw InputError(missing_ + "it takes more than " + std::to_string(std::max(capacity_, used_).value()) + " B" + remedy());
  const DramAddress address = base_ + used_.value();
  used_ += rounded;
  reserved_[static_cast<std::size_t>(category)] += size;
  return address;
}

std::string MemorySpace::remedy() const {
  return name_.placement == nullptr ? "" : std::string("; ") + name_.placement + to_string(missing_category_) + " = \"dram\" asks for less";
}

void MemorySpace::close(const char* counted) {
  closed_ = true;
  if (overflows())
    throw InputError(missing_ + "a " + name_.memory + " of " + std::to_string(used_.value()) + " B would fit it and " + counted + remedy());
}

void MemorySpace::clear() {
  used_ = Bytes(0);
  reserved_ = {};
  closed_ = false;
}

}  // namespace tessera
