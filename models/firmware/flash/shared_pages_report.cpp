// Pages that writes share: its figures.
#include "firmware/flash/shared_pages.hpp"

namespace tessera {

void SharedPages::report(MetricSet& metrics) const {
  metrics.count("flash.collected", static_cast<double>(collected_), "sectors", "sectors programmed to a page that another write had begun");
}

}  // namespace tessera
