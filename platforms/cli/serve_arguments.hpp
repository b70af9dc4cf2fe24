#pragma once
// The arguments of `serve`.
#include "platforms/cli/arguments.hpp"
#include "platforms/cli/options.hpp"

namespace tessera::cli {

inline constexpr const char* serve_examples = R"(Examples:
  tessera-sim serve common --layer imr-rmw --nbd unix:/tmp/disk.sock
  fio --name=x --ioengine=nbd --uri='nbd+unix:///?socket=/tmp/disk.sock' --rw=randrw --bs=4k --size=64m --verify=crc32c
  tessera-sim serve common --nbd 10809 --pace real   # on the loopback interface, as slow as the drive)";

void declare_serve(Arguments& arguments);
[[nodiscard]] ParsedCommand read_serve(const Arguments& arguments);

}  // namespace tessera::cli
