#pragma once
// What lies on the other side of the channel: a die that is known by its pins. It takes commands and addresses as they come, holds a page
// in its register, and works on its array while R/B# is low. Of a page it keeps the bytes that were programmed; erased ones are ff.
#include <array>
#include <cstdint>
#include <cstring>
#include <map>
#include <vector>

#include "tessera/base/units.hpp"

struct DieTimes {
  tessera::Picoseconds read, program, erase;
};

class FlashDie {
 public:
  std::map<std::uint32_t, std::vector<std::uint32_t>> pages;  ///< by row, in words

  FlashDie(std::uint32_t page_words, std::uint32_t pages_per_block, const DieTimes& times)
      : page_words_(page_words), pages_per_block_(pages_per_block), times_(times), register_(page_words, ~0U) {}

  [[nodiscard]] tessera::Picoseconds ready_at() const { return ready_at_; }
  [[nodiscard]] bool ready(tessera::Picoseconds at) const { return at >= ready_at_; }
  /// What it puts on the channel while RE# is low.
  [[nodiscard]] std::uint32_t output() const { return cursor_ < page_words_ ? register_[cursor_] : ~0U; }

  /// The pins as they are from the clock's edge at `at` on.
  template <class Pins>
  void see(const Pins& pins, tessera::Picoseconds at) {
    if (pins.ce_n) return;
    if (!pins.we_n && pins.cle) return command(pins.dq_out & 0xff, at);
    if (!pins.we_n && pins.ale) {
      address_ |= std::uint64_t{pins.dq_out & 0xff} << (8 * address_cycles_++);
    } else if (!pins.we_n) {
      if (cursor_ == page_words_) start_data();
      if (cursor_ < page_words_) register_[cursor_++] = pins.dq_out;
    }
  }
  /// RE# was low at a rising edge.
  void read_strobe() { ++cursor_; }

 private:
  enum Command : std::uint32_t { read = 0x00, read_go = 0x30, program = 0x80, program_go = 0x10, erase = 0x60, erase_go = 0xd0 };

  [[nodiscard]] std::uint32_t row() const { return static_cast<std::uint32_t>(address_ >> 16); }
  void start_data() { cursor_ = static_cast<std::uint32_t>(address_ & 0xffff) / 4; }
  void command(std::uint32_t code, tessera::Picoseconds at) {
    switch (code) {
      case read_go: {
        const auto found = pages.find(row());
        found == pages.end() ? register_.assign(page_words_, ~0U) : void(register_ = found->second);
        start_data();
        ready_at_ = at + times_.read;
        break;
      }
      case program_go:
        pages[row()] = register_;
        ready_at_ = at + times_.program;
        break;
      case erase_go: {
        const auto first = static_cast<std::uint32_t>(address_ & 0xff'ffff) / pages_per_block_ * pages_per_block_;
        pages.erase(pages.lower_bound(first), pages.lower_bound(first + pages_per_block_));
        ready_at_ = at + times_.erase;
        break;
      }
      default:
        register_.assign(page_words_, ~0U);
        address_ = 0;
        address_cycles_ = 0;
        cursor_ = page_words_;  // until data comes: then the column counts
    }
  }

  std::uint32_t page_words_, pages_per_block_;
  DieTimes times_;
  std::vector<std::uint32_t> register_;
  std::uint64_t address_ = 0;
  std::uint32_t address_cycles_ = 0;
  std::uint32_t cursor_ = 0;
  tessera::Picoseconds ready_at_;
};
