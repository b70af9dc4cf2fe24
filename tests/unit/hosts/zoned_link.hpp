#pragma once
// A drive with zones in a few lines, below a translating host: it holds content, keeps to the rules of zones and refuses what breaks them.
// A command takes a drawn time; those of one zone end in the order in which they came. A power cut leaves any part of what was under way.
#include <functional>
#include <list>
#include <set>
#include <vector>

#include "base/check.hpp"
#include "base/random.hpp"
#include "stimuli/hosts/translating_host.hpp"

namespace tessera::test {

class ZonedLink final : public HostLink, private TimelineListener {
 public:
  ZonedLink(Timeline& timeline, const DriveZones& shape, std::uint64_t seed)
      : timeline_(timeline),
        shape_(shape),
        random_(seed, "zoned_link"),
        zones_(shape.zones),
        content_(shape.zones * shape.zone_sectors * sector_bytes()) {}

  std::function<void(HostRequest&)> answer;
  std::uint64_t refused = 0;
  std::uint64_t resets = 0;
  std::set<std::uint64_t> unreadable;   ///< sectors of the drive, until they are written
  std::set<std::uint64_t> unread_once;  ///< sectors whose first read from now on fails

  /// Written from the start, with zeros.
  void prefill(std::uint64_t sectors) {
    for (std::uint32_t zone = shape_.conventional; zone < shape_.zones; ++zone)
      if (sectors > zone * shape_.zone_sectors)
        zones_[zone].accepted = zones_[zone].written = std::min(shape_.zone_sectors, sectors - zone * shape_.zone_sectors);
  }

  void issue(HostRequest& request) override {
    request.status = admit(request);
    refused += ok(request.status) ? 0 : 1;
    const std::uint64_t zone = zone_of(request);
    Picoseconds end = timeline_.now() + Picoseconds(1'000'000 + random_.below(2'000'000'000));
    Picoseconds& last = zones_[zone].last;
    if (request.op == HostOp::write || request.op == HostOp::zone_reset) last = end = std::max(end, last + Picoseconds(1));
    if (request.op == HostOp::read) last = std::max(last, end);
    under_way_.push_back(&request);
    timeline_.post(end, *this, reinterpret_cast<std::uint64_t>(&request));
  }
  void abort(HostRequest&) override { TESSERA_CHECK(false, "nobody aborts here"); }

  /// Nothing is under way.
  [[nodiscard]] bool quiet() const { return under_way_.empty(); }

  /// Ends what is under way, in part.
  void cut() {
    timeline_.withdraw(*this);
    std::vector<bool> torn(shape_.zones);
    for (HostRequest* const request : under_way_) {
      const std::uint64_t zone = zone_of(*request);
      if (!ok(request->status) || torn[zone]) continue;
      if (request->op == HostOp::zone_reset && random_.below(2) == 0) carry_out(*request);
      if (request->op != HostOp::write) continue;
      const std::uint64_t sectors = request->blocks.count / shape_.sector_blocks;
      const std::uint64_t done = random_.below(sectors + 1);
      store(*request, done);
      torn[zone] = done < sectors && zone >= shape_.conventional;
    }
    under_way_.clear();
    for (Zone& zone : zones_) zone = {zone.written, zone.written, Picoseconds(0)};
  }

 private:
  struct Zone {
    std::uint64_t accepted = 0;
    std::uint64_t written = 0;
    Picoseconds last;
  };
  [[nodiscard]] std::size_t sector_bytes() const { return std::size_t{shape_.sector_blocks} * kept_per_block(shape_.content); }
  [[nodiscard]] std::uint64_t first_sector(const HostRequest& request) const { return request.blocks.first.value() / shape_.sector_blocks; }
  [[nodiscard]] std::uint64_t zone_of(const HostRequest& request) const { return first_sector(request) / shape_.zone_sectors; }

  Status admit(const HostRequest& request) {
    const std::uint64_t number = zone_of(request);
    Zone& zone = zones_[number];
    if (request.op == HostOp::zone_reset) {
      if (number < shape_.conventional || request.blocks.first.value() % (shape_.zone_sectors * shape_.sector_blocks) != 0)
        return Status::invalid_field;
      zone.accepted = 0;
      return Status::ok;
    }
    if (!moves_data(request.op)) return Status::ok;
    const std::uint64_t first = first_sector(request) % shape_.zone_sectors;
    const std::uint64_t sectors = (request.blocks.count + shape_.sector_blocks - 1) / shape_.sector_blocks;
    if (request.op == HostOp::read)
      return number < shape_.conventional || first + sectors <= zone.written ? Status::ok : Status::invalid_read;
    if (number < shape_.conventional) return Status::ok;
    if (first != zone.accepted || request.blocks.count % shape_.sector_blocks != 0) return Status::unaligned_write;
    if (first + sectors > shape_.zone_sectors) return Status::write_boundary;
    zone.accepted += sectors;
    return Status::ok;
  }

  void store(const HostRequest& request, std::uint64_t sectors) {
    const auto to = content_.begin() + static_cast<std::ptrdiff_t>(first_sector(request) * sector_bytes());
    std::copy_n(request.content.begin(), sectors * sector_bytes(), to);
    const std::uint64_t first = first_sector(request);
    unreadable.erase(unreadable.lower_bound(first), unreadable.lower_bound(first + sectors));
    if (zone_of(request) >= shape_.conventional) zones_[zone_of(request)].written += sectors;
  }

  [[nodiscard]] bool readable(const HostRequest& request) const {
    const auto first = unreadable.lower_bound(first_sector(request));
    return first == unreadable.end() || *first >= (request.blocks.end().value() + shape_.sector_blocks - 1) / shape_.sector_blocks;
  }

  bool first_read(const HostRequest& request) {
    const auto first = unread_once.lower_bound(first_sector(request));
    const auto end = unread_once.lower_bound((request.blocks.end().value() + shape_.sector_blocks - 1) / shape_.sector_blocks);
    const bool found = first != end;
    unread_once.erase(first, end);
    return found;
  }

  void carry_out(HostRequest& request) {
    const std::size_t kept = kept_per_block(shape_.content);
    if (request.op == HostOp::write) store(request, request.blocks.count / shape_.sector_blocks);
    if (request.op == HostOp::read && (!readable(request) || first_read(request))) request.status = Status::media_error;
    if (request.op == HostOp::read)
      std::copy_n(content_.begin() + static_cast<std::ptrdiff_t>(request.blocks.first.value() * kept), request.content.size(),
                  request.content.begin());
    if (request.op == HostOp::zone_reset) {
      zones_[zone_of(request)].written = 0;
      ++resets;
    }
    if (request.op != HostOp::zone_report) return;
    for (std::uint32_t number = 0; number < shape_.zones; ++number) {
      const std::uint64_t blocks = shape_.zone_sectors * shape_.sector_blocks;
      const Zone& zone = zones_[number];
      ZoneDescriptor told;
      told.start = HostBlock(number * blocks);
      told.blocks = blocks;
      if (number >= shape_.conventional) {
        told.type = ZoneType::sequential_write_required;
        told.condition = zone.written == 0                     ? ZoneCondition::empty
                         : zone.written == shape_.zone_sectors ? ZoneCondition::full
                                                               : ZoneCondition::closed;
        told.pointer = told.start + zone.written * shape_.sector_blocks;
      }
      request.zones.push_back(told);
    }
  }

  void on_time(std::uint64_t argument) override {
    auto& request = *reinterpret_cast<HostRequest*>(argument);
    std::erase(under_way_, &request);
    if (ok(request.status)) carry_out(request);
    request.life.account(LifePhase::transfer, timeline_.now());
    answer(request);
  }

  Timeline& timeline_;
  DriveZones shape_;
  RandomStream random_;
  std::vector<Zone> zones_;
  std::vector<std::byte> content_;
  std::vector<HostRequest*> under_way_;  // in order of issue
};

}  // namespace tessera::test
