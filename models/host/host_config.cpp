#include "host/host_config.hpp"

namespace tessera {

void HostConfig::describe(ParameterVisitor& visitor) {
  constexpr Range overhead{0, 1e12};
  visitor.field("link_rate", link_rate, {1e3, 1e12}, "payload rate of the link, coding excluded");
  visitor.field("tags", tags, {1, 256}, "commands that the drive accepts at once");
  visitor.field("buffer", buffer, {4096, 1e11}, "DRAM for host data in flight; a command waits at the host until its data fits");
  visitor.field("command_overhead", command_overhead, overhead, "link time of a command, data excluded");
  visitor.field("completion_overhead", completion_overhead, overhead, "link time of a status");
  visitor.field("read_overhead", read_overhead, overhead, "added to the command overhead of a read");
  visitor.field("write_overhead_after_read", write_overhead_after_read, overhead,
                "added to the command overhead of a write that follows a read");
  visitor.field("write_overhead_after_write", write_overhead_after_write, overhead,
                "added to the command overhead of a write that follows a write");
  visitor.field("read_completion_overhead", read_completion_overhead, overhead, "added to the completion overhead of a read");
  visitor.field(
      "timeout", timeout, {0, 1e18},
      "a command that the drive leaves unanswered for this long ends the run as a bug; 0: none does; by default longer for layers whose "
      "cleanings take longer (docs/models/host.md)");
}

}  // namespace tessera
