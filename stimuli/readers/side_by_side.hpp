#pragma once
// The volumes of one trace on one drive: each gets a part of the address space to itself.
#include <functional>
#include <memory>
#include <optional>
#include <vector>

#include "stimuli/readers/trace_record.hpp"

namespace tessera {

/// How far the requests of each volume reach.
class VolumeExtents {
 public:
  void add(const TraceRecord& record);
  [[nodiscard]] std::size_t volumes() const { return ends_.size(); }
  [[nodiscard]] std::size_t requested() const;  ///< volumes that have a request
  /// Where each begins, in the order in which they first appear, at multiples of `alignment`; one more for the end of all.
  /// InputError past 2^63 B.
  [[nodiscard]] std::vector<Bytes> begins(Bytes alignment) const;

 private:
  std::vector<Bytes> ends_;
  std::vector<bool> requested_;
};

/// Volumes begin at whole MiB, as `tessera trace merge` lays them, or at whole zones.
[[nodiscard]] Bytes volume_alignment(std::optional<Bytes> zone);

struct SideBySide {
  Bytes alignment;
  std::optional<Bytes> capacity;  ///< that all have to fit; none where addresses fold afterwards
  /// The whole trace once more, whatever part of it is played, so that all parts lie alike. Asked for at the second volume only, for the
  /// first lies where it would alone.
  std::function<VolumeExtents()> extents;
};

/// InputError where the volumes do not fit, with their number, what they take and what there is.
[[nodiscard]] std::unique_ptr<TraceSource> lay_side_by_side(std::unique_ptr<TraceSource> inner, SideBySide how);

}  // namespace tessera
