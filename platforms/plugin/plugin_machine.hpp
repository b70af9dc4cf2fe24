#pragma once
// The machine that firmware in a shared library sees: the table of services over the five ports. An exception never passes through the
// library: what a service throws is kept, and thrown again when the library has come back.
#include <deque>
#include <exception>
#include <map>
#include <set>
#include <string>
#include <type_traits>
#include <vector>

#include "platforms/plugin/plugin_buffers.hpp"
#include "platforms/plugin/plugin_guard.hpp"
#include "platforms/plugin/plugin_operation.hpp"

namespace tessera {

/// Who runs background work that the library begins.
class PluginSpawner {
 public:
  virtual void spawn(void* state, const char* name) = 0;

 protected:
  ~PluginSpawner() = default;
};

class PluginMachine {
 public:
  /// `firmware` names library and layer in messages.
  PluginMachine(const Ports& ports, const DriveGeometry& geometry, std::string firmware, PluginSpawner& spawner);
  PluginMachine(const PluginMachine&) = delete;
  PluginMachine& operator=(const PluginMachine&) = delete;

  [[nodiscard]] tessera_machine* table() { return &table_; }
  [[nodiscard]] PluginBuffers& buffers() { return buffers_; }

  /// Calls into the library by `work`; throws what a service met meanwhile.
  template <class Work>
  auto call(const char* name, Work work) {
    if constexpr (std::is_void_v<decltype(work())>) {
      {
        const PluginGuard guard(firmware_, name);
        work();
      }
      if (failure_ && !closed_) fail();
    } else {
      const auto result = [&] {
        const PluginGuard guard(firmware_, name);
        return work();
      }();
      if (failure_ && !closed_) fail();
      return result;
    }
  }

  /// Registers the operation that `running` is from now on.
  void begin(PluginOperation& operation);
  void end(PluginOperation& operation);
  /// The operation that runs, during a call; null for none.
  void run(PluginOperation* operation) { running_ = operation; }
  /// From now on services have no effect: the power is gone.
  void close() { closed_ = true; }

  [[noreturn]] void fault(const std::string& sentence) const;

 private:
  friend struct PluginServices;
  [[noreturn]] void fail();
  PluginOperation& waiting(tessera_operation number, PluginOperation::Wait waits);
  PluginOperation& running(tessera_operation number, const char* what);
  void submit(PluginOperation& operation, const tessera_media_chain& chain);
  void submit(PluginOperation& operation, tessera_flash_command* commands, std::uint32_t count);
  [[nodiscard]] MediaStep checked(const tessera_media_step& step) const;
  [[nodiscard]] FlashCommand checked(const tessera_flash_command& command, const FlashShape& shape) const;
  void check_place(const tessera_media_step& step) const;

  Ports ports_;
  std::uint32_t surfaces_;
  std::uint32_t radii_;
  std::uint32_t sector_bytes_;
  std::string firmware_;
  PluginSpawner& spawner_;
  tessera_machine table_{};
  PluginBuffers buffers_;
  std::deque<DataBuffer> reserved_;
  std::map<std::uint64_t, DataBuffer> acquired_;
  std::set<std::uint32_t> gauges_;
  std::vector<PluginOperation*> slots_;
  std::vector<std::uint32_t> free_slots_;
  std::uint64_t generation_ = 0;
  PluginOperation* running_ = nullptr;
  std::exception_ptr failure_;
  bool closed_ = false;
};

}  // namespace tessera
