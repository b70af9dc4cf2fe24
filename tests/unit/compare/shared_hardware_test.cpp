#include "platforms/compare/shared_hardware.hpp"

#include <catch2/catch.hpp>

using namespace tessera;

namespace {

/// An effective description, shortened; `more` follows it.
LayerHardware hardware(const std::string& layer, const std::string& cache, bool yields, bool own_buffer, const std::string& more = "") {
  const std::string text = R"(
[dram]
capacity = "256 MiB"
[nand]
blocks = 16384
[controller]
scheduling = "shortest_positioning"
[firmware.read_cache]
segments = 16
segment_sectors = 512
[firmware.write_cache]
capacity = ")" + cache +
                           "\"\nyields = " + (yields ? "true" : "false") +
                           R"(
[firmware.flash_cache]
capacity = "0 B"
[layers.tessera]
buffer = "12 MiB"
[layers.sblock]
memory = "12 MiB"
)" + more;
  return hardware_of(TomlDocument::parse(text, "a run").root(), layer, "layers." + layer + ".", own_buffer);
}

}  // namespace

TEST_CASE("what the drives of a comparison share is one sentence, and a layer's own buffer counts as the drive's write cache") {
  const std::string same =
      "Equal for all: the platters, write buffer 12 MiB, read cache 16 segments of 512 sectors, DRAM 256 MiB, flash 16,384 blocks, queue "
      "shortest positioning.";
  CHECK(shared_hardware(std::vector{hardware("cmr", "12 MiB", true, false), hardware("tessera", "12 MiB", true, true)}) == same);
  CHECK(shared_hardware(std::vector{hardware("sblock", "0 B", false, true), hardware("tessera", "0 B", true, true)}) == same);
  CHECK(shared_hardware({}).empty());
}

TEST_CASE("memory of a host that translates is named: it takes writes in addition to the drive's") {
  const std::string host = "[hosts]\ntranslation = \"log\"\n[hosts.log]\nwrite_buffer = \"12 MiB\"\n";
  const std::string none = "[hosts]\ntranslation = \"none\"\n[hosts.log]\nwrite_buffer = \"12 MiB\"\n";
  const auto drives = {hardware("cmr", "12 MiB", true, false, none), hardware("zoned:log-greedy", "12 MiB", true, false, host)};
  CHECK(shared_hardware(std::vector(drives)).ends_with(" NOT equal: write buffer in the host: none (cmr); 12 MiB (zoned:log-greedy)."));
  CHECK(shared_hardware(std::vector{hardware("cmr", "12 MiB", true, false, none)}).find("in the host") == std::string::npos);
  const std::string tree = "[hosts]\ntranslation = \"lsm\"\n[hosts.lsm]\nmemtable = \"64 MiB\"\nmemtables = 2\n";
  const auto with_tables = {hardware("cmr", "12 MiB", true, false, none), hardware("zoned:lsm", "12 MiB", true, false, tree)};
  CHECK(shared_hardware(std::vector(with_tables))
            .ends_with(" NOT equal: write buffer in the host: none (cmr); 2 tables of 64 MiB (zoned:lsm)."));
}

TEST_CASE("a write cache that yields to a layer's own buffer is not what that layer has") {
  const auto unequal = [](bool yields) {
    return shared_hardware(std::vector{hardware("cmr", "1 MiB", yields, false), hardware("tessera", "1 MiB", yields, true)});
  };
  CHECK(unequal(true).ends_with(" NOT equal: write buffer: 1 MiB (cmr); 12 MiB (tessera)."));
  CHECK(unequal(false).find("NOT equal") == std::string::npos);
}

TEST_CASE("what only some layers have is named with its layers") {
  const std::vector drives{hardware("cmr", "0 B", true, false), hardware("imr-rmw", "0 B", true, false),
                           hardware("tessera", "0 B", true, true)};
  CHECK(shared_hardware(drives).find(" NOT equal: write buffer: none (cmr, imr-rmw); 12 MiB (tessera).") != std::string::npos);
}
