// Command server: its figures.
#include "firmware/command_server.hpp"

namespace tessera {

void CommandServer::report(MetricSet& metrics) const {
  metrics.count("unaligned.rmw", static_cast<double>(unaligned_), "1",
                "host writes that did not cover whole sectors and had to read the rest first");
}

}  // namespace tessera
