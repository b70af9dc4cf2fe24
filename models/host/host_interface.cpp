#include "host/host_interface.hpp"

#include <algorithm>

namespace tessera {

HostInterface::HostInterface(Timeline& timeline, const HostConfig& config, std::uint32_t sector_bytes, Downstream& downstream,
                             Upstream& upstream, std::uint64_t seed)
    : link_(config, signals_, seed),
      lanes_(signals_, config.tags),
      timeline_(timeline),
      config_(config),
      sector_bytes_(sector_bytes),
      window_(config.window_of(Bytes(sector_bytes))),
      downstream_(downstream),
      upstream_(upstream),
      buffer_(config.buffer.value() / sector_bytes),
      watchdog_(timeline, config.timeout, config.tags),
      crossing_(config.tags) {}

Bytes HostInterface::all_data(const HostRequest& request) const {
  if (!moves_data(request.op)) return Bytes(0);
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
  request.place.reset();
  request.zones.clear();  // an answer to what it was used for before must not pass for one to a command that never gets to the firmware
  if (!waiting_.empty() || !find_room(request)) {
    gaps_ += waiting_.empty() && buffer_.held() + buffer_need(request) / Bytes(sector_bytes_) <= buffer_.units() ? 1 : 0;
    waiting_.push_back(&request);
    waiting_depth_.set(waiting_.size(), timeline_.now());
    return;
  }
  admit(request);
}

/// Room for its data or window in one piece, or for no data.
bool HostInterface::find_room(HostRequest& request) {
  const Bytes need = buffer_need(request);
  if (need == Bytes(0)) return true;
  const auto place = buffer_.take(need / Bytes(sector_bytes_));
  if (place) request.place = *place * sector_bytes_;
  return place.has_value();
}

void HostInterface::admit(HostRequest& request) {
  const bool streams = all_data(request) > window_;
  streamed_ += streams ? 1 : 0;
  request.window = streams ? window_ : Bytes(0);
  request.piece = request.blocks;
  request.data_at_host = request.op == HostOp::write && (streams || config_.write_data == WriteData::on_request);
  LinkExtent extent = link_.framing().command(request);
  if (moves_data(request.op)) {
    const LinkExtent data = link_.framing().data(request.op, request.blocks.count);
    request.carrying = data.time;
    request.block_time = request.op == HostOp::read && config_.stream_reads && !streams
                             ? link_.framing().block_time(data, request.blocks.count)
                             : Picoseconds(0);
    request.lag = config_.read_lag;
    // As DiskSim rounds it, and as the drives for which it was published behave.
    if (request.block_time != Picoseconds(0) && config_.read_water_mark > 0)
      request.water_mark = std::max(1U, static_cast<std::uint32_t>(config_.read_water_mark * request.blocks.count));
    if (request.op == HostOp::write && !request.data_at_host) extent += data;
  }
  occupy(extent, request);
}

void HostInterface::fetch(HostRequest& request) {
  TESSERA_CHECK(request.data_at_host, "the drive asked for data that is not at the host");
  request.data_at_host = request.piece.end() < request.blocks.end();
  carry_piece(request, timeline_.now() + config_.write_data_delay);
}

void HostInterface::send(HostRequest& request) {
  TESSERA_CHECK(request.op == HostOp::read && request.window > Bytes(0), "the drive sends a piece of what it holds as a whole");
  carry_piece(request, timeline_.now());
}

void HostInterface::carry_piece(HostRequest& request, Picoseconds from) {
  if (request.window != Bytes(0)) {
    ++pieces_;
    watchdog_.moved();
  }
  const std::uint32_t blocks = request.piece.count;
  const LinkExtent data = link_.framing().data(request.op, blocks);
  const LinkSchedule::Passage passage = link_.carry(request.tag, data, from, timeline_.now());
  request.data_first = passage.begin + std::max(link_.framing().block_time(data, blocks), (passage.end - passage.begin) / blocks);
  request.data_last = passage.end;
}

void HostInterface::abort(HostRequest& request) {
  request.aborted = true;
  const auto waiting = std::find(waiting_.begin(), waiting_.end(), &request);
  if (waiting == waiting_.end()) return downstream_.abort(request);
  waiting_.erase(waiting);
  complete(request);
}

void HostInterface::complete(HostRequest& request) {
  if (request.aborted) {
    request.status = Status::aborted;
    return occupy(link_.framing().status(HostOp::flush), request);  // that of a command without data
  }
  LinkExtent extent = link_.framing().status(request.op);
  if (request.op == HostOp::read && request.window == Bytes(0)) {
    const LinkExtent data = link_.framing().data(request.op, request.blocks.count);
    if (request.block_time != Picoseconds(0))
      link_.carry(request.tag, data, request.stream_from, timeline_.now());
    else
      extent += data;
  }
  if (request.op == HostOp::zone_report) extent += link_.framing().data(HostOp::read, report_pages(request.zones.size()));
  occupy(extent, request);
}

void HostInterface::occupy(const LinkExtent& extent, HostRequest& request) {
  Picoseconds end = link_.carry(request.tag, extent, timeline_.now(), timeline_.now()).end;
  if (writes_in_order_ && request.op == HostOp::write && extent.direction == LinkDirection::to_drive)
    end = last_write_told_ = std::max(end, last_write_told_);
  crossing_[request.tag] = &request;
  timeline_.post(end, *this, std::uint64_t{request.tag} * directions + static_cast<std::uint64_t>(extent.direction));
}

void HostInterface::on_time(std::uint64_t argument) {
  HostRequest& request = *crossing_[argument / directions];
  request.life.account(LifePhase::link, timeline_.now());
  if (argument % directions == static_cast<std::uint64_t>(LinkDirection::to_drive))
    return request.aborted ? complete(request) : downstream_.arrived(request);
  if (request.place) buffer_.give_back(*request.place / sector_bytes_, buffer_need(request) / Bytes(sector_bytes_));
  watchdog_.answered(request);
  lanes_.end(request, timeline_.now());
  while (!waiting_.empty() && find_room(*waiting_.front())) {
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
  last_write_told_ = {};
  buffer_.clear();
  watchdog_.power_off();
  link_.power_off(timeline_.now());
  lanes_.power_off(timeline_.now());
  waiting_depth_.replace(0, timeline_.now());
}

void HostInterface::reset_statistics() {
  link_.reset_statistics();
  streamed_ = pieces_ = gaps_ = 0;
}

void HostInterface::report(MetricSet& metrics, LongTime elapsed) const {
  link_.report(metrics, elapsed);
  metrics.count("host.waited_for_gap", static_cast<double>(gaps_), "1",
                "commands that waited although the host buffer had bytes enough for them, but not in one place");
  metrics.count("host.streamed", static_cast<double>(streamed_), "1", "commands with more data than they may hold of the host buffer");
  if (watchdog_.overdue() > 0)
    metrics.count("host.overdue", static_cast<double>(watchdog_.overdue()), "1",
                  "commands that the drive did not answer within host.timeout");
  metrics.count("host.pieces", static_cast<double>(pieces_), "1", "pieces in which the data of such commands crossed the link");
}

}  // namespace tessera
