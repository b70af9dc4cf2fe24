// What smartctl opens as a disk: loaded in front of it, this answers its SCSI commands with those of the drive behind an AHCI controller.
// It knows ATA PASS-THROUGH of 12 and 16 bytes (SAT-3) and INQUIRY. The drive has served some blocks and failed six reads.
#include <dlfcn.h>
#include <scsi/sg.h>

#include <cstdarg>

#include "ahci_bench.hpp"

namespace {

struct Disk {
  test::AhciBench bench;
  std::uint64_t buffer = 0;

  Disk() {
    auto& driver = bench.driver;
    driver.begin();
    buffer = driver.allocate(64);
    driver.call(test::AhciDriver::direct(true, 0, 64, buffer));
    for (std::uint64_t bad = 1001; bad <= 1006; ++bad) {
      bench.fails_in = {bad * 512, bad * 512 + 1};
      driver.call(test::AhciDriver::direct(false, 996, 16, buffer));
      driver.restart();
    }
    bench.fails_in = {};
  }
};

struct PassThrough {
  test::AhciRequest request;
  bool is_wide = false, wants_registers = false;

  explicit PassThrough(const unsigned char* c) : wants_registers((c[2] & 0x20) != 0) {
    is_wide = c[0] == 0x85 && (c[1] & 1) != 0;
    const auto pair = [&](unsigned low, unsigned high) { return static_cast<std::uint16_t>(c[low] | (is_wide ? c[high] << 8 : 0)); };
    if (c[0] == 0x85) {
      request = {.command = c[14], .count = pair(6, 5), .features = pair(4, 3), .device = c[13]};
      for (unsigned i = 0; i < 3; ++i) {
        request.lba |= std::uint64_t{c[8 + 2 * i]} << 8 * i;
        if (is_wide) request.lba |= std::uint64_t{c[7 + 2 * i]} << (24 + 8 * i);
      }
    } else {
      request = {.command = c[9], .count = c[4], .features = c[3], .device = c[8]};
      for (unsigned i = 0; i < 3; ++i) request.lba |= std::uint64_t{c[5 + i]} << 8 * i;
    }
  }
};

void give_sense(sg_io_hdr& io, const std::vector<unsigned char>& sense) {
  io.sb_len_wr = static_cast<unsigned char>(std::min<std::size_t>(io.mx_sb_len, sense.size()));
  std::memcpy(io.sbp, sense.data(), io.sb_len_wr);
  io.status = 2;  // CHECK CONDITION
  io.driver_status = 8;
}

void pass(Disk& disk, sg_io_hdr& io) {
  PassThrough command(io.cmdp);
  auto& driver = disk.bench.driver;
  const std::uint32_t bytes = io.dxfer_direction == SG_DXFER_NONE ? 0 : io.dxfer_len;
  command.request.data = disk.buffer;
  command.request.bytes = bytes;
  command.request.writes = io.dxfer_direction == SG_DXFER_TO_DEV;
  if (command.request.writes) std::memcpy(&driver.memory[disk.buffer], io.dxferp, bytes);
  const test::AhciAnswer answer = driver.call(command.request);
  if (!answer.ok()) driver.restart();
  if (!command.request.writes && bytes != 0) std::memcpy(io.dxferp, &driver.memory[disk.buffer], bytes);
  if (answer.ok() && !command.wants_registers) return;
  // Descriptor format, with the ATA registers: count, and LBA bytes of both halves in turn.
  const unsigned char* const fis = &driver.memory[driver.received() + 0x40];
  const bool ok = answer.ok(), wide = command.is_wide;
  give_sense(io, {0x72,    static_cast<unsigned char>(ok ? 0x01 : 0x0b),
                  0,       static_cast<unsigned char>(ok ? 0x1d : 0),
                  0,       0,
                  0,       14,
                  9,       12,
                  wide,    answer.error,
                  fis[13], fis[12],
                  fis[8],  fis[4],
                  fis[9],  fis[5],
                  fis[10], fis[6],
                  fis[7],  answer.status});
}

void serve(sg_io_hdr& io) {
  static Disk disk;
  io.status = io.masked_status = io.sb_len_wr = 0;
  io.host_status = io.driver_status = 0;
  io.resid = 0;
  const unsigned char opcode = io.cmdp[0];
  if (opcode == 0x85 || opcode == 0xa1) return pass(disk, io);
  if (opcode != 0x12) return give_sense(io, {0x70, 0, 5, 0, 0, 0, 0, 10, 0, 0, 0, 0, 0x20, 0, 0, 0, 0, 0});
  std::vector<unsigned char> inquiry{0, 0, 5, 2, 31, 0, 0, 0};
  for (const char letter : std::string("ATA     Tessera         0.1 ")) inquiry.push_back(static_cast<unsigned char>(letter));
  std::memcpy(io.dxferp, inquiry.data(), std::min<std::size_t>(io.dxfer_len, inquiry.size()));
}

}  // namespace

extern "C" __attribute__((visibility("default"))) int ioctl(int file, unsigned long request, ...) {
  va_list arguments;
  va_start(arguments, request);
  void* const argument = va_arg(arguments, void*);
  va_end(arguments);
  if (request == SG_IO) return serve(*static_cast<sg_io_hdr*>(argument)), 0;
  using Ioctl = int (*)(int, unsigned long, void*);
  static const auto next = reinterpret_cast<Ioctl>(dlsym(RTLD_NEXT, "ioctl"));
  return next(file, request, argument);
}
