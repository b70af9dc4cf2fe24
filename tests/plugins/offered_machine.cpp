#include "offered_machine.hpp"

#include <utility>

namespace tessera {

OfferedOperation& OfferedMachine::current() const {
  TESSERA_CHECK(current_ != nullptr, "a layer waits while no operation of it runs");
  return *current_;
}

OfferedOperation& OfferedMachine::operation(tessera_operation number) {
  const std::uint32_t slot = TESSERA_SLOT(number);
  if (slot >= slots_.size()) slots_.resize(slot + 1);
  if (slots_[slot] == nullptr) slots_[slot] = std::make_unique<OfferedOperation>();
  OfferedOperation& operation = *slots_[slot];
  operation.number = number;
  return operation;
}

void OfferedMachine::start(OfferedOperation& operation, Task<void> task) {
  operation.complete = false;
  operation.task = std::move(task);
  run(operation, operation.task.handle());
}

void OfferedMachine::resume(OfferedOperation& operation, Status status, std::uint32_t steps_done) {
  take_answers(operation, status, steps_done);
  run(operation, std::exchange(operation.wait, nullptr)->task);
}

void OfferedMachine::run(OfferedOperation& operation, std::coroutine_handle<> task) {
  current_ = &operation;
  task.resume();
  current_ = nullptr;
  if (operation.complete) operation.task = {};
}

void OfferedMachine::take_answers(OfferedOperation& operation, Status status, std::uint32_t steps_done) {
  if (MediaChain* const chain = std::exchange(operation.chain, nullptr); chain != nullptr) {
    chain->status = status;
    chain->steps_done = static_cast<std::uint8_t>(steps_done);
    for (const MediaStep& step : chain->steps())
      if (step.op == MediaOp::read) pull_lost(step.data);
  }
  if (FlashBatch* const batch = std::exchange(operation.batch, nullptr); batch != nullptr) {
    batch->status = status;
    for (std::size_t i = 0; i < batch->commands.size(); ++i) {
      batch->commands[i].status = static_cast<Status>(operation.commands[i].status);
      if (batch->commands[i].op == FlashOp::read) pull_lost(batch->commands[i].data);
    }
  }
}

void OfferedMachine::complete(OfferedOperation& operation, Status status) {
  push_lost(operation.data.all());
  operation.complete = true;
  table_.complete(&table_, operation.number, static_cast<tessera_status>(status));
}

void OfferedMachine::spawn(Task<void> task, const char* name) {
  const std::uint64_t number = ++spawns_;
  spawned_.emplace(number, std::move(task));
  table_.spawn(&table_, reinterpret_cast<void*>(number),
               name);  // NOLINT(performance-no-int-to-ptr): the interface's word for the layer's own
}

Task<void> OfferedMachine::take_spawned(const void* state) {
  auto node = spawned_.extract(reinterpret_cast<std::uint64_t>(state));
  return std::move(node.mapped());
}

void OfferedMachine::power_off() {
  ending_ = true;
  for (const auto& operation : slots_)
    if (operation != nullptr) operation->task = {};
  spawned_.clear();
}

tessera_data OfferedMachine::named(const DataSpan& span) const {
  if (span.buffer == nullptr) return {0, 0};
  return {span.buffer->address().value() + std::uint64_t{span.first} * shape_.sector_bytes, span.count};
}

void OfferedMachine::push_lost(const DataSpan& span) const {
  if (!any_lost(span)) return;
  for (std::uint32_t i = 0; i < span.count; ++i)
    if (span.buffer->is_lost(span.first + i)) table_.mark_lost(&table_, named(span.part(i, 1)));
}

void OfferedMachine::pull_lost(const DataSpan& span) const {
  if (span.buffer == nullptr || span.count == 0) return;
  clear_lost(span);
  for (std::uint32_t done = 0; done < span.count;) {
    const DataSpan rest = span.part(done, span.count - done);
    const std::uint32_t next = table_.first_lost(&table_, named(rest));
    if (next >= rest.count) return;
    span.buffer->mark_lost(rest.first + next);
    done += next + 1;
  }
}

}  // namespace tessera
