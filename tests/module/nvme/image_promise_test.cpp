// What a firmware image says of completed writes, and who goes by it: the checks of a run and the host controllers.
#include <unistd.h>

#include <catch2/catch.hpp>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>

#include "firmware/hal/register_map.hpp"
#include "platforms/drive/drive_image.hpp"
#include "platforms/drive/nvme_drive.hpp"
#include "platforms/run/promise.hpp"
#include "support/elf_file.hpp"

using namespace tessera;

namespace {

/// An image of cmr in which each symbol is 16 bytes of data.
std::filesystem::path image_that_says(const char* durability) {
  std::vector<std::byte> data(48);
  const std::string version = std::to_string(hal::map_version);
  std::memcpy(&data[0], "cmr", 4);
  std::memcpy(&data[16], version.c_str(), version.size() + 1);
  test::ElfBytes<true> elf;
  elf.header.e_entry = hal::dram_base;
  elf.add_symbol("", 0, 0, STT_NOTYPE);
  elf.add_symbol("tessera_image_layer", hal::dram_base, 16, STT_OBJECT);
  elf.add_symbol("tessera_image_version", hal::dram_base + 16, 16, STT_OBJECT);
  if (durability != nullptr) {
    std::memcpy(&data[32], durability, std::strlen(durability) + 1);
    elf.add_symbol("tessera_image_durability", hal::dram_base + 32, 16, STT_OBJECT);
  }
  elf.add_segment(hal::dram_base, data, data.size(), PF_R | PF_X);
  elf.lay_out();
  const auto file = std::filesystem::temp_directory_path() / ("tessera-promise-" + std::to_string(getpid()) + ".elf");
  const auto bytes = elf.bytes();
  std::ofstream(file, std::ios::binary).write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
  return file;
}

DriveConfig drive_with(const char* durability, bool volatile_cache) {
  const std::string word = volatile_cache ? "volatile" : "journal";
  DriveConfig config = load_drive(std::filesystem::path(TESSERA_DRIVES) / "bare.toml",
                                  {"firmware.write_cache.capacity=1 MiB", "firmware.write_cache.durability=" + word}, "");
  const auto file = image_that_says(durability);
  const auto removed = std::unique_ptr<const std::filesystem::path, void (*)(const std::filesystem::path*)>(
      &file, [](const auto* path) { std::filesystem::remove(*path); });
  load_image(config, file, "");
  return config;
}

}  // namespace

TEST_CASE("an image's own word for the durability of completed writes goes before that of the drive's write cache") {
  const bool cache = GENERATE(false, true);
  CHECK(has_volatile_cache(drive_with(nullptr, cache)) == cache);
  CHECK(has_volatile_cache(drive_with("volatile", cache)));
  CHECK_FALSE(has_volatile_cache(drive_with("durable", cache)));
  CHECK(promise_of(drive_with("volatile", cache)) == DurabilityPromise::flushed);
  CHECK(promise_of(drive_with("durable", cache)) == DurabilityPromise::acknowledged);
}

TEST_CASE("an image's word for durability that there is not is refused with those that there are") {
  CHECK_THROWS_WITH(drive_with("flushed", false),
                    Catch::Contains("tessera_image_durability is 'flushed'; expected 'volatile' or 'durable'"));
  CHECK_FALSE(image_needs_flushes(drive_with(nullptr, false)).has_value());
}
