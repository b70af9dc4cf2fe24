#include "stimuli/readers/sector_adaptation.hpp"

#include <algorithm>

#include "base/address.hpp"
#include "base/error.hpp"

namespace tessera {
namespace {

class WholeBlocks final : public TraceAdaptation {
 public:
  using TraceAdaptation::TraceAdaptation;

  bool next(TraceRecord& record) override {
    if (!inner_->next(record)) return false;
    require(record.offset, "offset");
    require(record.size, "size");
    return true;
  }

 private:
  void require(Bytes amount, const char* name) const {
    if (amount.value() % host_block_bytes == 0) [[likely]]
      return;
    throw InputError(position() + ": the " + name + " of " + std::to_string(amount.value()) +
                     " bytes is not a multiple of the sector of 512 bytes; --adapt align rounds outwards");
  }
};

class OneSector final : public TraceAdaptation {
 public:
  OneSector(std::unique_ptr<TraceSource> inner, Bytes sector) : TraceAdaptation(std::move(inner)), sector_(sector) {}

  bool next(TraceRecord& record) override {
    if (!inner_->next(record)) return false;
    if (record.size == Bytes(0)) return true;
    record.offset -= record.offset % sector_;
    record.size = sector_;
    return true;
  }

 private:
  const Bytes sector_;
};

/// A trim is rounded inwards: what it does not name it must not discard.
class Aligned final : public TraceAdaptation {
 public:
  Aligned(std::unique_ptr<TraceSource> inner, Bytes sector, Bytes capacity)
      : TraceAdaptation(std::move(inner)), sector_(sector), capacity_(capacity) {}

  bool next(TraceRecord& record) override {
    while (inner_->next(record)) {
      if (record.size == Bytes(0)) return true;
      const Bytes first = record.op == HostOp::trim ? up(record.offset) : down(record.offset);
      const Bytes end = record.op == HostOp::trim ? down(record.end()) : std::min(up(record.end()), capacity_);
      if (first < end) {
        record.offset = first;
        record.size = end - first;
        return true;
      }
      ++empty_trims_;
    }
    return false;
  }

  [[nodiscard]] std::vector<std::string> notes() const override {
    auto all = inner_->notes();
    if (empty_trims_ != 0) all.push_back(std::to_string(empty_trims_) + " trims of less than a sector left out");
    return all;
  }

 private:
  [[nodiscard]] Bytes down(Bytes at) const { return at - at % sector_; }
  [[nodiscard]] Bytes up(Bytes at) const { return at % sector_ == Bytes(0) ? at : down(at) + sector_; }

  const Bytes sector_;
  const Bytes capacity_;
  std::uint64_t empty_trims_ = 0;
};

}  // namespace

SectorAdaptation sector_adaptation(std::string_view name) {
  if (name == "none") return SectorAdaptation::none;
  if (name == "align") return SectorAdaptation::align;
  if (name == "one-sector") return SectorAdaptation::one_sector;
  throw InputError("--adapt: " + unknown_name("adaptation", name, {"none", "align", "one-sector"}));
}

std::unique_ptr<TraceSource> adapt_sectors(std::unique_ptr<TraceSource> inner, SectorAdaptation how, Bytes sector, Bytes capacity) {
  switch (how) {
    case SectorAdaptation::none: return std::make_unique<WholeBlocks>(std::move(inner));
    case SectorAdaptation::align: return std::make_unique<Aligned>(std::move(inner), sector, capacity);
    case SectorAdaptation::one_sector: return std::make_unique<OneSector>(std::move(inner), sector);
  }
  return nullptr;
}

}  // namespace tessera
