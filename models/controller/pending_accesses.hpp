#pragma once
// The accesses to tables in the DRAM that the running task has made and that are yet to be priced. While a task runs nobody else gets at
// bus and DRAM, so that their time need not be known before somebody asks for the core's: then they are priced together, as one run.
#include <array>
#include <cstddef>

#include "dram/memory_path.hpp"
#include "dram/table_access.hpp"

namespace tessera {

class PendingAccesses {
 public:
  PendingAccesses() = default;
  PendingAccesses(const PendingAccesses&) = delete;
  PendingAccesses& operator=(const PendingAccesses&) = delete;

  /// They go there.
  void connect(const MemoryPath& path) { path_ = path; }

  /// A task begins to run, which may leave accesses here, if there is a way to price them.
  void begin() { end_ = path_.open() ? accesses_.data() + accesses_.size() : next_; }
  /// It has ended; nothing is pending.
  void end() { end_ = next_; }

  [[nodiscard]] bool empty() const { return next_ == accesses_.data(); }
  [[nodiscard]] std::size_t count() const { return static_cast<std::size_t>(next_ - accesses_.data()); }
  [[nodiscard]] bool has_room() const { return next_ != end_; }
  void add(DramAddress address, std::uint32_t bytes, Access access, Picoseconds at) {
    next_->address = address;
    next_->at = at;
    next_->bytes = bytes;
    next_->access = access;
    ++next_;
  }
  /// Gives what they take together.
  Picoseconds price() {
    const std::size_t pending = count();
    next_ = accesses_.data();
    return path_.access({accesses_.data(), pending});
  }

 private:
  MemoryPath path_;
  std::array<TableAccess, 64> accesses_;  // ours: more than most tasks make from one await to the next
  TableAccess* next_ = accesses_.data();
  TableAccess* end_ = next_;
};

}  // namespace tessera
