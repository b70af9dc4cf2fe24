#pragma once
// Registers and structures in memory of an HBA (Serial ATA AHCI Specification 1.3.1, 3 and 4). There is one port.
#include <cstdint>

namespace tessera::ahci {

enum Register : std::uint32_t {
  reg_cap = 0x00,
  reg_ghc = 0x04,
  reg_is = 0x08,
  reg_pi = 0x0c,
  reg_vs = 0x10,
  // The message of MSI, which a PCI function has in its configuration space: ours lies among the vendor's registers.
  reg_msi_address = 0xa0,
  reg_msi_data = 0xa8,
  reg_msi_control = 0xac,  // bit 0: messages in place of the line
  reg_port = 0x100,
  reg_clb = reg_port + 0x00,
  reg_fb = reg_port + 0x08,
  reg_pis = reg_port + 0x10,
  reg_pie = reg_port + 0x14,
  reg_cmd = reg_port + 0x18,
  reg_tfd = reg_port + 0x20,
  reg_sig = reg_port + 0x24,
  reg_ssts = reg_port + 0x28,
  reg_sctl = reg_port + 0x2c,
  reg_serr = reg_port + 0x30,
  reg_sact = reg_port + 0x34,
  reg_ci = reg_port + 0x38,
  reg_end = 0x1000,
};

inline constexpr std::uint32_t version = 0x0001'0301;

enum GhcBit : std::uint32_t { ghc_reset = 1, ghc_interrupts = 2, ghc_ahci = 1U << 31 };

/// PxIS and PxIE.
enum PortInterrupt : std::uint32_t {
  int_d2h = 1U << 0,          // DHRS
  int_pio = 1U << 1,          // PSS
  int_device_bits = 1U << 3,  // SDBS
  int_descriptor = 1U << 5,   // DPS
  int_connect = 1U << 6,      // PCS: as PxSERR.DIAG.X
  int_phy = 1U << 22,         // PRCS: as PxSERR.DIAG.N
  int_overflow = 1U << 24,    // OFS
  int_interface = 1U << 27,   // IFS: a FIS that the drive cannot take
  int_host_bus = 1U << 29,    // HBFS: the platform refused an access
  int_task_file = 1U << 30,   // TFES
  int_all = 0x7dc0'007f,      // without switches of presence (DMPS, CPDS), which there are none of
};

enum CommandBit : std::uint32_t {  // PxCMD
  cmd_start = 1U << 0,
  cmd_spin_up = 1U << 1,
  cmd_power_on = 1U << 2,
  cmd_override = 1U << 3,  // CLO
  cmd_fis_enable = 1U << 4,
  cmd_fis_running = 1U << 14,
  cmd_running = 1U << 15,
  cmd_kept = 3U << 24,  // ATAPI, DLAE: what the host writes, without effect
};

enum LinkState : std::uint32_t { link_none = 0, link_reset = 1, link_up = 3, link_off = 4 };  // DET of PxSSTS and PxSCTL
enum LinkError : std::uint32_t { error_phy = 1U << 16, error_exchanged = 1U << 26 };          // PxSERR.DIAG.N, X

/// A command header (4.2.2).
inline constexpr std::size_t header_bytes = 32;
enum HeaderBit : std::uint32_t { header_length = 0x1f, header_write = 1U << 6, header_clear_busy = 1U << 10 };
inline constexpr std::size_t header_count_at = 4;  // PRDBC

/// A command table (4.2.3): the FIS, and from `regions_at` on the regions of physical memory (PRDT).
inline constexpr std::size_t regions_at = 0x80;
inline constexpr std::size_t region_bytes = 16;

/// The area for received FISes (4.2.1).
enum Received : std::uint32_t { received_dma_setup = 0x00, received_pio_setup = 0x20, received_d2h = 0x40, received_device_bits = 0x58 };

}  // namespace tessera::ahci
