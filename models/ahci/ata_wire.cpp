#include "ahci/ata_wire.hpp"

namespace tessera::ahci {

namespace {

constexpr unsigned interrupt_bit = 1U << 6, to_host_bit = 1U << 5;

}  // namespace

AtaCommand decode(std::span<const std::byte> fis) {
  AtaCommand command;
  command.is_command = (get<std::uint8_t>(fis, 1) & 0x80) != 0;
  command.command = get<std::uint8_t>(fis, 2);
  command.features = static_cast<std::uint16_t>(get<std::uint8_t>(fis, 3) | get<std::uint8_t>(fis, 11) << 8);
  const std::uint64_t low = get<std::uint32_t>(fis, 4) & 0xff'ffff, high = get<std::uint32_t>(fis, 8) & 0xff'ffff;
  command.lba = low | high << 24;
  command.device = get<std::uint8_t>(fis, 7);
  command.count = get<std::uint16_t>(fis, 12);
  command.control = get<std::uint8_t>(fis, 15);
  return command;
}

void put_address(std::span<std::byte> bytes, const TaskFile& file) {
  put<std::uint32_t>(bytes, 4, static_cast<std::uint32_t>(file.lba & 0xff'ffff) | std::uint32_t{file.device} << 24);
  put<std::uint32_t>(bytes, 8, static_cast<std::uint32_t>(file.lba >> 24 & 0xff'ffff));
  put<std::uint16_t>(bytes, 12, file.count);
}

std::vector<std::byte> d2h_fis(const TaskFile& file, bool interrupt) {
  std::vector<std::byte> fis(20);
  put<std::uint8_t>(fis, 0, fis_d2h);
  put<std::uint8_t>(fis, 1, interrupt ? interrupt_bit : 0);
  put<std::uint8_t>(fis, 2, file.status);
  put<std::uint8_t>(fis, 3, file.error);
  put_address(fis, file);
  return fis;
}

std::vector<std::byte> device_bits_fis(std::uint8_t status, std::uint8_t error, std::uint32_t tags, bool interrupt) {
  std::vector<std::byte> fis(8);
  put<std::uint8_t>(fis, 0, fis_device_bits);
  put<std::uint8_t>(fis, 1, interrupt ? interrupt_bit : 0);
  put<std::uint8_t>(fis, 2, status & 0x77);  // BSY and DRQ are not in it
  put<std::uint8_t>(fis, 3, error);
  put<std::uint32_t>(fis, 4, tags);
  return fis;
}

std::vector<std::byte> dma_setup_fis(std::uint32_t tag, bool to_host, std::uint32_t bytes) {
  std::vector<std::byte> fis(28);
  put<std::uint8_t>(fis, 0, fis_dma_setup);
  put<std::uint8_t>(fis, 1, to_host ? to_host_bit : 0);
  put<std::uint32_t>(fis, 4, tag);
  put<std::uint32_t>(fis, 20, bytes);
  return fis;
}

std::vector<std::byte> pio_setup_fis(const TaskFile& file, bool to_host, bool interrupt, std::uint8_t end_status, std::uint32_t bytes) {
  std::vector<std::byte> fis(20);
  put<std::uint8_t>(fis, 0, fis_pio_setup);
  put<std::uint8_t>(fis, 1, static_cast<std::uint8_t>((to_host ? to_host_bit : 0) | (interrupt ? interrupt_bit : 0)));
  put<std::uint8_t>(fis, 2, file.status);
  put<std::uint8_t>(fis, 3, file.error);
  put_address(fis, file);
  put<std::uint8_t>(fis, 15, end_status);
  put<std::uint16_t>(fis, 16, static_cast<std::uint16_t>(bytes));
  return fis;
}

}  // namespace tessera::ahci
