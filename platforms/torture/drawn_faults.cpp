#include "platforms/torture/drawn_faults.hpp"

#include <algorithm>
#include <array>

#include "media/media_config.hpp"

namespace tessera {

using namespace literals;

namespace {

/// What a kind of fault draws from.
struct Draw {
  const DriveConfig& drive;
  RandomStream& random;
  cli::RunOptions& options;

  [[nodiscard]] std::uint64_t below(std::uint64_t bound) const { return random.below(bound); }
  template <std::size_t n>
  [[nodiscard]] std::uint64_t one_of(const std::array<std::uint64_t, n>& values) const {
    return values[random.below(n)];
  }
  void set(const std::string& path, const std::string& value) const { options.set.push_back(path + "=" + value); }
  void set(const std::string& path, std::uint64_t value) const { set(path, std::to_string(value)); }
  /// "surface,radius,sector" of any sector that a layer may use.
  [[nodiscard]] std::string place() const {
    const DriveGeometry geometry = geometry_of(drive.media);
    const std::uint64_t surface = below(geometry.surfaces);
    const auto radius = static_cast<std::uint32_t>(below(geometry.radii()));
    return std::to_string(surface) + "," + std::to_string(radius) + "," + std::to_string(below(geometry.zone_of(radius).sectors_per_track));
  }
  /// Rows of a table of places; `more` gives the columns after the place.
  template <class More>
  void places(const std::string& path, std::uint64_t most, More more) const {
    std::string rows;
    for (std::uint64_t left = 1 + below(most); left > 0; --left) rows += (rows.empty() ? "[" : ",[") + place() + more() + "]";
    set(path, "[" + rows + "]");
  }
};

const auto no_columns = [] { return std::string(); };

void unreadable(const Draw& draw) { draw.places("media.unreadable_sectors", 40, no_columns); }

void grown(const Draw& draw) {
  draw.places("media.grown_defects", 40, [&] { return "," + std::to_string(draw.below(std::uint64_t{1} << (3 + draw.below(10)))); });
}

void unrecoverable(const Draw& draw) {
  draw.set("media.unrecoverable_errors_per_billion", draw.one_of<3>({100'000, 1'000'000, 3'000'000}));
}

/// Within the retries of the firmware and beyond them.
void transient(const Draw& draw) {
  draw.set("media.transient_errors_per_million", draw.one_of<4>({200, 1'000, 5'000, 10'000}));
  draw.set("media.transient_error_reads", draw.one_of<3>({3, 8, 20}));
}

void marginal(const Draw& draw) {
  draw.places("media.transient_sectors", 40, [&] { return "," + std::to_string(1 + draw.below(30)); });
}

void unwritable(const Draw& draw) { draw.places("media.write_fault_sectors", 24, no_columns); }

void write_faults(const Draw& draw) { draw.set("media.write_faults_per_million", draw.one_of<3>({100, 1'000, 5'000})); }

void few_spares(const Draw& draw) { draw.set("media.spare_tracks", draw.below(3) == 0 ? 1 : 0); }

void torn(const Draw& draw) { draw.set("media.powerfail.sector", std::string("corrupt")); }

void failed_dump(const Draw& draw) {
  draw.set("power.dump_failures", draw.one_of<3>({300'000, 500'000, 1'000'000}));
  if (draw.below(3) == 0) draw.set("power.hold_up_left", draw.below(100));
}

void paired_pages(const Draw& draw) { draw.set("nand.paired_page", std::string("true")); }

/// So that a page in ten thousand, or one in a hundred, cannot be read.
void flash_bits(const Draw& draw) {
  draw.set("nand.ecc_bits", 8);
  draw.set("nand.bit_errors_fresh", draw.one_of<3>({200'000, 400'000, 600'000}));
  draw.set("nand.read_retries", draw.one_of<3>({0, 1, 3}));
}

void flash_programs(const Draw& draw) { draw.set("nand.program_failures_per_million", draw.one_of<3>({200, 2'000, 10'000})); }

void flash_erases(const Draw& draw) { draw.set("nand.erase_failures_per_million", draw.one_of<3>({1'000, 10'000, 50'000})); }

/// Some to some hundreds a simulated second.
void dram_bits(const Draw& draw) {
  draw.set("dram.bit_error_rate", draw.one_of<3>({100'000'000'000, 1'000'000'000'000, 10'000'000'000'000}));
  draw.set("dram.double_errors_per_thousand", draw.one_of<3>({0, 27, 500}));
}

void link(const Draw& draw) {
  draw.set("host.link", std::string(draw.below(2) == 0 ? "sata" : "sas"));
  draw.set("host.crc_errors_per_million", draw.one_of<3>({1'000, 20'000, 200'000}));
  if (draw.below(2) == 0) return;
  std::string rows;
  std::uint64_t at = 0;
  for (std::uint64_t left = 1 + draw.below(4); left > 0; --left) {
    at += 1 + draw.below(300);
    const std::uint64_t length = 1 + draw.below(200);
    rows += (rows.empty() ? "[" : ",[") + std::to_string(at) + "," + std::to_string(length) + "]";
    at += length;
  }
  draw.set("host.link_outages", "[" + rows + "]");
}

/// A host that has less patience than the drive needs when it cleans.
void timeouts(const Draw& draw) {
  draw.set("host.command_timeout", std::to_string(draw.one_of<3>({30, 200, 1'000})) + " ms");
  draw.set("host.abort_timeout", std::to_string(draw.one_of<3>({5, 50, 1'000})) + " ms");
  draw.set("host.command_retries", draw.one_of<3>({0, 2, 5}));
}

void restarts(const Draw& draw) {
  for (std::uint64_t left = 1 + draw.below(3); left > 0; --left)
    draw.options.restarts.emplace_back(1 + draw.below((1_ms).value() << draw.below(11)));
  auto& restarts = draw.options.restarts;
  std::ranges::sort(restarts);
  restarts.erase(std::unique(restarts.begin(), restarts.end()), restarts.end());
}

struct Kind {
  const char* name;
  void (*draw)(const Draw&);
};

constexpr std::array<Kind, 18> kinds{{
    {"unreadable", unreadable},
    {"grown", grown},
    {"unrecoverable", unrecoverable},
    {"transient", transient},
    {"marginal", marginal},
    {"unwritable", unwritable},
    {"write-faults", write_faults},
    {"few-spares", few_spares},
    {"torn", torn},
    {"failed-dump", failed_dump},
    {"paired-pages", paired_pages},
    {"flash-bits", flash_bits},
    {"flash-programs", flash_programs},
    {"flash-erases", flash_erases},
    {"dram-bits", dram_bits},
    {"link", link},
    {"timeouts", timeouts},
    {"restarts", restarts},
}};

}  // namespace

std::vector<std::string> fault_kinds() {
  std::vector<std::string> names;
  names.reserve(kinds.size());
  for (const Kind& kind : kinds) names.emplace_back(kind.name);
  return names;
}

std::vector<std::string> draw_faults(const DriveConfig& drive, const std::vector<std::string>& wanted, RandomStream& random,
                                     cli::RunOptions& options) {
  constexpr std::array<std::uint64_t, 10> counts{0, 1, 1, 2, 2, 2, 3, 3, 4, 6};
  const Draw draw{drive, random, options};
  std::array<Kind, kinds.size()> left = kinds;
  std::vector<std::string> names;
  const std::uint64_t count = counts[random.below(counts.size())];
  for (std::uint64_t i = 0; i < count; ++i) {
    std::swap(left[i], left[i + random.below(left.size() - i)]);
    left[i].draw(draw);
    names.emplace_back(left[i].name);
  }
  for (const Kind& kind : kinds) {
    if (std::ranges::find(wanted, kind.name) == wanted.end() || std::ranges::find(names, kind.name) != names.end()) continue;
    kind.draw(draw);
    names.emplace_back(kind.name);
  }
  std::ranges::sort(names);
  return names;
}

}  // namespace tessera
