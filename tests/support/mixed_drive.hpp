#pragma once
// The drive under MixedCommands: layer, caches, link and processor drawn by a seed, over the smallest drive that runs every layer.
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <random>
#include <string>
#include <systemc>
#include <vector>

#include "base/error.hpp"
#include "base/random.hpp"
#include "platforms/drive/drive_module.hpp"
#include "platforms/torture/drawn_parameters.hpp"
#include "support/mixed_commands.hpp"

namespace test {

/// The seeds of a test: 24, or TESSERA_MIXED_SEEDS from TESSERA_MIXED_SEED on.
inline std::vector<unsigned> mixed_seeds() {
  const auto number = [](const char* name, unsigned otherwise) {
    const char* const text = std::getenv(name);
    return text == nullptr ? otherwise : static_cast<unsigned>(std::strtoul(text, nullptr, 10));
  };
  const bool one = std::getenv("TESSERA_MIXED_SEED") != nullptr;
  std::vector<unsigned> seeds(number("TESSERA_MIXED_SEEDS", one ? 1 : 24));
  for (unsigned i = 0; i < seeds.size(); ++i) seeds[i] = number("TESSERA_MIXED_SEED", 1) + i;
  return seeds;
}

struct MixedDrive final : tessera::TimelineListener {
  explicit MixedDrive(unsigned the_seed) : seed(the_seed), draw(the_seed * 7919U + 1U), more(the_seed, "mixed drive") {
    for (unsigned tries = 0; drive == nullptr; ++tries) {
      try {
        make(tries < 50);
      } catch (const tessera::InputError&) {
        if (tries == 100) throw;
      }
    }
  }
  /// Empty, or the first fault after the drive's own words.
  template <class Host, class Device>
  std::string run(Host& host, Device& device) {
    std::string fault = "the host does not end";
    host.program = [&](Host&) {
      MixedSetting setting;
      setting.blocks = drive->capacity().value() / 512;
      const auto& cache = config.firmware.write_cache;
      setting.is_volatile = cache.durability == tessera::CacheDurability::volatile_memory && cache.capacity.value() > 0;
      setting.zeros_after_trim = config.firmware.zeros_after_trim;
      setting.cut = [this] {
        drive->timeline_module().post(tessera::from_sc_time(sc_core::sc_time_stamp()), *this, 0);
        drive->timeline_module().post(tessera::from_sc_time(sc_core::sc_time_stamp() + sc_core::sc_time(1, sc_core::SC_SEC)), *this, 1);
        sc_core::wait(4, sc_core::SC_SEC);
      };
      sc_core::wait(1, sc_core::SC_SEC);  // the first boot formats, which a factory does in peace
      fault = MixedCommands<Device>(device, setting, seed).run();
    };
    try {
      drive->power_on(false, [](tessera::Status) {});
      sc_core::sc_start(sc_core::sc_time(10'000, sc_core::SC_SEC));
      drive->timeline_module().rethrow_failure();
    } catch (const tessera::InputError&) {
      return "";  // a drive that cannot be
    } catch (const std::exception& error) {
      fault = error.what();
    }
    return fault.empty() ? "" : text + "\n" + fault;
  }

  unsigned seed;
  std::mt19937 draw;
  tessera::RandomStream more;
  std::string text;
  tessera::DriveConfig config;
  std::unique_ptr<tessera::DriveModule> drive;

 private:
  /// A layer, what hosts see of caches and link, and of every other drive some of the parameters that campaigns draw.
  void make(bool with_parameters) {
    const std::string layer = one_of({"cmr", "imr-rmw", "imr-flip", "imr-cache", "imr-dtm", "shingled-in-place-1234", "shingled-in-place-124r3",
                                      "vguard", "sblock", "hwsr", "skylight-flash", "pore", "mu-rmw", "skylight-disk", "fluid", "fluid-loop",
                                      "amphisbaena", "media-cache", "tessera", "tessera-imr", "host-aware"});
    std::vector<std::string> overrides{
        "firmware.write_cache.capacity=" + one_of({"0 B", "64 KiB", "64 KiB", "256 KiB"}),
        "firmware.write_cache.durability=" + one_of({"plp", "volatile"}),
        "firmware.write_cache.edges=" + one_of({"before", "behind"}),
        "firmware.write_cache.order=" + one_of({"elevator", "first_come", "positioning"}),
        "firmware.read_cache.segments=" + one_of({"0", "1", "4"}),
        "firmware.read_cache.read_ahead=32",
        "firmware.read_cache.segment_sectors=64",
        "firmware.zeros_after_trim=" + (layer == "host-aware" ? "false" : one_of({"true", "false"})),  // its hosts empty zones by a reset
        "host.tags=" + one_of({"1", "4", "32"}),
        "host.link=" + one_of({"ideal", "sata", "sas"}),
        "host.stream_reads=" + one_of({"true", "false"})};
    const std::filesystem::path file = std::filesystem::path(TESSERA_DRIVES) / "torture.toml";
    if (with_parameters && draw() % 2 == 0) {
      tessera::ParameterCollector collector;
      tessera::load_drive(file, {}, layer).describe(collector);
      for (std::string& word : tessera::draw_own_sizes(collector.parameters(), layer, more)) overrides.push_back(std::move(word));
      for (std::string& word : tessera::draw_parameters(collector.parameters(), layer, more)) overrides.push_back(std::move(word));
    }
    text = layer;
    for (const std::string& override : overrides) text += " --set '" + override + "'";
    config = tessera::load_drive(file, overrides, layer);
    tessera::DriveParts parts;
    parts.check_protocol = true;
    drive = std::make_unique<tessera::DriveModule>("drive", config, tessera::plan_drive(config), tessera::ContentMode::bytes, seed, std::move(parts));
  }
  std::string one_of(const std::vector<std::string>& values) { return values[draw() % values.size()]; }
  void on_time(std::uint64_t what) override {
    if (what == 0) return static_cast<void>(drive->power_off());
    drive->power_on(true, [this](tessera::Status status) {
      if (status != tessera::Status::ok) text += " (does not boot)";
    });
  }
};

}  // namespace test
