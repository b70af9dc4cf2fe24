#include "firmware/flash/shared_pages.hpp"

#include <algorithm>
#include <vector>

namespace tessera {

void join_pages(std::span<FlashCommand> commands, const FlashShape& shape) {
  if (shape.subpages == 1 || commands.size() < 2) return;
  std::vector<FlashCommand*> by_page;
  by_page.reserve(commands.size());
  for (FlashCommand& command : commands) by_page.push_back(&command);
  std::ranges::stable_sort(by_page, {}, [](const FlashCommand* command) { return command->page; });
  for (std::size_t i = 1; i < by_page.size(); ++i) {
    if (by_page[i]->page != by_page[i - 1]->page) continue;
    by_page[i - 1]->next = by_page[i];
    by_page[i]->led = true;
  }
}

Task<void> SharedPages::program(std::uint32_t number, std::span<FlashCommand> commands) {
  if (shape_.subpages == 1) {
    FlashBatch batch(commands);
    static_cast<void>(co_await flash_.run(batch));
    co_return;
  }
  join_pages(commands, shape_);
  Stream& stream = streams_.try_emplace(number, cpu_).first->second;
  ++stream.writers;
  const bool alone = stream.under_way == 0;
  const auto fills = [this](const FlashCommand& command) { return command.subpage + 1U == shape_.subpages; };
  const auto in_page = [&commands](std::size_t first) {
    std::size_t end = first + 1;
    while (end < commands.size() && commands[end].led) ++end;
    return end;
  };

  // The page that another write left open.
  std::shared_ptr<Page> begun;
  std::span<FlashCommand> own = commands;
  if (commands.front().subpage != 0) {
    begun = stream.open;
    TESSERA_CHECK(begun != nullptr && begun->lead->page == commands.front().page, "a page was begun that is not open");
    const std::size_t count = in_page(0);
    collected_ += count;
    FlashCommand& last = commands[count - 1];
    if (fills(last)) {  // this write gives it to the flash
      last.next = begun->lead;
      begun->lead->led = true;
      begun->given = true;
      stream.open = nullptr;
    } else {
      begun->last->next = &commands.front();
      commands.front().led = true;
      begun->last = &last;
      own = {};
    }
  } else {
    stream.open = nullptr;
  }
  Page* const taken_over = begun != nullptr && begun->given ? begun.get() : nullptr;

  // The page that this write does not fill.
  std::shared_ptr<Page> left;
  if (!own.empty() && !fills(own.back())) {
    if (alone) {
      source_.close_page(number);
    } else {
      std::size_t first = own.size() - 1;
      while (own[first].led) --first;
      left = std::make_shared<Page>(Page{&own[first], &own.back()});
      stream.open = left;
      own = own.first(first);
    }
  }
  const std::uint64_t ended = stream.ended;
  if (!own.empty()) co_await give(stream, own, taken_over);
  if (left != nullptr) co_await finish(number, stream, left, ended);
  while (begun != nullptr && !begun->done) co_await stream.changed.change(LifePhase::flash_queue);
  if (--stream.writers == 0) streams_.erase(number);
}

/// `page`: the shared one among what the commands program; may be null.
Task<void> SharedPages::give(Stream& stream, std::span<FlashCommand> commands, Page* page) {
  ++stream.under_way;
  FlashBatch batch(commands);
  static_cast<void>(co_await flash_.run(batch));
  --stream.under_way;
  ++stream.ended;
  if (page != nullptr) page->done = true;
  stream.changed.wake_all();
}

/// Of the write that began a page: gives it to the flash, unless another one fills it first. `ended`: batches that had ended when the
/// page was begun.
Task<void> SharedPages::finish(std::uint32_t number, Stream& stream, const std::shared_ptr<Page>& page, std::uint64_t ended) {
  while (!page->given && stream.ended == ended) co_await stream.changed.change(LifePhase::flash_queue);
  if (!page->given) {
    page->given = true;
    if (stream.open == page) {
      source_.close_page(number);
      stream.open = nullptr;
    }
    const std::span<FlashCommand> lead(page->lead, 1);
    co_await give(stream, lead, page.get());
  }
  while (!page->done) co_await stream.changed.change(LifePhase::flash_queue);
}

// --- Figures ---

void SharedPages::report(MetricSet& metrics) const {
  metrics.count("flash.collected", static_cast<double>(collected_), "sectors", "sectors programmed to a page that another write had begun");
}

}  // namespace tessera
