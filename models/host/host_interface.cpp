#include "host/host_interface.hpp"

#include <algorithm>

namespace tessera {

HostInterface::HostInterface(Timeline& timeline, const HostConfig& config, std::uint32_t sector_bytes, Downstream& downstream,
                             Upstream& upstream, std::uint64_t seed)
    : lanes_(signals_, config.tags),
      timeline_(timeline),
      config_(config),
      sector_bytes_(sector_bytes),
      window_(config.window_of(Bytes(sector_bytes))),
      downstream_(downstream),
      upstream_(upstream),
      watchdog_(timeline, config.timeout, config.tags) {
  if (LinkFaults::any(config)) faults_.emplace(config, seed);
}

Bytes HostInterface::all_data(const HostRequest& request) const {
  if (request.op != HostOp::read && request.op != HostOp::write) return Bytes(0);
  // Whole sectors that enclose the blocks, as the controller buffers them.
  const std::uint64_t blocks = sector_bytes_ / host_block_bytes;
  const std::uint64_t first = request.blocks.first.value() / blocks;
  const std::uint64_t end = (request.blocks.end().value() + blocks - 1) / blocks;
  return Bytes((end - first) * sector_bytes_);
}

void HostInterface::issue(HostRequest& request) {
  TESSERA_CHECK(request.tag < config_.tags, "the host used a tag that the drive does not have");
  TESSERA_CHECK(!watchdog_.in_use(request.tag), "the host used a tag for two commands at once");
  watchdog_.issued(request);
  lanes_.begin(request, timeline_.now());
  if (!waiting_.empty() || buffered_ + buffer_need(request) > config_.buffer) {
    waiting_.push_back(&request);
    waiting_depth_.set(waiting_.size(), timeline_.now());
    return;
  }
  admit(request);
}

void HostInterface::admit(HostRequest& request) {
  buffered_ += buffer_need(request);
  const bool streams = all_data(request) > window_;
  streamed_ += streams ? 1 : 0;
  request.window = streams ? window_ : Bytes(0);
  request.piece = request.blocks;
  request.data_at_host = request.op == HostOp::write && (streams || config_.write_data == WriteData::on_request);
  request.block_time = request.op == HostOp::read && config_.stream_reads && !streams
                           ? transfer_time(Bytes(host_block_bytes), config_.link_rate)
                           : Picoseconds(0);
  request.carrying = data_time(request.blocks);
  occupy(command_time(request), request, down);
}

Picoseconds HostInterface::command_time(const HostRequest& request) const {
  const bool with_data = request.op == HostOp::write && !request.data_at_host;
  return with_data ? config_.command_overhead + data_time(request.blocks) : config_.command_overhead;
}

Picoseconds HostInterface::data_time(const HostRun& blocks) const {
  return transfer_time(Bytes(std::uint64_t{blocks.count} * host_block_bytes), config_.link_rate);
}

void HostInterface::fetch(HostRequest& request) {
  TESSERA_CHECK(request.data_at_host, "the drive asked for data that is not at the host");
  request.data_at_host = request.piece.end() < request.blocks.end();
  const Picoseconds data = data_time(request.piece);
  carry(request, down, timeline_.now(), data);
  request.data_last = link_free_;
  request.data_first = link_free_ - data + transfer_time(Bytes(host_block_bytes), config_.link_rate);
  note_piece(request);
}

void HostInterface::send(HostRequest& request) {
  TESSERA_CHECK(request.op == HostOp::read && request.window > Bytes(0), "the drive sends a piece of what it holds as a whole");
  carry(request, up, timeline_.now(), data_time(request.piece));
  request.data_last = link_free_;
  note_piece(request);
}

void HostInterface::note_piece(const HostRequest& request) {
  if (request.window == Bytes(0)) return;
  ++pieces_;
  watchdog_.moved();
}

void HostInterface::abort(HostRequest& request) {
  request.aborted = true;
  const auto waiting = std::find(waiting_.begin(), waiting_.end(), &request);
  if (waiting == waiting_.end()) return downstream_.abort(request);
  waiting_.erase(waiting);
  buffered_ += buffer_need(request);  // its end gives this back
  complete(request);
}

void HostInterface::complete(HostRequest& request) {
  Picoseconds time = config_.completion_overhead;
  if (request.aborted) {
    request.status = Status::aborted;
  } else if (request.op == HostOp::read) {
    time += config_.read_completion_overhead;
    if (request.block_time != Picoseconds(0))
      carry(request, up, request.stream_from, data_time(request.blocks));
    else if (request.window == Bytes(0))
      time += data_time(request.blocks);
  }
  occupy(time, request, up);
}

/// A frame that the link carries from `from` on, or as soon as it is free.
void HostInterface::carry(const HostRequest& request, Direction direction, Picoseconds from, Picoseconds duration) {
  const Picoseconds begin = std::max(link_free_, from);
  link_free_ = faults_ ? faults_->carry(begin, duration) : begin + duration;
  busy_ += link_free_ - begin;
  const Picoseconds shown = std::max(begin, timeline_.now());  // of a streamed read what is still to come
  if (link_free_ <= shown) return;
  link_.set(direction == down ? 1 : 2, shown);
  link_tag_.set(request.tag, shown);
  link_.set(0, link_free_);
}

void HostInterface::occupy(Picoseconds duration, HostRequest& request, Direction direction) {
  carry(request, direction, timeline_.now(), duration);
  timeline_.post(link_free_, *this, reinterpret_cast<std::uint64_t>(&request) | direction);
}

void HostInterface::on_time(std::uint64_t argument) {
  auto& request = *reinterpret_cast<HostRequest*>(argument & ~std::uint64_t{up});
  request.life.account(LifePhase::link, timeline_.now());
  if ((argument & up) == 0) return request.aborted ? complete(request) : downstream_.arrived(request);
  buffered_ -= buffer_need(request);
  watchdog_.answered(request);
  lanes_.end(request, timeline_.now());
  while (!waiting_.empty() && buffered_ + buffer_need(*waiting_.front()) <= config_.buffer) {
    HostRequest& next = *waiting_.front();
    waiting_.pop_front();
    waiting_depth_.set(waiting_.size(), timeline_.now());
    admit(next);
  }
  upstream_.completed(request);
}

void HostInterface::power_off() {
  timeline_.withdraw(*this);
  waiting_.clear();
  buffered_ = Bytes(0);
  watchdog_.power_off();
  link_free_ = timeline_.now();
  lanes_.power_off(link_free_);
  for (const Signal signal : {link_, waiting_depth_}) signal.replace(0, link_free_);
}

void HostInterface::reset_statistics() {
  busy_ = Picoseconds(0);
  streamed_ = pieces_ = 0;
}

void HostInterface::report(MetricSet& metrics, Picoseconds elapsed) const {
  metrics.add("link.utilisation", share_of(busy_, elapsed), "1",
              "share of the measured time in which the host link was busy, or down under a frame");
  metrics.count("host.streamed", static_cast<double>(streamed_), "1", "commands with more data than they may hold of the host buffer");
  metrics.count("host.pieces", static_cast<double>(pieces_), "1", "pieces in which the data of such commands crossed the link");
  if (faults_) faults_->report(metrics);
}

}  // namespace tessera
