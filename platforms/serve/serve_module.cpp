#include "platforms/serve/serve_module.hpp"

#include <algorithm>
#include <csignal>
#include <iostream>
#include <utility>

#include "base/error.hpp"
#include "platforms/drive/luns.hpp"
#include "platforms/output/output_file.hpp"

namespace tessera {

namespace {

NbdError error_of(Status status) {
  switch (status) {
    case Status::ok: return NbdError::none;
    case Status::no_space: return NbdError::no_space;
    case Status::read_only:
    case Status::zone_read_only: return NbdError::not_permitted;
    case Status::rule_violation: return NbdError::invalid;
    default: return refused(status) ? NbdError::invalid : NbdError::io;
  }
}

HostOp op_of(NbdCommand command) {
  switch (command) {
    case NbdCommand::write:
    case NbdCommand::write_zeroes: return HostOp::write;
    case NbdCommand::flush: return HostOp::flush;
    case NbdCommand::trim: return HostOp::trim;
    default: return HostOp::read;
  }
}

/// WRITE_ZEROES goes to the drive in writes of this.
constexpr std::uint64_t zeros_bytes = 1U << 20U;
/// Extents of one answer to BLOCK_STATUS.
constexpr std::size_t most_extents = 4096;

/// As many requests as the drive has tags, or wait at the queues of its units.
std::uint32_t commands_of(const DriveConfig& drive) {
  return drive.logical_units.several() ? LunQueues::most_waiting * drive.logical_units.luns : drive.host.tags;
}

double seconds(Picoseconds time) { return static_cast<double>(time.value()) * 1e-12; }

}  // namespace

ServeModule::ServeModule(sc_core::sc_module_name name, DriveModule& drive, DriveServer& server, const Pace& pace,
                         std::filesystem::path image, bool restored)
    : sc_core::sc_module(name),
      drive_(drive),
      server_(server),
      pace_(pace),
      image_file_(std::move(image)),
      host_("host", drive.timeline_module()),
      power_(drive.timeline(), drive, *this, restored),
      commands_(commands_of(drive.config())),
      restored_(restored) {
  host_.socket.bind(drive.host_socket());
  host_.set_receiver([this](HostRequest& request) { completed(request); });
  for (auto tag = static_cast<std::uint32_t>(commands_.size()); tag > 0; --tag) free_.push_back(tag - 1);
}

void ServeModule::run() {
  power_.boot();
  sc_core::sc_start();
  drive_.rethrow_failure();
}

void ServeModule::on_time(std::uint64_t event) {
  if (event == pump_sockets) {
    pump_posted_ = false;
    return pump();
  }
  end();
}

void ServeModule::stays_dead(Status status) { throw InputError(std::string("the drive did not boot: ") + to_string(status)); }

void ServeModule::gives_up() { throw InputError(PowerCycle::never_ready()); }

void ServeModule::recovered() {
  if (!std::exchange(is_open_, true)) {
    open_content();
    make_luns();
  }
  if (is_loaded_) return begin_reading_back();
  state_ = State::loading;
  if (content_.image() != nullptr) content_.image()->rewind();
  post_pump(drive_.timeline().now());
}

/// A queue for each logical unit. The drive is on.
void ServeModule::make_luns() {
  if (!drive_.config().logical_units.several()) return;
  std::vector<std::uint64_t> ends;
  for (const Bytes end : lun_ends(drive_)) ends.push_back(end.value() / host_block_bytes);
  luns_ = std::make_unique<LunQueues>(host_, drive_.timeline(), std::move(ends), drive_.config().host.tags);
  luns_->set_receiver([this](HostRequest& request) { completed(request); });
  if (run_ != nullptr) run_->watch(*luns_);
}

void ServeModule::begin_serving() {
  server_.nbd().clients().offer({.size = bytes(), .preferred = drive_.sector_shape().sector_bytes});
  server_.zones().clients().offer({.blocks = bytes() / host_block_bytes,
                                   .sector_bytes = drive_.sector_shape().sector_bytes,
                                   .zone_blocks = drive_.config().visible_zone_size() / Bytes(host_block_bytes)});
  for (const std::string& place : {server_.nbd().at().empty() ? "" : nbd_uri(server_.nbd().at()), server_.zones().at()})
    if (!place.empty()) std::cout << "serving " << bytes() << " bytes at " << place << std::endl;
  pace_.begin(drive_.timeline().now(), Pace::Clock::now());
  is_loaded_ = true;
  numbers_ = 0;
  if (run_ != nullptr) run_->begin();
  power_.serve();
  state_ = State::serving;
  post_pump(drive_.timeline().now());
}

void ServeModule::post_pump(Picoseconds when) {
  if (pump_posted_) return;
  pump_posted_ = true;
  drive_.timeline().post(when, *this, pump_sockets);
}

/// While nobody waits for the drive, simulated time stands still here, or goes with the clock.
void ServeModule::pump() {
  if (state_ == State::loading) return go_on_loading();
  if (state_ != State::serving) return;  // a cut came before; what follows it calls
  Timeline& timeline = drive_.timeline();
  server_.poll(std::chrono::nanoseconds(0));
  take_requests();
  take_signal();
  if (state_ != State::serving) return;
  while (!pace_.imposed() && idle() && !ending_) {
    server_.poll(std::nullopt);
    take_signal();
    if (state_ != State::serving) return;
    take_requests();
  }
  if (ending_ && idle()) return begin_end();
  if (!pace_.imposed()) return;  // the next answer calls
  const auto due = timeline.empty() ? std::nullopt : std::optional(timeline.next());
  const auto clock = Pace::Clock::now();
  server_.poll(due ? std::optional(pace_.until(*due, clock)) : std::nullopt);
  Picoseconds now = std::max(timeline.now(), pace_.at(Pace::Clock::now()));
  if (due) now = std::min(now, *due);
  post_pump(now);
}

void ServeModule::take_signal() {
  const int signal = server_.signal();
  if (signal == 0) return;
  if (signal == SIGUSR1) return take_snapshot();
  if (signal == SIGUSR2) return power_.cut();
  ending_ = true;
}

void ServeModule::take_snapshot() {
  if (run_ == nullptr) {
    std::cerr << "SIGUSR1 asks for the results so far, and there is no --out DIR to write them to; SIGUSR2 cuts the power" << std::endl;
    return;
  }
  try {
    run_->snapshot();
  } catch (const OutputError& error) {  // clients need not suffer for it
    std::cerr << error.what() << std::endl;
  }
}

/// In turns, so that the clients of one protocol cannot keep those of the other waiting.
void ServeModule::take_requests() {
  for (bool any = true; any;) {
    any = take_from_nbd();
    any = take_from_zones() || any;
  }
}

bool ServeModule::take_from_nbd() {
  std::uint64_t client = 0;
  NbdRequest request;
  if (!can_take() || !server_.nbd().clients().next(client, request)) return false;
  if (!answered_at_once(client, request)) issue(client, request);
  return true;
}

/// What the drive is not asked for: whether there is anything, and zeros where nothing was ever written, which is what makes them fast.
bool ServeModule::answered_at_once(std::uint64_t client, const NbdRequest& request) {
  NbdClients& clients = server_.nbd().clients();
  if (request.command == NbdCommand::block_status) {
    clients.status(client, request, content_.allocation().extents(request.offset, request.length, request.in_one ? 1 : most_extents));
  } else if (request.command == NbdCommand::write_zeroes && !request.keeps_space &&
             content_.allocation().never_written(request.offset, request.length)) {
    clients.done(client, request);
  } else if (request.command == NbdCommand::write_zeroes && request.only_if_fast) {
    clients.failed(client, request, NbdError::not_supported, "zeros are written here, which is no faster than writing");
  } else {
    return false;
  }
  ++figures_.requests;
  return true;
}

ServeModule::Command& ServeModule::take_command() {
  const std::uint32_t tag = free_.back();
  free_.pop_back();
  Command& command = commands_[tag];
  command = {};
  command.request.tag = tag;
  command.is_under_way = true;
  return command;
}

void ServeModule::release(Command& command) {
  command.is_under_way = false;
  command.request.content = {};  // up to 32 MiB
  free_.push_back(command.request.tag);
}

void ServeModule::issue(std::uint64_t client, NbdRequest& request) {
  Command& command = take_command();
  command.client = client;
  const HostOp op = op_of(request.command);
  command.then_flush = op == HostOp::trim && request.force_unit_access;
  command.request.force_unit_access = request.force_unit_access && op == HostOp::write;
  command.request.blocks = blocks_at(request.offset, request.length);
  command.request.content = std::exchange(request.data, {});
  command.asked = request;
  if (op == HostOp::write) content_.allocation().write(request.offset, request.length);
  if (request.command == NbdCommand::write_zeroes) return send_zeros(command);
  if (op == HostOp::flush) return send_flush(command);
  if (op == HostOp::read) command.request.content.assign(request.length, std::byte{0});
  send(command, op);
}

void ServeModule::send(Command& command, HostOp op) {
  command.request.op = op;
  command.request.number = numbers_++;
  command.request.status = Status::ok;
  command.request.life.begin(drive_.timeline().now());
  if (run_ != nullptr && state_ == State::serving) run_->issued();
  HostFront& front = luns_ != nullptr ? static_cast<HostFront&>(*luns_) : host_;
  front.issue(command.request);
}

void ServeModule::send_zeros(Command& command) {
  const std::uint64_t length = std::min(zeros_bytes, command.asked.length - command.done);
  command.request.blocks = blocks_at(command.asked.offset + command.done, length);
  command.request.content.assign(length, std::byte{0});
  send(command, HostOp::write);
}

void ServeModule::send_flush(Command& command) {
  command.request.blocks = {};
  command.covers = content_.flush_begins();
  send(command, HostOp::flush);
}

void ServeModule::completed(HostRequest& request) {
  power_.answered();
  Command& command = commands_[request.tag];
  if (run_ != nullptr && state_ == State::serving) run_->completed(request);
  if (state_ == State::serving && goes_on(command)) return;
  if (state_ == State::loading) {
    release(command);
    return loaded(request);
  }
  if (state_ == State::flushing) {
    flushed(command);
    release(command);
    return begin_reading_back();
  }
  if (state_ == State::reading_back) return read_back(command);
  command.zone ? answer_zones(command) : answer(command);
  release(command);
  if (!pace_.imposed()) post_pump(drive_.timeline().now());
}

/// Whether the request has a further part, which is on its way then.
bool ServeModule::goes_on(Command& command) {
  HostRequest& request = command.request;
  if (!ok(request.status)) return false;
  if (std::exchange(command.then_flush, false)) {
    send_flush(command);
    return true;
  }
  if (command.asked.command != NbdCommand::write_zeroes) return false;
  command.done += std::uint64_t{request.blocks.count} * host_block_bytes;
  if (command.done == command.asked.length) return false;
  send_zeros(command);
  return true;
}

void ServeModule::answer(Command& command) {
  const HostRequest& request = command.request;
  const NbdRequest& asked = command.asked;
  ++figures_.requests;
  const NbdError error = ok(request.status) ? keep(command) : error_of(request.status);
  if (!ok(request.status)) {
    if (request.op == HostOp::flush) content_.flush_failed(command.covers);
    if (asked.command != NbdCommand::read) content_.doubt(asked.offset, asked.length);
  }
  if (error != NbdError::none) {
    ++(refused(request.status) ? figures_.refused : figures_.failed);
    const char* const why = ok(request.status) ? "the image's journal cannot be written" : to_string(request.status);
    const bool in_one_sector = asked.command == NbdCommand::read && asked.length <= drive_.sector_shape().sector_bytes;
    return server_.nbd().clients().failed(command.client, asked, error, why, in_one_sector ? std::optional(asked.offset) : std::nullopt);
  }
  if (asked.command == NbdCommand::read) figures_.bytes_read += asked.length;
  if (op_of(asked.command) == HostOp::write) figures_.bytes_written += asked.length;
  server_.nbd().clients().done(
      command.client, asked,
      asked.command == NbdCommand::read ? std::span<const std::byte>(request.content) : std::span<const std::byte>());
}

/// What is under way is never answered, and every client loses its connection, as of a disk whose cable is pulled with the power.
void ServeModule::link_lost(Why why) {
  if (state_ == State::off) return;
  const bool cut = why == Why::cut;
  if (cut) ++figures_.power_cuts;
  std::cout << (cut ? "power cut at " : "an error of the DRAM restarts the firmware at ") << seconds(drive_.timeline().now()) << " s with "
            << commands_.size() - free_.size() << " requests under way" << std::endl;
  host_.power_lost();
  if (luns_ != nullptr) luns_->power_lost();
  server_.disconnect_all();
  if (!cut) lose_commands(why);
}

void ServeModule::power_lost(const PowerLoss& loss) {
  if (state_ == State::off) return;
  lose_commands(Why::cut);
  if (run_ != nullptr && is_loaded_ && loss.dump_failed) run_->dump_failed();
}

void ServeModule::lose_commands(Why why) {
  if (run_ != nullptr && is_loaded_) run_->lost(why, state_ == State::serving ? commands_.size() - free_.size() : 0);
  for (Command& command : commands_) {
    if (!command.is_under_way) continue;
    const HostRun& blocks = command.request.blocks;
    if (state_ == State::reading_back)
      content_.doubt(blocks.first.value() * host_block_bytes, std::uint64_t{blocks.count} * host_block_bytes);
    else if (command.asked.command != NbdCommand::read)
      content_.doubt(command.asked.offset, command.asked.length);
    release(command);
  }
  is_flushed_ = false;
  content_.power_lost();
  state_ = State::away;
}

void ServeModule::begin_end() {
  state_ = State::flushing;
  server_.say_farewell();
  Command& command = take_command();
  command.asked.command = NbdCommand::flush;
  send_flush(command);
}

void ServeModule::end_of_reading_back() {
  if (!content_.commit()) ++figures_.failed;
  if (is_flushed_) return finish();
  const Picoseconds now = std::max(drive_.timeline().now(), drive_.controller().executor().now());
  std::cout << "the drive serves again, " << seconds(now) << " s" << std::endl;
  power_.serve();
  state_ = State::serving;
  post_pump(now);
}

// --- Content ---

// The content of a served drive: from its image into the drive, and back again what the image cannot know otherwise.

namespace {

constexpr Picoseconds idle_poll{1'000'000'000};  // 1 ms

}  // namespace

HostRun ServeModule::blocks_at(std::uint64_t offset, std::uint64_t length) {
  return {HostBlock(offset / host_block_bytes), static_cast<std::uint32_t>(length / host_block_bytes)};
}

void ServeModule::open_content() {
  content_.open(image_file_, bytes());
  if (content_.image() != nullptr && content_.image()->took_in())
    std::cout << "--image " << image_file_.string() << ": the session before did not end in order; what it had flushed is taken in"
              << std::endl;
  if (restored_) content_.allocation().write(0, bytes());
}

/// The image's content goes to the drive as a client's writes would.
void ServeModule::go_on_loading() {
  std::uint64_t offset = 0;
  DiskImage* const image = content_.image();
  for (std::vector<std::byte> data; image != nullptr && !free_.empty() && image->load(drive_.sector_shape().sector_bytes, offset, data);) {
    Command& command = take_command();
    command.request.blocks = blocks_at(offset, data.size());
    command.request.content = data;
    content_.allocation().write(offset, data.size());
    send(command, HostOp::write);
  }
  if (idle()) begin_serving();
}

void ServeModule::loaded(const HostRequest& request) {
  if (!ok(request.status)) throw InputError("--image " + image_file_.string() + ": the drive cannot hold it: " + to_string(request.status));
  go_on_loading();
}

/// What the drive has done is in the image's journal before the client is told.
NbdError ServeModule::keep(const Command& command) {
  const NbdRequest& asked = command.asked;
  switch (asked.command) {
    case NbdCommand::write: return content_.wrote(asked.offset, command.request.content, asked.force_unit_access);
    case NbdCommand::write_zeroes: return content_.zeroed(asked.offset, asked.length, asked.force_unit_access);
    case NbdCommand::trim: {
      const NbdError error = content_.trimmed(asked.offset, asked.length, asked.force_unit_access);
      const NbdError flush = command.request.op == HostOp::flush ? content_.flushed(command.covers) : NbdError::none;
      return error != NbdError::none ? error : flush;
    }
    case NbdCommand::flush: return content_.flushed(command.covers);
    default: return NbdError::none;
  }
}

/// The flush at the end.
void ServeModule::flushed(const Command& command) {
  is_flushed_ = true;
  if (run_ != nullptr) run_->end();
  const Status status = command.request.status;
  const bool is_kept = content_.flushed(command.covers) == NbdError::none;
  if (!is_kept) ++figures_.failed;
  if (ok(status)) return;
  ++figures_.failed;
  is_off_ = nullptr;  // what it holds is not what was acknowledged
  std::cerr << "the flush at the end failed: " << to_string(status) << "\n";
}

void ServeModule::begin_reading_back() {
  state_ = State::reading_back;
  go_on_reading_back();
}

void ServeModule::go_on_reading_back() {
  std::uint64_t offset = 0;
  std::uint64_t length = 0;
  while (!free_.empty() && content_.take_doubtful(offset, length)) {
    Command& command = take_command();
    command.request.blocks = blocks_at(offset, length);
    command.request.content.assign(length, std::byte{0});
    send(command, HostOp::read);
  }
  if (idle()) end_of_reading_back();
}

/// Where one of several sectors cannot be read the others can.
void ServeModule::read_back(Command& command) {
  const HostRequest& request = command.request;
  const std::uint64_t offset = request.blocks.first.value() * host_block_bytes,
                      length = std::uint64_t{request.blocks.count} * host_block_bytes;
  const std::uint64_t sector = drive_.sector_shape().sector_bytes;
  if (ok(request.status)) {
    if (!content_.settle(offset, request.content)) ++figures_.failed;
  } else if (length > sector) {
    const std::uint64_t half = std::max(length / 2 / sector * sector, sector);
    content_.doubt_apart(offset, half, length);
  } else {
    std::cerr << "the drive cannot read " << length << " bytes at " << offset << " (" << to_string(request.status)
              << "): the image keeps what it has there\n";
    if (is_flushed_) ++figures_.failed;
  }
  release(command);
  go_on_reading_back();
}

void ServeModule::finish() {
  try {
    content_.finish();
  } catch (const OutputError& error) {
    ++figures_.failed;
    std::cerr << error.what() << ": the image lacks a part of what was written, which its journal holds; keep them together, and serve the "
              << "image again when there is room\n";
  }
  end();
}

/// A drive whose state is to be saved ends its background work first.
void ServeModule::end() {
  if (is_off_ && !drive_.idle()) {
    drive_.timeline().post(drive_.timeline().now() + idle_poll, *this, look_whether_idle);
    return;
  }
  if (is_off_) {
    state_ = State::off;
    power_.off();
    is_off_();
  }
  drive_.timeline_module().stop();
}

// --- Clients of the zone protocol ---

bool ServeModule::take_from_zones() {
  std::uint64_t client = 0;
  ZoneRequest request;
  if (!can_take() || !server_.zones().clients().next(client, request)) return false;
  issue(client, request);
  return true;
}

void ServeModule::issue(std::uint64_t client, ZoneRequest& request) {
  Command& command = take_command();
  const HostOp op = zone_wire::op_of(request.command);
  command.client = client;
  command.request.all_zones = request.all_zones;
  command.request.content = std::exchange(request.data, {});
  command.zone = request;
  const std::uint32_t count =
      op == HostOp::zone_report
          ? report_pages(std::min(std::uint64_t{request.count}, drive_.capacity() / drive_.config().visible_zone_size()))
          : request.count;
  command.request.blocks = {HostBlock(request.block), count};
  if (op == HostOp::write) content_.allocation().write(request.block * host_block_bytes, std::uint64_t{count} * host_block_bytes);
  if (op == HostOp::flush) return send_flush(command);
  if (op == HostOp::read) command.request.content.assign(std::size_t{count} * host_block_bytes, std::byte{0});
  send(command, op);
}

void ServeModule::answer_zones(Command& command) {
  const HostRequest& request = command.request;
  const ZoneRequest& asked = *command.zone;
  ++figures_.requests;
  if (request.op == HostOp::flush)
    ok(request.status) ? static_cast<void>(content_.flushed(command.covers)) : content_.flush_failed(command.covers);
  if (!ok(request.status)) ++(refused(request.status) ? figures_.refused : figures_.failed);
  const std::uint64_t moved = std::uint64_t{asked.count} * host_block_bytes;
  if (ok(request.status) && request.op == HostOp::read) figures_.bytes_read += moved;
  if (ok(request.status) && request.op == HostOp::write) figures_.bytes_written += moved;
  server_.zones().clients().answer(command.client, [&](ZoneConnection& connection) {
    if (!ok(request.status)) return connection.failed(asked, zone_status_of(request.status, request.op));
    if (request.op == HostOp::zone_report) return connection.reported(asked, request.zones);
    connection.done(asked, request.op == HostOp::read ? std::span<const std::byte>(request.content) : std::span<const std::byte>());
  });
}

}  // namespace tessera
