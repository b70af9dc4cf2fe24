// Printable names and the frame pool of the ports.
#include <array>
#include <cstdlib>
#include <new>

#include "firmware/ports/cpu_port.hpp"
#include "firmware/ports/memory_port.hpp"
#include "firmware/ports/status.hpp"
#include "firmware/ports/task.hpp"

namespace tessera {

const char* to_string(Status status) {
  switch (status) {
    case Status::ok: return "ok";
    case Status::media_error: return "media error";
    case Status::damaged: return "damaged";
    case Status::blank: return "blank page";
    case Status::program_failed: return "program failed";
    case Status::erase_failed: return "erase failed";
    case Status::rule_violation: return "rule violation";
    case Status::no_space: return "no space";
    case Status::corrupt: return "corrupt";
    case Status::lost: return "lost";
    case Status::read_only: return "read only";
    case Status::aborted: return "aborted";
    case Status::unsupported: return "command not supported";
    case Status::invalid_field: return "invalid field in command";
    case Status::unaligned_write: return "unaligned write command";
    case Status::write_boundary: return "write boundary violation";
    case Status::read_boundary: return "read boundary violation";
    case Status::invalid_read: return "attempt to read invalid data";
    case Status::no_zone_resources: return "insufficient zone resources";
    case Status::zone_read_only: return "zone is read only";
    case Status::zone_offline: return "zone is offline";
  }
  return "?";
}

const char* to_string(MemoryCategory category) {
  static constexpr const char* names[memory_categories] = {"metadata",    "merge_buffer", "write_cache", "read_cache",
                                                           "host_buffer", "descriptors",  "code"};
  return names[static_cast<std::size_t>(category)];
}

const char* to_string(CpuOperation operation) {
  static constexpr const char* names[cpu_operations] = {
      "command",      "completion",   "interrupt", "reap",       "task_switch",   "submit",      "array", "hash",        "tree_level",
      "list_element", "table_access", "lock",      "media_step", "flash_command", "record_word", "copy",  "angular_lock"};
  return names[static_cast<std::size_t>(operation)];
}

namespace {

constexpr std::size_t granule = 64;
constexpr std::size_t classes = 64;  // frames up to 4 KiB are pooled

struct FreeFrame {
  FreeFrame* next;
};
std::array<FreeFrame*, classes> free_frames{};

constexpr std::size_t size_class(std::size_t size) { return (size + granule - 1) / granule; }

}  // namespace

void* allocate_frame(std::size_t size) {
  const std::size_t index = size_class(size);
  if (index < classes && free_frames[index] != nullptr) {
    FreeFrame* frame = free_frames[index];
    free_frames[index] = frame->next;
    return frame;
  }
  return ::operator new(index* granule);
}

void release_frame(void* frame, std::size_t size) {
  const std::size_t index = size_class(size);
  if (index >= classes) return ::operator delete(frame);
  auto* freed = static_cast<FreeFrame*>(frame);
  freed->next = free_frames[index];
  free_frames[index] = freed;
}

}  // namespace tessera
