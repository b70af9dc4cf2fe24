// Registers of HBA and port (AHCI 1.3.1, 3), and interrupts.
#include <utility>

#include "ahci/ahci_controller.hpp"

namespace tessera::ahci {

namespace {

constexpr std::uint64_t upper = 0xffff'ffff'0000'0000, lower = 0xffff'ffff;

enum LinkState : std::uint32_t { link_none = 0, link_reset = 1, link_up = 3, link_off = 4 };  // DET of PxSSTS and PxSCTL

}  // namespace

/// 64-bit addresses, NCQ, AHCI alone, CLO, one port.
std::uint32_t Controller::capabilities() const {
  return 1U << 31 | 1U << 30 | 1U << 24 | config_.link_generation << 20 | 1U << 18 | 1U << 15 | (config_.queue_depth - 1) << 8;
}

std::uint32_t Controller::port_interrupts() const { return raised_ | ((errors_ & error_exchanged) != 0 ? int_connect : 0U); }

std::uint32_t Controller::command_register() const {
  return (start_ ? cmd_start : 0U) | cmd_spin_up | cmd_power_on | (fis_enable_ ? cmd_fis_enable | cmd_fis_running : 0U) | current_ << 8 |
         (running_ ? cmd_running : 0U);
}

std::uint32_t Controller::link_status() const {
  if ((link_control_ & 0xf) == link_off) return link_off;
  if (link_ == Link::none) return link_none;
  return link_up | config_.link_generation << 4 | 1U << 8;  // active
}

std::uint64_t Controller::read_register(std::uint64_t offset, std::uint32_t bytes) const {
  return bytes == 8 ? read_word(offset) | std::uint64_t{read_word(offset + 4)} << 32 : read_word(offset);
}

std::uint32_t Controller::read_word(std::uint64_t offset) const {
  switch (offset) {
    case reg_cap: return capabilities();
    case reg_ghc: return ghc_ahci | (interrupts_on_ ? ghc_interrupts : 0U) | (reset_wanted_ ? ghc_reset : 0U);
    case reg_is: return is_ ? 1 : 0;
    case reg_pi: return 1;
    case reg_vs: return version;
    case reg_msi_address: return static_cast<std::uint32_t>(message_address_);
    case reg_msi_address + 4: return static_cast<std::uint32_t>(message_address_ >> 32);
    case reg_msi_data: return message_data_;
    case reg_msi_control: return uses_messages_ ? 1 : 0;
    case reg_clb: return static_cast<std::uint32_t>(list_);
    case reg_clb + 4: return static_cast<std::uint32_t>(list_ >> 32);
    case reg_fb: return static_cast<std::uint32_t>(received_);
    case reg_fb + 4: return static_cast<std::uint32_t>(received_ >> 32);
    case reg_pis: return port_interrupts();
    case reg_pie: return enabled_;
    case reg_cmd: return command_register();
    case reg_tfd: return task_file_;
    case reg_sig: return signature_;
    case reg_ssts: return link_status();
    case reg_sctl: return link_control_;
    case reg_serr: return errors_;
    case reg_sact: return active_;
    case reg_ci: return issued_;
    default: return 0;
  }
}

void Controller::write_register(std::uint64_t offset, std::uint64_t value, std::uint32_t bytes) {
  write_word(offset, static_cast<std::uint32_t>(value));
  if (bytes == 8) write_word(offset + 4, static_cast<std::uint32_t>(value >> 32));
}

void Controller::write_word(std::uint64_t offset, std::uint32_t value) {
  constexpr std::uint64_t list_base = ~std::uint64_t{0x3ff}, received_base = ~std::uint64_t{0xff};
  const std::uint32_t slots = config_.queue_depth == 32 ? ~0U : (1U << config_.queue_depth) - 1;
  switch (offset) {
    case reg_ghc:
      if ((value & ghc_reset) != 0) reset_wanted_ = true;
      interrupts_on_ = (value & ghc_interrupts) != 0;
      if (interrupts_on_ && is_) message_due_ = true;
      break;
    case reg_is:
      if ((value & 1) != 0) is_ = false;
      break;
    case reg_msi_address: message_address_ = ((message_address_ & upper) | value) & ~std::uint64_t{3}; break;
    case reg_msi_address + 4: message_address_ = (message_address_ & lower) | std::uint64_t{value} << 32; break;
    case reg_msi_data: message_data_ = value; break;
    case reg_msi_control: uses_messages_ = (value & 1) != 0; break;
    case reg_clb: list_ = ((list_ & upper) | value) & list_base; break;
    case reg_clb + 4: list_ = (list_ & lower) | std::uint64_t{value} << 32; break;
    case reg_fb: received_ = ((received_ & upper) | value) & received_base; break;
    case reg_fb + 4: received_ = (received_ & lower) | std::uint64_t{value} << 32; break;
    case reg_pis: raised_ &= ~value; break;
    case reg_pie: enabled_ = value & int_all; break;
    case reg_cmd: write_command_register(value); break;
    case reg_sctl: write_link_control(value); break;
    case reg_serr: errors_ &= ~value; break;
    case reg_sact:
      if (start_) active_ |= value & slots;
      break;
    case reg_ci:
      if (start_) issued_ |= value & slots;
      break;
    default: return;
  }
  look_at_interrupts();
}

void Controller::write_command_register(std::uint32_t value) {
  fis_enable_ = (value & cmd_fis_enable) != 0;
  if ((value & cmd_override) != 0) task_file_ &= ~std::uint32_t{status_busy | status_request};
  const bool start = (value & cmd_start) != 0;
  if (start_ && !start) stop();
  start_ = start;
}

/// COMRESET while DET is 1; the link comes up when it is 0 again.
void Controller::write_link_control(std::uint32_t value) {
  const std::uint32_t before = std::exchange(link_control_, value & 0xfff) & 0xf, now = value & 0xf;
  if (before == now) return;
  if (now == link_reset || now == link_off) {
    give_up_commands();
    in_software_reset_ = false;
    link_ = Link::none;
    task_file_ = 0x7f;
  } else if (now == link_none && has_power_cycles_) {
    connect();
  }
}

void Controller::raise(std::uint32_t bits) {
  raised_ |= bits;
  look_at_interrupts();
}

/// IS follows the port, the line follows IS; a message is due when IS is set.
void Controller::look_at_interrupts() {
  if ((port_interrupts() & enabled_) != 0 && !std::exchange(is_, true) && interrupts_on_) message_due_ = true;
  const bool wanted = interrupts_on_ && is_ && !uses_messages_;
  if (wanted != asserted_) platform_.line(wanted);
  asserted_ = wanted;
}

bool Controller::send_message() {
  if (!std::exchange(message_due_, false) || !uses_messages_) return false;
  std::byte data[4];
  put<std::uint32_t>(data, 0, message_data_);
  if (memory_.write(message_address_, data)) platform_.message(0);
  return true;
}

}  // namespace tessera::ahci
