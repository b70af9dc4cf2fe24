#pragma once
// One memory for what is read and what is written: the write cache's buffer, of which the read cache borrows parts.
#include <cstdint>

#include "base/data_buffer.hpp"

namespace tessera {

/// Who borrows: the read cache.
class SegmentBorrower {
 public:
  /// Gives one part back that is not in use; whether there was any.
  virtual bool give_back_one() = 0;

 protected:
  ~SegmentBorrower() = default;
};

/// Who lends: the write cache.
class SegmentLender {
 public:
  /// From now on `borrower` is asked before a write waits for room.
  virtual void lend_to(SegmentBorrower& borrower) = 0;
  /// The sectors [first, first + count) of the buffer, where none of them holds data that is in no other place; else nothing.
  virtual DataSpan lend(std::uint32_t first, std::uint32_t count) = 0;
  virtual void take_back(DataSpan part) = 0;
  /// A part that was in use is not any more: a write may wait for it.
  virtual void part_came_free() = 0;

 protected:
  ~SegmentLender() = default;
};

}  // namespace tessera
