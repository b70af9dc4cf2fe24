#pragma once
// Pages of several drive sectors. Commands for subpages of one page are one operation; and sectors of writes that wait at the same time
// are collected in one page, since a page can be programmed but once.
//
// A stream of pages is what is filled in order: a zone of a cache, the open block of a band. A write takes the next subpages of its
// stream. A page that it fills, or that another write left for it to fill, is programmed at once. One that it does not fill is programmed
// at once too, if no other program of the stream is under way: what is left of it is padding. Otherwise the page stays open for the
// sectors of other writes until it is full, or until the first program of the stream that was or is under way ends. Nobody waits for a
// clock, and nothing is acknowledged before the page that holds it is programmed.
#include <cstdint>
#include <map>
#include <memory>
#include <span>

#include "base/metrics.hpp"
#include "firmware/locks/wait_queue.hpp"
#include "firmware/ports/flash_port.hpp"

namespace tessera {

/// Commands of a batch that name subpages of the same page become one operation, led by the first of them.
void join_pages(std::span<FlashCommand> commands, const FlashShape& shape);

class SharedPages {
 public:
  /// Where the subpages of a stream come from.
  class Source {
   public:
    /// The page that the stream's last subpage was taken of gets no further sector: the next one is of another page.
    virtual void close_page(std::uint32_t stream) = 0;

   protected:
    ~Source() = default;
  };

  SharedPages(FlashPort& flash, CpuPort& cpu, Source& source) : flash_(flash), cpu_(cpu), source_(source), shape_(flash.shape()) {}

  /// Programs commands, complete but for their status, whose subpages were taken of the stream just now, one behind the other. Each has
  /// its own status afterwards.
  [[nodiscard]] Task<void> program(std::uint32_t stream, std::span<FlashCommand> commands);

  void report(MetricSet& metrics) const;

 private:
  /// A page that is being collected, or was.
  struct Page {
    FlashCommand* lead;  ///< of the commands so far
    FlashCommand* last;
    bool given = false;  ///< to the flash
    bool done = false;
  };
  struct Stream {
    explicit Stream(CpuPort& cpu) : changed(cpu) {}
    std::shared_ptr<Page> open;
    std::uint32_t under_way = 0;  ///< batches that are being programmed
    std::uint32_t writers = 0;
    std::uint64_t ended = 0;  ///< batches
    WaitQueue changed;
  };

  [[nodiscard]] Task<void> give(Stream& stream, std::span<FlashCommand> commands, Page* page);
  [[nodiscard]] Task<void> finish(std::uint32_t number, Stream& stream, const std::shared_ptr<Page>& page, std::uint64_t ended);

  FlashPort& flash_;
  CpuPort& cpu_;
  Source& source_;
  FlashShape shape_;
  std::map<std::uint32_t, Stream> streams_;  // that have writers
  std::uint64_t collected_ = 0;
};

}  // namespace tessera
