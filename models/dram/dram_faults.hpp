#pragma once
// Bits that flip in the DRAM, and what its error-correcting code makes of them.
//
// An error strikes a word of 8 B at an instant and lies there until the word is read or written anew. 8 check bits a word correct
// one wrong bit and detect two (SEC-DED). A word read with one wrong bit is corrected and written back. One with more cannot be
// corrected: whoever reads it is told (failed()) and has to write it anew, so that it is good from then on.
#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "base/address.hpp"
#include "base/metrics.hpp"
#include "base/random.hpp"
#include "base/units.hpp"
#include "dram/dram_config.hpp"
#include "firmware/ports/memory_port.hpp"

namespace tessera {

class DramFaults {
 public:
  static constexpr std::uint64_t word_bytes = 8;

  /// Draws from the random stream "dram.bit_errors". InputError where a row of the description is no error of this DRAM.
  DramFaults(const DramConfig& config, std::uint64_t seed);

  /// Whether any bit can flip at all.
  [[nodiscard]] static bool any(const DramConfig& config) { return config.bit_error_rate != 0 || !config.bit_errors.empty(); }

  /// `bytes` from `address` on are read or written at `at`; gives the words that were corrected on the way, and adds those that could not
  /// be to failed(). A word that a write covers in part is read first; one that it covers wholly is good again.
  std::uint64_t access(std::uint64_t address, std::uint64_t bytes, Access access, Picoseconds at);

  /// Words that could not be corrected, since forget_failed().
  [[nodiscard]] std::span<const DramAddress> failed() const { return failed_; }
  void forget_failed() { failed_.clear(); }

  /// `bits` bits of the word at `address` flip at `at`.
  void add(DramAddress address, std::uint64_t bits, Picoseconds at) { strike({at, address.value() / word_bytes, bits}); }

  /// The memory is written anew as a whole, as at each start of the firmware.
  void initialise(Picoseconds now);

  /// Adds `dram.bit_errors`, `dram.ecc_corrected` and `dram.ecc_uncorrectable`.
  void report(MetricSet& metrics) const;

 private:
  static constexpr Picoseconds never{~std::uint64_t{0}};
  struct Error {
    Picoseconds at;
    std::uint64_t word = 0;
    std::uint64_t bits = 0;
  };
  /// The wrong bits of a word, and the instant of the last of them.
  struct Wrong {
    Picoseconds since;
    std::uint64_t bits = 0;
  };
  void strike(const Error& error);
  void strike_until(Picoseconds at);
  void draw_next();

  std::vector<Error> scripted_;  // ascending in time
  std::size_t next_scripted_ = 0;
  std::uint64_t words_;
  Picoseconds trial_;  // 0: nothing is drawn
  std::uint64_t double_errors_;
  RandomStream random_;
  Picoseconds next_trial_;
  Picoseconds next_drawn_ = never;
  std::map<std::uint64_t, Wrong> wrong_;  // by number of the word
  std::vector<DramAddress> failed_;
  std::uint64_t struck_ = 0;
  std::uint64_t corrected_ = 0;
  std::uint64_t uncorrectable_ = 0;
};

}  // namespace tessera
