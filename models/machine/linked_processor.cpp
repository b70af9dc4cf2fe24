#include "machine/linked_processor.hpp"

#include <utility>

namespace tessera {

MemoryPort& LinkedProcessor::watched(MemoryPort& memory) {
  memory_.stand_before(memory);
  return memory_;
}

void LinkedProcessor::start(Task<void> task, HostTag) {
  TESSERA_CHECK(started_.done(), "one interrupt has the firmware start two tasks");
  started_ = std::move(task);
}

void LinkedProcessor::run() {
  while (!ready_.empty()) {
    const auto task = ready_.front();
    ready_.erase(ready_.begin());
    task.resume();
  }
}

}  // namespace tessera
