// A drive whose firmware runs on Unicorn, or on the drive's own hart, and a host that writes, reads every sector back and prints what it
// saw.
//   foreign_core DRIVE.toml LAYER IMAGE.elf unicorn|hart [PARAMETER=VALUE...]
#include <tlm_utils/simple_initiator_socket.h>

#include <cstdio>
#include <cstring>
#include <iostream>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "tessera/platforms/drive/drive_image.hpp"
#include "tessera/platforms/drive/drive_module.hpp"
#include "unicorn_core.hpp"

struct Host : sc_core::sc_module {
  tlm_utils::simple_initiator_socket<Host> socket{"socket"};
  tessera::DriveModule& drive;
  std::vector<unsigned char> written;  // what each byte is to be
  unsigned refused = 0;
  unsigned lost = 0;  // transfers, to the power cut
  bool ready = false;
  std::uint64_t differing = 0, digest = 0xcbf2'9ce4'8422'2325;

  Host(sc_core::sc_module_name name, tessera::DriveModule& of) : sc_module(name), drive(of) {
    SC_HAS_PROCESS(Host);
    SC_THREAD(run);
    SC_THREAD(cut);
  }
  void power_on(bool again) {
    drive.power_on(again, [this](tessera::Status status) { ready = status == tessera::Status::ok; });
  }
  void cut() {
    wait(cut_);
    drive.timeline_module().catch_up();
    ready = false;
    drive.power_off();
    wait(1, sc_core::SC_SEC);
    power_on(true);
  }
  void transfer(tlm::tlm_command command, std::uint64_t at, unsigned char* data, std::uint64_t bytes) {
    tlm::tlm_generic_payload payload;
    payload.set_command(command);
    payload.set_address(at);
    payload.set_data_ptr(data);
    payload.set_data_length(static_cast<unsigned>(bytes));
    payload.set_streaming_width(static_cast<unsigned>(bytes));
    sc_core::sc_time delay = sc_core::SC_ZERO_TIME;
    socket->b_transport(payload, delay);
    wait(delay);
    if (!payload.is_response_ok()) ++refused;
  }
  static constexpr std::uint64_t block = 4096, piece = 1 << 20;
  static constexpr unsigned writes = 1500, cut_in = 700;

  /// False where the power fails.
  bool write_all(bool with_cut) {
    while (!ready) wait(1, sc_core::SC_MS);
    written.assign(drive.firmware().user_sectors() * block, 0);
    std::uint64_t random = 1;
    const auto draw = [&random](std::uint64_t below) {
      random = random * 6'364'136'223'846'793'005 + 1;
      return (random >> 33) % below;
    };
    for (unsigned i = 0; i < writes; ++i) {
      const std::uint64_t bytes = block * (1 + draw(24)), at = draw((written.size() - bytes) / block) * block;
      for (std::uint64_t b = 0; b < bytes; ++b) written[at + b] = static_cast<unsigned char>((at + b) * 2'654'435'761 >> 9 ^ i);
      if (with_cut && i == cut_in) cut_.notify(5, sc_core::SC_US);
      transfer(tlm::TLM_WRITE_COMMAND, at, &written[at], bytes);
      if (with_cut && refused != 0) return false;
    }
    return true;
  }
  void run() {
    write_all(true);
    lost = std::exchange(refused, 0);
    write_all(false);
    std::vector<unsigned char> read(piece);
    for (std::uint64_t at = 0; at < written.size(); at += piece) {
      const std::uint64_t bytes = std::min<std::uint64_t>(piece, written.size() - at);
      transfer(tlm::TLM_READ_COMMAND, at, read.data(), bytes);
      for (std::uint64_t b = 0; b < bytes; ++b) digest = (digest ^ read[b]) * 0x100'0000'01b3;
      for (std::uint64_t b = 0; b < bytes; b += block) differing += std::memcmp(&read[b], &written[at + b], block) != 0 ? 1 : 0;
    }
    sc_core::sc_stop();
  }
  sc_core::sc_event cut_;
};

int run(const std::vector<std::string>& words) {
  const std::string layer = words[1], file = words[2];
  const bool on_unicorn = words[3] == "unicorn";
  tessera::DriveConfig config = tessera::load_drive(words[0], {words.begin() + 4, words.end()}, layer);
  const FirmwareImage image(file);
  tessera::DriveParts parts;
  if (on_unicorn)
    parts.processor = tessera::ProcessorPart{tessera::Bytes(image.end - 0x8000'0000)};
  else
    tessera::load_image(config, file, layer);
  tessera::DriveModule drive("drive", config, tessera::plan_drive(config), tessera::ContentMode::bytes, 1, std::move(parts));
  std::unique_ptr<UnicornCore> core;
  sc_core::sc_signal<bool> interrupt("interrupt"), reset("reset");
  if (on_unicorn) {
    core = std::make_unique<UnicornCore>("core", image, tessera::to_sc_time(tessera::period(config.controller.clock)), 1000);
    core->socket.bind(drive.processor_port().socket);
    drive.processor_port().interrupt.bind(interrupt);
    drive.processor_port().reset.bind(reset);
    core->interrupt.bind(interrupt);
    core->reset.bind(reset);
  }
  Host host("host", drive);
  host.socket.bind(drive.block_socket());
  host.power_on(false);
  sc_core::sc_start();
  drive.timeline_module().rethrow_failure();
  std::printf("sectors: %llu, digest %016llx, %llu differ from what was written; %u transfer lost to the power cut, %u refused\n",
              static_cast<unsigned long long>(host.written.size() / 4096), static_cast<unsigned long long>(host.digest),
              static_cast<unsigned long long>(host.differing), host.lost, host.refused);
  std::printf("simulated: %s\n", sc_core::sc_time_stamp().to_string().c_str());
  if (core != nullptr)
    std::printf("Unicorn: %u boots, %llu instructions at %.1f million per CPU-second, registers apart\n", core->boots,
                static_cast<unsigned long long>(core->instructions),
                static_cast<double>(core->instructions) / core->processor_seconds / 1e6);
  return host.differing == 0 && host.refused == 0 ? 0 : 1;
}

int sc_main(int count, char* words[]) {
  const std::string how = count > 4 ? words[4] : "";
  if (how != "unicorn" && how != "hart") {
    std::cerr << "usage: foreign_core DRIVE.toml LAYER IMAGE.elf unicorn|hart [PARAMETER=VALUE...]\n";
    return 2;
  }
  try {
    return run({words + 1, words + count});
  } catch (const std::exception& failed) {
    std::cerr << "foreign_core: " << failed.what() << "\n";
    return 1;
  }
}
