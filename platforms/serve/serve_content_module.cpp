// The content of a served drive: from its image into the drive, and back again what the image cannot know otherwise.
#include <algorithm>
#include <iostream>

#include "base/error.hpp"
#include "platforms/output/output_file.hpp"
#include "platforms/serve/serve_module.hpp"

namespace tessera {

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
    drive_.power_off();
    is_off_();
  }
  drive_.timeline_module().stop();
}

}  // namespace tessera
