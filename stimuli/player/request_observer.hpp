#pragma once
// Who watches the requests of a player: logs and interval statistics, and the checker of content.
#include "base/units.hpp"
#include "host/host_request.hpp"

namespace tessera {

/// Sees every request, warm-up included, as it completes.
class RequestObserver {
 public:
  virtual ~RequestObserver() = default;
  /// `request.status` and `request.life` are final; `now` is the completion.
  virtual void on_complete(const HostRequest& request, Picoseconds now) = 0;
};

/// Fills what is written and judges what is read. Absent where the model keeps no content.
class ContentChecker {
 public:
  virtual ~ContentChecker() = default;
  /// The request goes to the drive: a write's content is to be filled in, a read's to be given its size.
  virtual void issued(HostRequest& request) = 0;
  /// The drive completed the request with `request.status`.
  virtual void completed(const HostRequest& request) = 0;
  /// A power cut took the request before it was acknowledged. issued() follows if it is sent again.
  virtual void lost(const HostRequest& request) = 0;
  /// The power was cut; lost() has been called for every request at the drive.
  virtual void power_cut() = 0;
};

}  // namespace tessera
