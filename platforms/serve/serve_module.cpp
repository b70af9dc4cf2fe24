#include "platforms/serve/serve_module.hpp"

#include <csignal>
#include <iostream>
#include <utility>

#include "base/error.hpp"

namespace tessera {

namespace {

constexpr Picoseconds idle_poll{1'000'000'000};  // 1 ms

NbdError error_of(Status status) {
  switch (status) {
    case Status::ok: return NbdError::none;
    case Status::no_space: return NbdError::no_space;
    case Status::read_only: return NbdError::not_permitted;
    case Status::rule_violation: return NbdError::invalid;
    default: return NbdError::io;
  }
}

HostOp op_of(NbdCommand command) {
  switch (command) {
    case NbdCommand::write: return HostOp::write;
    case NbdCommand::flush: return HostOp::flush;
    case NbdCommand::trim: return HostOp::trim;
    default: return HostOp::read;
  }
}

double seconds(Picoseconds time) { return static_cast<double>(time.value()) * 1e-12; }

}  // namespace

ServeModule::ServeModule(sc_core::sc_module_name name, DriveModule& drive, NbdServer& server, const Pace& pace, std::filesystem::path image)
    : sc_core::sc_module(name),
      drive_(drive),
      server_(server),
      pace_(pace),
      image_file_(std::move(image)),
      host_("host", drive.timeline_module()),
      commands_(drive.config().host.tags) {
  host_.socket.bind(drive.host_socket());
  host_.set_receiver([this](HostRequest& request) { completed(request); });
  for (std::uint32_t tag = drive.config().host.tags; tag > 0; --tag) free_.push_back(tag - 1);
  drive_.on_memory_error([this] { cut_power(); });
}

void ServeModule::run() {
  drive_.power_on(restored_, [this](Status status) { booted(status); });
  sc_core::sc_start();
  drive_.timeline_module().rethrow_failure();
}

void ServeModule::on_time(std::uint64_t event) {
  if (event == pump_sockets) {
    pump_posted_ = false;
    return pump();
  }
  if (event == look_whether_idle) return end();
  drive_.power_on(true, [this](Status status) { booted(status); });
}

void ServeModule::booted(Status status) {
  if (!ok(status)) throw InputError(std::string("the drive did not boot: ") + to_string(status));
  const Picoseconds answers = drive_.controller().executor().now();  // the boot task ran ahead by its CPU time
  if (state_ == State::starting) {
    const std::uint64_t bytes = drive_.firmware().user_sectors() * drive_.sector_shape().sector_bytes;
    if (!image_file_.empty()) image_ = std::make_unique<DiskImage>(image_file_, bytes);
    state_ = State::loading;
  } else {
    std::cout << "the drive serves again, " << seconds(answers) << " s" << std::endl;
    state_ = State::serving;
  }
  post_pump(answers);
}

/// The image's content goes to the drive as a client's writes would.
void ServeModule::go_on_loading() {
  std::uint64_t offset = 0;
  for (std::vector<std::byte> data; image_ != nullptr && !free_.empty() && image_->load(offset, data);) {
    Command& command = take_command();
    command.request.blocks = {HostBlock(offset / host_block_bytes), static_cast<std::uint32_t>(data.size() / host_block_bytes)};
    command.request.content = data;
    send(command, HostOp::write);
  }
  if (idle()) begin_serving();
}

void ServeModule::begin_serving() {
  const std::uint32_t sector = drive_.sector_shape().sector_bytes;
  const std::uint64_t bytes = drive_.firmware().user_sectors() * sector;
  server_.offer({.size = bytes, .preferred = sector});
  std::cout << "serving " << bytes << " bytes at " << server_.uri() << std::endl;
  pace_.begin(drive_.timeline().now(), Pace::Clock::now());
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
  if (signal == SIGUSR1) return cut_power();
  ending_ = true;
}

void ServeModule::take_requests() {
  std::uint64_t client = 0;
  for (NbdRequest request; state_ == State::serving && !ending_ && !free_.empty() && server_.next(client, request);) issue(client, request);
}

ServeModule::Command& ServeModule::take_command() {
  const std::uint32_t tag = free_.back();
  free_.pop_back();
  Command& command = commands_[tag];
  command = {};
  command.request.tag = tag;
  return command;
}

void ServeModule::issue(std::uint64_t client, NbdRequest& request) {
  Command& command = take_command();
  command.client = client;
  command.cookie = request.cookie;
  const HostOp op = op_of(request.command);
  command.then_flush = op == HostOp::trim && request.force_unit_access;
  command.request.force_unit_access = request.force_unit_access && op == HostOp::write;
  command.request.blocks = {HostBlock(request.offset / host_block_bytes), static_cast<std::uint32_t>(request.length / host_block_bytes)};
  command.request.content = std::move(request.data);
  if (op == HostOp::read) command.request.content.assign(request.length, std::byte{0});
  send(command, op);
}

void ServeModule::send(Command& command, HostOp op) {
  command.request.op = op;
  command.request.number = numbers_++;
  command.request.status = Status::ok;
  command.request.life.begin(drive_.timeline().now());
  host_.issue(command.request);
}

void ServeModule::completed(HostRequest& request) {
  Command& command = commands_[request.tag];
  if (ok(request.status) && std::exchange(command.then_flush, false)) {
    request.blocks = {};
    return send(command, HostOp::flush);
  }
  free_.push_back(request.tag);
  if (state_ == State::loading) return loaded(request);
  if (state_ == State::flushing || state_ == State::saving) return saved(request);
  ++figures_.requests;
  if (!ok(request.status)) ++figures_.failed;
  const std::uint64_t bytes = std::uint64_t{request.blocks.count} * host_block_bytes;
  if (request.op == HostOp::read) figures_.bytes_read += bytes;
  if (request.op == HostOp::write) figures_.bytes_written += bytes;
  if (image_ != nullptr && request.op != HostOp::read) image_->mark(request.blocks.first.value() * host_block_bytes, bytes);
  const bool brings = request.op == HostOp::read && ok(request.status);
  server_.reply(command.client, command.cookie, error_of(request.status),
                brings ? std::span<const std::byte>(request.content) : std::span<const std::byte>());
  if (!pace_.imposed()) post_pump(drive_.timeline().now());
}

/// What is under way is never answered, and every client loses its connection, as of a disk whose cable is pulled with the power.
void ServeModule::cut_power() {
  const Picoseconds now = drive_.timeline().now();
  ++figures_.power_cuts;
  std::cout << "power cut at " << seconds(now) << " s with " << commands_.size() - free_.size() << " requests under way" << std::endl;
  host_.power_lost();
  server_.disconnect_all();
  drive_.power_off();
  free_.clear();
  for (std::uint32_t tag = static_cast<std::uint32_t>(commands_.size()); tag > 0; --tag) free_.push_back(tag - 1);
  state_ = State::outage;
  drive_.timeline().post(now + drive_.restart_delay(), *this, boot_again);
}

void ServeModule::begin_end() {
  state_ = State::flushing;
  server_.disconnect_all();
  send(take_command(), HostOp::flush);
}

void ServeModule::loaded(const HostRequest& request) {
  if (!ok(request.status)) throw InputError("--image " + image_file_.string() + ": the drive cannot hold it: " + to_string(request.status));
  go_on_loading();
}

/// The flush at the end, or a chunk on its way into the image.
void ServeModule::saved(const HostRequest& request) {
  if (!ok(request.status)) {
    ++figures_.failed;
    if (state_ == State::flushing) is_off_ = nullptr;  // what it holds is not what was acknowledged
    std::cerr << (state_ == State::saving ? "not kept in the image" : "the flush at the end failed") << ": " << to_string(request.status)
              << "\n";
  } else if (request.op == HostOp::read) {
    image_->store(request.blocks.first.value() * host_block_bytes, request.content);
  }
  state_ = State::saving;
  go_on_saving();
}

void ServeModule::go_on_saving() {
  std::uint64_t offset = 0;
  std::uint64_t length = 0;
  while (image_ != nullptr && !free_.empty() && image_->take_marked(offset, length)) {
    Command& command = take_command();
    command.request.blocks = {HostBlock(offset / host_block_bytes), static_cast<std::uint32_t>(length / host_block_bytes)};
    command.request.content.assign(length, std::byte{0});
    send(command, HostOp::read);
  }
  if (idle()) end();
}

/// A drive whose state is to be saved ends its background work first.
void ServeModule::end() {
  if (is_off_ && !drive_.idle()) {
    drive_.timeline().post(drive_.timeline().now() + idle_poll, *this, look_whether_idle);
    return;
  }
  if (is_off_) {
    drive_.power_off();
    is_off_();
  }
  drive_.timeline_module().stop();
}

}  // namespace tessera
