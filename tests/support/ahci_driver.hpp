#pragma once
// A driver of an AHCI controller as an operating system has it: it resets the HBA and the link, waits for the drive's signature, starts the
// port, fills command headers, tables and regions, and looks at PxCI and PxSACT. Written from Serial ATA AHCI 1.3.1 (10.1 to 10.3) and
// ACS-3, with none of the controller's own headers.
#include <cstdint>
#include <cstring>
#include <functional>
#include <vector>

namespace test {

/// One command as the driver writes it.
struct AhciRequest {
  std::uint8_t command = 0;
  std::uint64_t lba = 0;
  std::uint16_t count = 0;
  std::uint16_t features = 0;
  std::uint8_t device = 0x40;
  bool writes = false;
  std::uint64_t data = 0;
  std::uint32_t bytes = 0;
  std::uint32_t region = 4096;  ///< bytes of each region, the last one's rest apart
};

/// How a command ended.
struct AhciAnswer {
  bool ended = false;  ///< before patience did
  std::uint8_t status = 0, error = 0;
  [[nodiscard]] bool ok() const { return ended && (status & 0x21) == 0; }
};

class AhciDriver {
 public:
  static constexpr std::uint64_t page = 4096;
  enum : std::uint32_t {
    ghc = 0x04,
    is = 0x08,
    clb = 0x100,
    fb = 0x108,
    pis = 0x110,
    pie = 0x114,
    cmd = 0x118,
    tfd = 0x120,
    sig = 0x124,
    ssts = 0x128,
    sctl = 0x12c,
    serr = 0x130,
    sact = 0x134,
    ci = 0x138
  };
  std::vector<unsigned char> memory = std::vector<unsigned char>(8U << 20U);
  std::function<void(std::uint64_t offset, std::uint32_t value)> write32;
  std::function<std::uint32_t(std::uint64_t offset)> read32;
  std::function<void()> pass;  ///< lets the controller work, until an interrupt or for a while

  /// A page of memory that nobody has yet.
  std::uint64_t allocate(std::uint64_t pages = 1) { return (next_ += pages * page) - pages * page; }
  template <class Value>
  [[nodiscard]] Value load(std::uint64_t at) const {
    Value value;
    std::memcpy(&value, memory.data() + at, sizeof value);
    return value;
  }
  template <class Value>
  void store(std::uint64_t at, Value value) {
    std::memcpy(memory.data() + at, &value, sizeof value);
  }
  [[nodiscard]] std::uint64_t received() const { return received_; }
  [[nodiscard]] std::uint64_t header(unsigned slot) const { return list_ + slot * 32; }
  [[nodiscard]] std::uint64_t table(unsigned slot) const { return tables_ + slot * page; }

  /// Until a register has these bits, of those that count.
  bool wait_for(std::uint32_t offset, std::uint32_t mask, std::uint32_t value, unsigned patience = 200'000) {
    for (unsigned i = 0; i < patience; ++i) {
      if ((read32(offset) & mask) == value) return true;
      pass();
    }
    return false;
  }
  /// HBA reset, lists, COMRESET, signature, interrupts, start.
  bool begin() {
    write32(ghc, 0x8000'0001);
    if (!wait_for(ghc, 1, 0)) return false;
    write32(ghc, 0x8000'0000);
    list_ = allocate();
    received_ = list_ + 1024;
    tables_ = allocate(32);
    write32(clb, static_cast<std::uint32_t>(list_));
    write32(clb + 4, 0);
    write32(fb, static_cast<std::uint32_t>(received_));
    write32(fb + 4, 0);
    write32(cmd, 0x16);  // FRE
    if (!reset_link()) return false;
    write32(pis, ~0U);
    write32(is, ~0U);
    write32(pie, 0x7dc0'00ff);
    write32(ghc, 0x8000'0002);
    return start();
  }
  bool reset_link() {
    write32(sctl, 0x301);
    write32(sctl, 0x300);
    if (!wait_for(ssts, 0xf, 3)) return false;
    write32(serr, ~0U);
    return wait_for(tfd, 0x88, 0) && read32(sig) == 0x101;
  }
  bool start() {
    write32(cmd, 0x17);
    return wait_for(cmd, 0x8000, 0x8000);
  }
  /// After an error: the port stopped and started.
  bool restart() {
    write32(cmd, 0x16);
    if (!wait_for(cmd, 0x8000, 0)) return false;
    write32(serr, ~0U);
    write32(pis, ~0U);
    write32(is, ~0U);
    return start();
  }
  /// What an interrupt handler does first.
  std::uint32_t acknowledge() {
    const std::uint32_t why = read32(pis);
    write32(pis, why);
    write32(is, 1);
    return why;
  }

  /// Fills a slot without issuing it.
  void prepare(unsigned slot, const AhciRequest& request) {
    const std::uint64_t at = table(slot);
    std::memset(memory.data() + at, 0, page);
    unsigned char* const fis = memory.data() + at;
    fis[0] = 0x27;
    fis[1] = 0x80;
    fis[2] = request.command;
    fis[3] = static_cast<unsigned char>(request.features);
    fis[11] = static_cast<unsigned char>(request.features >> 8);
    for (unsigned i = 0; i < 3; ++i) {
      fis[4 + i] = static_cast<unsigned char>(request.lba >> 8 * i);
      fis[8 + i] = static_cast<unsigned char>(request.lba >> (24 + 8 * i));
    }
    fis[7] = request.device;
    fis[12] = static_cast<unsigned char>(request.count);
    fis[13] = static_cast<unsigned char>(request.count >> 8);
    std::uint32_t regions = 0;
    for (std::uint32_t done = 0; done < request.bytes; ++regions) {
      const std::uint32_t bytes = std::min(request.region, request.bytes - done);
      store<std::uint64_t>(at + 0x80 + regions * 16, request.data + done);
      store<std::uint32_t>(at + 0x80 + regions * 16 + 12, bytes - 1);
      done += bytes;
    }
    store<std::uint32_t>(header(slot), 5U | (request.writes ? 1U << 6 : 0) | regions << 16);
    store<std::uint32_t>(header(slot) + 4, 0);
    store<std::uint64_t>(header(slot) + 8, at);
  }
  void issue(unsigned slot, const AhciRequest& request) {
    prepare(slot, request);
    if (request.command == 0x60 || request.command == 0x61) write32(sact, 1U << slot);
    write32(ci, 1U << slot);
  }
  [[nodiscard]] bool is_over(unsigned slot) { return ((read32(ci) | read32(sact)) >> slot & 1) == 0; }
  /// Until the slot is free, or the port has an error.
  AhciAnswer finish(unsigned slot, unsigned patience = 200'000) {
    for (unsigned i = 0; i < patience; ++i) {
      const bool fails = (read32(pis) & 0x7800'0000) != 0;
      if (is_over(slot) || fails) {
        const std::uint32_t file = read32(tfd);
        return {true, static_cast<std::uint8_t>(file), static_cast<std::uint8_t>(file >> 8)};
      }
      pass();
    }
    return {};
  }
  AhciAnswer call(const AhciRequest& request) {
    issue(0, request);
    const AhciAnswer answer = finish(0);
    if (answer.ok()) acknowledge();
    return answer;
  }

  /// READ or WRITE FPDMA QUEUED of this tag.
  [[nodiscard]] static AhciRequest queued(bool writes, unsigned tag, std::uint64_t lba, std::uint16_t blocks, std::uint64_t data,
                                          bool fua = false) {
    return {.command = static_cast<std::uint8_t>(writes ? 0x61 : 0x60),
            .lba = lba,
            .count = static_cast<std::uint16_t>(tag << 3),
            .features = blocks,
            .device = static_cast<std::uint8_t>(0x40 | (fua ? 0x80 : 0)),
            .writes = writes,
            .data = data,
            .bytes = blocks * 512U};
  }
  /// READ or WRITE DMA EXT.
  [[nodiscard]] static AhciRequest direct(bool writes, std::uint64_t lba, std::uint16_t blocks, std::uint64_t data) {
    return {.command = static_cast<std::uint8_t>(writes ? 0x35 : 0x25),
            .lba = lba,
            .count = blocks,
            .writes = writes,
            .data = data,
            .bytes = blocks * 512U};
  }
  [[nodiscard]] static AhciRequest flush() { return {.command = 0xea}; }
  [[nodiscard]] static AhciRequest identify(std::uint64_t data) { return {.command = 0xec, .data = data, .bytes = 512}; }
  [[nodiscard]] static AhciRequest smart(std::uint16_t feature, std::uint64_t data) {
    return {.command = 0xb0, .lba = 0xc24f00, .count = 1, .features = feature, .data = data, .bytes = data == 0 ? 0U : 512U};
  }
  /// READ LOG EXT of pages from `page` on.
  [[nodiscard]] static AhciRequest log(std::uint8_t address, std::uint64_t data, unsigned page = 0, std::uint16_t pages = 1) {
    return {.command = 0x2f, .lba = address | std::uint64_t{page} << 8, .count = pages, .data = data, .bytes = pages * 512U};
  }
  [[nodiscard]] static AhciRequest queue_log(std::uint64_t data) {
    return {.command = 0x2f, .lba = 0x10, .count = 1, .data = data, .bytes = 512};
  }

 private:
  std::uint64_t next_ = page;  // page 0 stays empty
  std::uint64_t list_ = 0, received_ = 0, tables_ = 0;
};

}  // namespace test
