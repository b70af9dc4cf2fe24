#include "processor/hart_caches.hpp"

namespace tessera::riscv {

HartCaches::HartCaches(const HartTiming& timing) : line_fill_(timing.line_fill), look_up_(timing.data_look_up()), tcm_(timing.tcm) {
  if (timing.code_cache.size != Bytes{}) code_.emplace("processor.code_cache", timing.code_cache);
  if (timing.data_cache.size != Bytes{}) data_.emplace("processor.data_cache", timing.data_cache);
}

void HartCaches::clear_code() {
  if (code_) code_->clear();
}

void HartCaches::clear() {
  clear_code();
  if (data_) data_->clear();
}

std::uint64_t HartCaches::line(const Touch& bytes, std::uint64_t cycle) {
  return lines_ == nullptr ? line_fill_ : lines_->miss(bytes.address, bytes.count, bytes.write, cycle);
}

std::uint64_t HartCaches::touch(LineCache& cache, Figures& figures, const Touch& bytes, std::uint64_t cycle) {
  std::uint64_t waited = 0;
  const std::uint64_t last = cache.line_of(DramAddress(bytes.address + bytes.count - 1)).value();
  for (std::uint64_t at = cache.line_of(DramAddress(bytes.address)).value();; at += cache.line_bytes()) {
    const LineCache::Outcome outcome = cache.access(DramAddress(at), bytes.write);
    if (outcome.hit) {
      ++figures.hits;
    } else {
      ++figures.misses;
      const std::uint64_t fill = line({at, cache.line_bytes(), false}, cycle + waited);
      waited += fill;
      figures.waited += fill;
      if (outcome.victim) {
        ++figures.write_backs;
        line({outcome.victim->value(), cache.line_bytes(), true}, cycle + waited);
      }
    }
    if (at == last) return waited;
  }
}

}  // namespace tessera::riscv
