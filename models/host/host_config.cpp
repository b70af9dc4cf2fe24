#include "host/host_config.hpp"

#include <algorithm>

namespace tessera {

namespace {
constexpr std::uint32_t sata_tags = 32;  // Serial ATA Revision 3.x, native command queueing
}

void HostConfig::describe(ParameterVisitor& visitor) {
  constexpr Range overhead{0, 1e12};
  visitor.enumeration("link", link, {"ideal", "sata", "sas"},
                      "what frames a command takes on the link: none, those of Serial ATA with native command queueing, or those of SAS");
  visitor.field("link_rate", link_rate, {1e3, 1e12}, "payload rate of the link, coding excluded");
  visitor.field("tags", tags, {1, 256}, "commands that the drive accepts at once");
  visitor.field("buffer", buffer, {4096, 1e11},
                "DRAM for host data in flight; a command waits at the host until there is room for its data, or for its window");
  visitor.field("window", window, {0, 1e11},
                "most of the buffer that one command holds; a larger one streams through it in two halves; 0: all of the buffer");
  const bool framed = link != LinkProtocol::ideal;
  constexpr std::string_view has_frames = "host.link is not ideal and has frames instead";
  visitor.unused_where(framed, has_frames, [&] {
    visitor.field("command_overhead", command_overhead, overhead, "link time of a command, data excluded; of an ideal link");
    visitor.field("completion_overhead", completion_overhead, overhead, "link time of a status; of an ideal link");
    visitor.field("write_rate", write_rate, {0, 1e12}, "payload rate of a write's data; of an ideal link; 0: host.link_rate");
  });
  visitor.unused_where(!framed, "host.link is ideal", [&] {
    visitor.field("turnaround", turnaround, {0, 1e9},
                  "time in which one side of the link answers the other, cable included; of a link with frames");
    visitor.enter("frames", "what surrounds a frame, and how much data goes into one; of a link with frames");
    visitor.unused_where(link == LinkProtocol::sas, "host.link is sas", [&] { frames.describe_sata(visitor); });
    visitor.unused_where(link == LinkProtocol::sata, "host.link is sata", [&] { frames.describe_sas(visitor); });
    visitor.leave();
  });
  visitor.enumeration("write_data", write_data, {"with_command", "on_request"},
                      "when a write's data crosses the link: in front of the firmware's work, or while the arm already moves");
  const bool with_command = write_data == WriteData::with_command;
  visitor.unused_where(framed || with_command, framed ? has_frames : "host.write_data is with_command", [&] {
    visitor.field("write_data_delay", write_data_delay, overhead,
                  "time from the drive's taking a write until its data begins to cross, in which an old bus is let go and taken again");
  });
  visitor.field("stream_reads", stream_reads, "the link carries a read's first sectors while the last ones are still under the head");
  visitor.unused_where(!stream_reads, "host.stream_reads is false", [&] {
    visitor.field("read_water_mark", read_water_mark, {0, 1},
                  "share of a streamed read that is in the buffer before the link begins with it, rounded down to blocks");
    visitor.field("read_lag", read_lag, {0, 65536},
                  "blocks by which the link stays behind the head in a streamed read: so many more cross after the last one has come in");
  });
  visitor.unused_where(framed, has_frames, [&] {
    visitor.field("read_completion_overhead", read_completion_overhead, overhead,
                  "added to the completion overhead of a read; of an ideal link");
    visitor.field("write_completion_overhead", write_completion_overhead, overhead,
                  "added to the completion overhead of a write; of an ideal link");
  });
  visitor.field(
      "timeout", timeout, {0, 1e18},
      "a command that the drive leaves unanswered for this long is overdue: the run goes on and ends with status 1; 0: none is; by default "
      "longer for layers whose cleanings take longer (docs/models/host.md)");
  visitor.field("crc_errors_per_million", crc_errors_per_million, {0, 900000}, "frames in a million, either way, whose check fails");
  visitor.table("crc_errors", crc_errors, {"frame", "failures"}, "frames, counted from 1 in either direction, whose check fails so often");
  visitor.table("link_outages", link_outages, {"at_ms", "for_ms"}, "when the link goes down, since the first power-on, and for how long");
  visitor.field(
      "command_timeout", command_timeout, {0, 1e18},
      "the host aborts a command that is not answered by then, counted from each time that it is sent, and sends it again; 0: it waits");
  visitor.unused_where(command_timeout == Picoseconds(0), "host.command_timeout is 0 s", [&] {
    visitor.field("abort_timeout", abort_timeout, {1, 1e18},
                  "an abort that is not answered by then is followed by a reset, which aborts everything");
    visitor.field("retry_delay", retry_delay, {0, 1e18}, "time before the host sends a command again");
    visitor.field("command_retries", command_retries, {0, 1000}, "how often the host sends a command again before it fails");
  });
}

std::string HostConfig::problem() const {
  if (link == LinkProtocol::sata && tags > sata_tags)
    return "host.tags is " + std::to_string(tags) + "; Serial ATA names at most " + std::to_string(sata_tags) + " commands (host.link)";
  return frames.problem();
}

Bytes HostConfig::window_of(Bytes sector) const {
  const Bytes most = window == Bytes(0) ? buffer : std::min(window, buffer);
  return sector * (most.value() / sector.value());
}

}  // namespace tessera
