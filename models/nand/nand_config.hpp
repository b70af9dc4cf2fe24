#pragma once
// What a description says about the NAND flash. Geometry and times default to the flash of the concentrated-mapping
// paper (4 KiB pages, 32 a block; read 0.2 ms, program 1.3 ms, erase 1.5 ms); `blocks` to its 640 blocks.
#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "base/address.hpp"
#include "base/parameter.hpp"
#include "base/units.hpp"
#include "firmware/ports/flash_port.hpp"

namespace tessera {

/// Which bit of its cells a page holds.
enum class PageType : std::uint8_t { lower, middle, upper };

/// Who has a channel next: whoever asked first, or commands before the pages of other dies.
enum class ChannelArbitration : std::uint8_t { in_order, command_first };

struct NandConfig {
  std::uint32_t channels = 1;
  std::uint32_t dies = 1;    ///< a channel
  std::uint32_t planes = 1;  ///< a die
  std::uint64_t blocks = 640;
  std::uint64_t log_blocks = 8;
  std::uint64_t dump_blocks = 128;
  std::uint32_t pages_per_block = 32;
  Bytes page_size{4096};
  Bytes oob_size{512};
  std::uint32_t subpages = 1;  ///< drive sectors in a page: no parameter, see holding()

  Picoseconds read_time{200'000'000};       // 0.2 ms
  Picoseconds program_time{1'300'000'000};  // 1.3 ms
  Picoseconds erase_time{1'500'000'000};    // 1.5 ms
  BytesPerSecond bus_rate{0};               ///< 0: transfers take no time
  ChannelArbitration arbitration = ChannelArbitration::command_first;

  // What the papers' chip does without; sources of figures for it are in platforms/drives/tlc.toml.
  Picoseconds command_time{0};
  std::uint32_t page_types = 1;
  Picoseconds read_time_middle{0};
  Picoseconds read_time_upper{0};
  Picoseconds program_time_middle{0};
  Picoseconds program_time_upper{0};
  bool cache_read = false;
  bool cache_program = false;
  bool independent_reads = false;
  bool copyback = false;
  bool read_priority = false;
  bool suspend = false;
  Picoseconds program_suspend_time{0};
  Picoseconds erase_suspend_time{0};
  Picoseconds resume_time{0};
  std::uint32_t most_suspends = 8;

  std::uint64_t endurance = 5'000;  // erases a block: 2-bit cells of the Samsung K9G4G08 class
  bool paired_page = false;

  std::vector<NumberRow> bad_blocks;
  std::vector<NumberRow> program_failures;
  std::vector<NumberRow> erase_failures;
  std::vector<NumberRow> read_failures;
  std::uint32_t program_failures_per_million = 0;
  std::uint32_t erase_failures_per_million = 0;
  std::uint32_t worn_failures_per_million = 0;

  // Raw bit errors; off while ecc_bits is 0. Values for 2-bit cells of 3,000 to 5,000 erases are in docs/models/nand.md.
  std::uint32_t ecc_bits = 0;
  std::uint64_t bit_errors_fresh = 0;
  std::uint64_t bit_errors_wear = 0;
  std::uint64_t bit_errors_retention = 0;
  std::uint64_t bit_errors_disturb = 0;
  std::uint32_t read_retries = 0;
  std::uint32_t read_retry_leaves = 50;
  Picoseconds read_retry_time{0};
  Picoseconds ecc_time{0};
  Picoseconds ecc_time_per_bit{0};

  // 15 mA at 3.3 V while an operation runs and 10 uA in standby: typical ICC1 to ICC3 and ISB2 of the Samsung K9F1G08U0A.
  Microwatts read_power{49'500};
  Microwatts program_power{49'500};
  Microwatts erase_power{49'500};
  Microwatts standby_power{33};        ///< a die, at all times
  Picojoules bus_energy_per_byte{40};  // 15 pF of pad and trace at 3.3 V, eight lines, half of which toggle: C * V^2 / 2 * 4

  /// Lower pages are programmed and read with one threshold, middle and upper ones take more. Pages of a word line of three follow each
  /// other; for two see paired_lower_page().
  [[nodiscard]] PageType page_type(std::uint32_t page_in_block) const {
    if (page_types == 3) return static_cast<PageType>(page_in_block % 3);
    const bool upper = page_types == 2 && paired_lower_page(page_in_block, pages_per_block) != page_in_block;
    return upper ? PageType::upper : PageType::lower;
  }
  [[nodiscard]] Picoseconds read_time_of(PageType type) const {
    const Picoseconds own = type == PageType::upper ? read_time_upper : read_time_middle;
    return type == PageType::lower || own == Picoseconds(0) ? read_time : own;
  }
  [[nodiscard]] Picoseconds program_time_of(PageType type) const {
    const Picoseconds own = type == PageType::upper ? program_time_upper : program_time_middle;
    return type == PageType::lower || own == Picoseconds(0) ? program_time : own;
  }
  /// The same flash with pages of drive sectors of this size.
  [[nodiscard]] NandConfig holding(Bytes sector) const {
    NandConfig config = *this;
    config.subpages = std::max<std::uint32_t>(1, static_cast<std::uint32_t>(page_size.value() / sector.value()));
    return config;
  }
  [[nodiscard]] Bytes subpage_size() const { return Bytes(page_size.value() / subpages); }
  [[nodiscard]] Bytes subpage_oob() const { return Bytes(oob_size.value() / subpages); }

  [[nodiscard]] std::uint32_t total_dies() const { return channels * dies; }
  [[nodiscard]] std::uint32_t total_planes() const { return total_dies() * planes; }
  [[nodiscard]] std::uint64_t total_blocks() const { return blocks + log_blocks + dump_blocks; }
  [[nodiscard]] NandBlock first_log_block() const { return NandBlock(blocks); }
  [[nodiscard]] NandBlock first_dump_block() const { return NandBlock(blocks + log_blocks); }

  [[nodiscard]] FlashShape shape() const {
    return {.blocks = blocks,
            .pages_per_block = pages_per_block,
            .oob_bytes = static_cast<std::uint32_t>(oob_size.value()),
            .page_bytes = static_cast<std::uint32_t>(page_size.value()),
            .read_retries = read_retries,
            .paired_pages = paired_page,
            .subpages = subpages,
            .planes = total_planes(),
            .copyback = copyback};
  }

  /// A sentence why these settings do not go together, or nothing.
  [[nodiscard]] std::string problem() const {
    if (cache_read && independent_reads)
      return "nand.cache_read and nand.independent_reads exclude each other: a plane that reads by itself has its cache register to itself";
    if (paired_page && page_types == 3) return "nand.paired_page is of flash with two pages a word line, and nand.page_types is 3";
    return {};
  }

  void describe(ParameterVisitor& v) {
    const auto of_flash = [&](auto declare) { v.unused_where(blocks == 0, "nand.blocks is 0: the drive has no flash", declare); };
    of_flash([&] {
      v.field("channels", channels, {1, 64}, "channels, each with a bus of its own");
      v.field("dies", dies, {1, 64}, "dies on a channel");
      v.field("planes", planes, {1, 16}, "planes of a die; they run operations of one kind together");
    });
    v.field("blocks", blocks, {0, 4194304}, "erase blocks for the translation layer; 0: the drive has no flash");
    of_flash([&] {
      describe_pages(v);
      describe_abilities(v);
      describe_failures(v);
      describe_bit_errors(v);
      v.field("read_power", read_power, {0, 1e9}, "power of a plane that reads");
      v.field("program_power", program_power, {0, 1e9}, "power of a plane that programs");
      v.field("erase_power", erase_power, {0, 1e9}, "power of a plane that erases");
      v.field("standby_power", standby_power, {0, 1e9}, "power of a die at all times");
      v.field("bus_energy_per_byte", bus_energy_per_byte, {0, 1e9}, "energy of one byte on a channel");
    });
  }

 private:
  void describe_pages(ParameterVisitor& v) {
    v.field("log_blocks", log_blocks, {0, 1e6}, "further blocks reserved for checkpoint and log");
    v.field("dump_blocks", dump_blocks, {0, 1e6}, "further blocks reserved for the dump at power loss");
    v.field("pages_per_block", pages_per_block, {1, 65536}, "pages of an erase block");
    v.field("page_size", page_size, {512, 65536}, "data area of a page: one drive sector, or several");
    v.field("oob_size", oob_size, {0, 4096}, "out-of-band area of a page");
    v.field("read_time", read_time, {0, 1e12}, "array time of a page read; of an out-of-band read as well");
    v.field("program_time", program_time, {0, 1e12}, "array time of a page program");
    v.field("erase_time", erase_time, {0, 1e12}, "array time of a block erase");
    v.field("bus_rate", bus_rate, {0, 1e12}, "transfer rate of a channel; 0: infinitely fast");
    v.field("command_time", command_time, {0, 1e12}, "time on the channel of the command and address cycles of an operation; 0: none");
    v.unused_where(bus_rate == BytesPerSecond(0) || (command_time == Picoseconds(0) && !copyback),
                   "no command waits for a page on its channel (nand.bus_rate or nand.command_time is 0)", [&] {
                     v.enumeration("arbitration", arbitration, {"in_order", "command_first"},
                                   "who gets a channel next: whoever asked first, or commands before pages that wait");
                   });
    v.unused_where(
        read_time_middle + read_time_upper + program_time_middle + program_time_upper == Picoseconds(0),
        "no page has a time of its own (nand.read_time_upper and the like)", [&] {
          v.field("page_types", page_types, {1, 3}, "pages of a word line: lower ones alone, lower and upper, or lower, middle and upper");
        });
    const auto of_middle = [&](auto declare) { v.unused_where(page_types < 3, "nand.page_types is below 3", declare); };
    const auto of_upper = [&](auto declare) { v.unused_where(page_types < 2, "nand.page_types is 1", declare); };
    of_middle([&] {
      v.field("read_time_middle", read_time_middle, {0, 1e12}, "array time of a read of a middle page; 0: as of a lower one (read_time)");
    });
    of_upper([&] {
      v.field("read_time_upper", read_time_upper, {0, 1e12}, "array time of a read of an upper page; 0: as of a lower one (read_time)");
    });
    of_middle([&] {
      v.field("program_time_middle", program_time_middle, {0, 1e12},
              "array time of a program of a middle page; 0: as of a lower one (program_time)");
    });
    of_upper([&] {
      v.field("program_time_upper", program_time_upper, {0, 1e12},
              "array time of a program of an upper page; 0: as of a lower one (program_time)");
    });
  }

  void describe_abilities(ParameterVisitor& v) {
    v.field("cache_read", cache_read, "a die reads the next pages while those before leave their cache registers");
    v.field("cache_program", cache_program, "the next pages are loaded while a die programs those before");
    v.unused_where(planes == 1, "nand.planes is 1",
                   [&] { v.field("independent_reads", independent_reads, "planes of a die read each by itself, not in groups"); });
    v.field("copyback", copyback, "pages can be moved inside a plane without crossing the channel, and past error correction");
    v.field("read_priority", read_priority, "reads go in front of waiting programs and erases of other blocks");
    v.field("suspend", suspend, "a read that comes to a die that programs or erases suspends it");
    v.unused_where(!suspend, "nand.suspend is false", [&] {
      v.field("program_suspend_time", program_suspend_time, {0, 1e12}, "time from the request until a program is suspended");
      v.field("erase_suspend_time", erase_suspend_time, {0, 1e12}, "time from the request until an erase is suspended");
      v.field("resume_time", resume_time, {0, 1e12}, "time that a suspended program or erase takes to go on");
      v.field("most_suspends", most_suspends, {1, 1e6}, "how often one program or erase may be suspended");
    });
  }

  void describe_failures(ParameterVisitor& v) {
    v.field("endurance", endurance, {1, 1e9}, "erases that a block is specified for: lifetime figures, and the scale of wear");
    v.field("paired_page", paired_page, "a cut while an upper page is programmed destroys the lower page of its word line too");
    v.table("bad_blocks", bad_blocks, {"block"}, "blocks that are bad from the factory");
    v.table("program_failures", program_failures, {"block", "nth"}, "the nth page program (from 1) that the block sees fails");
    v.table("erase_failures", erase_failures, {"block", "nth"}, "the nth erase (from 1) that the block sees fails");
    v.table("read_failures", read_failures, {"page", "nth"}, "the nth read (from 1) of the page fails, once");
    v.field("program_failures_per_million", program_failures_per_million, {0, 1e6}, "programs in a million that fail, at random");
    v.field("erase_failures_per_million", erase_failures_per_million, {0, 1e6}, "erases in a million that fail, at random");
    v.field("worn_failures_per_million", worn_failures_per_million, {0, 1e6},
            "further programs and erases in a million that fail once a block has seen twice its endurance; none at its endurance, linear");
  }

  void describe_bit_errors(ParameterVisitor& v) {
    constexpr std::string_view no_wrong_bit = "no bit is ever wrong (nand.ecc_bits, nand.bit_errors_fresh and the like)";
    const bool errors = bit_errors_fresh + bit_errors_wear + bit_errors_retention + bit_errors_disturb != 0;
    v.unused_where(!errors, "no bit is ever wrong (nand.bit_errors_fresh and the like are 0)", [&] {
      v.field("ecc_bits", ecc_bits, {0, 128},
              "wrong bits that error correction puts right in a codeword of 512 B; 0: no bit is ever wrong");
    });
    v.unused_where(ecc_bits == 0, "nand.ecc_bits is 0", [&] {
      v.field("bit_errors_fresh", bit_errors_fresh, {0, 1e9}, "wrong bits in 1e9 of a fresh block");
      v.field("bit_errors_wear", bit_errors_wear, {0, 1e9}, "wrong bits in 1e9 that wear adds up to the endurance, linear in the erases");
      v.field("bit_errors_retention", bit_errors_retention, {0, 1e9},
              "wrong bits in 1e9 that each day since programming adds at the endurance, linear in the erases");
      v.field("bit_errors_disturb", bit_errors_disturb, {0, 1e9},
              "wrong bits in 1e9 that each 1000 reads of the block since its erase add at the endurance, linear in the erases");
    });
    v.field("read_retries", read_retries, {0, 16}, "levels of read retry, with other thresholds, after the first read");
    v.unused_where(read_retries == 0, "nand.read_retries is 0", [&] {
      v.unused_where(ecc_bits == 0 || !errors, no_wrong_bit, [&] {
        v.field("read_retry_leaves", read_retry_leaves, {0, 100}, "percent of the wrong bits that a further level of read retry leaves");
      });
      v.field("read_retry_time", read_retry_time, {0, 1e12}, "array time that a read takes longer for each level of read retry");
    });
    v.field("ecc_time", ecc_time, {0, 1e12}, "time that error correction takes for a read after its transfer, with no wrong bit");
    v.unused_where(ecc_bits == 0 || !errors, no_wrong_bit, [&] {
      v.field(
          "ecc_time_per_bit", ecc_time_per_bit, {0, 1e12},
          "time that error correction takes longer for each wrong bit that a codeword has on average: it grows with wear and retention");
    });
  }
};

}  // namespace tessera
