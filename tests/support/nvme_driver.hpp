#pragma once
// A driver of an NVMe controller as an operating system has it: it resets and enables the controller, reads what it is, sets the number of
// queues, creates one of each, and then rings doorbells and looks at phase tags. Written from NVM Express Base Specification 1.4 (7.6.1),
// with none of the controller's own headers.
#include <cstdint>
#include <cstring>
#include <functional>
#include <map>
#include <vector>

namespace test {

/// One command as the driver writes it, and the answer.
struct NvmeRequest {
  std::uint8_t opcode = 0;
  std::uint32_t space = 0;
  std::uint64_t prp1 = 0, prp2 = 0;
  std::uint32_t dword10 = 0, dword11 = 0, dword12 = 0, dword13 = 0;
  std::uint8_t psdt = 0, fuse = 0;
};
struct NvmeAnswer {
  std::uint16_t status = 0xffff;  ///< type and code, without Do Not Retry
  std::uint32_t result = 0;
  bool do_not_retry = false;
  std::uint16_t sq_head = 0;
  std::uint16_t field = 0xffff;  ///< the whole status field
};

class NvmeDriver {
 public:
  static constexpr std::uint64_t page = 4096;
  std::vector<unsigned char> memory = std::vector<unsigned char>(8U << 20U);
  std::function<void(std::uint64_t offset, std::uint32_t value)> write32;
  std::function<std::uint32_t(std::uint64_t offset)> read32;
  std::function<void()> pass;  ///< lets the controller work, until an interrupt or for a while

  /// A page of memory that nobody has yet.
  std::uint64_t allocate(std::uint64_t pages = 1) { return (next_ += pages * page) - pages * page; }
  template <class Value>
  [[nodiscard]] Value load(std::uint64_t at) const {
    Value value;
    std::memcpy(&value, memory.data() + at, sizeof value);
    return value;
  }
  template <class Value>
  void store(std::uint64_t at, Value value) {
    std::memcpy(memory.data() + at, &value, sizeof value);
  }

  /// CSTS.RDY follows CC.EN; false where CSTS.CFS says that it never will, or after `patience` waits.
  bool enable(bool on, std::uint32_t configuration = 0x0046'0000, unsigned patience = 100'000) {
    write32(0x14, configuration | (on ? 1U : 0U));
    for (unsigned i = 0; i < patience; ++i) {
      const std::uint32_t status = read32(0x1c);
      if ((status & 2) != 0 && on) return false;
      if ((status & 1) == (on ? 1U : 0U)) return true;
      pass();
    }
    return false;
  }
  /// Reset, admin queues of `entries`, enable.
  bool begin(std::uint32_t entries = 32) {
    if (!enable(false)) return false;
    queues_.clear();
    queues_[0] = {allocate(), allocate(), entries, entries};
    clear(queues_[0]);
    write32(0x24, (entries - 1) << 16 | (entries - 1));
    write32(0x28, static_cast<std::uint32_t>(queues_[0].sq));
    write32(0x2c, 0);
    write32(0x30, static_cast<std::uint32_t>(queues_[0].cq));
    write32(0x34, 0);
    return enable(true);
  }
  /// A pair of I/O queues with this number, and their vector.
  bool create_pair(std::uint16_t number, std::uint32_t entries, std::uint16_t vector) {
    Queue queue{allocate((entries * 64 + page - 1) / page), allocate((entries * 16 + page - 1) / page), entries, entries};
    clear(queue);
    const auto completions =
        admin({.opcode = 0x05, .prp1 = queue.cq, .dword10 = (entries - 1) << 16 | number, .dword11 = std::uint32_t{vector} << 16 | 3});
    if (completions.status != 0) return false;
    const auto submissions =
        admin({.opcode = 0x01, .prp1 = queue.sq, .dword10 = (entries - 1) << 16 | number, .dword11 = std::uint32_t{number} << 16 | 1});
    queues_[number] = queue;
    return submissions.status == 0;
  }

  /// Puts a command into a queue and rings its doorbell; gives its identifier.
  std::uint16_t send(std::uint16_t number, const NvmeRequest& request) {
    Queue& queue = queues_.at(number);
    const std::uint16_t id = next_id_++;
    const std::uint64_t at = queue.sq + queue.tail * 64;
    for (std::uint64_t i = 0; i < 64; i += 8) store<std::uint64_t>(at + i, 0);
    store<std::uint32_t>(at,
                         request.opcode | std::uint32_t{request.fuse} << 8 | std::uint32_t{request.psdt} << 14 | std::uint32_t{id} << 16);
    store(at + 4, request.space);
    store(at + 24, request.prp1);
    store(at + 32, request.prp2);
    store(at + 40, request.dword10);
    store(at + 44, request.dword11);
    store(at + 48, request.dword12);
    store(at + 52, request.dword13);
    queue.tail = (queue.tail + 1) % queue.sq_entries;
    write32(0x1000 + number * 8U, queue.tail);
    return id;
  }
  /// Takes what completions there are, and tells the controller.
  void poll(std::uint16_t number) {
    Queue& queue = queues_.at(number);
    bool took = false;
    for (;;) {
      const std::uint64_t at = queue.cq + queue.head * 16;
      const auto word = load<std::uint32_t>(at + 12);
      if (((word >> 16 & 1) != 0) != queue.phase) break;
      answers_[{number, static_cast<std::uint16_t>(word)}] = {static_cast<std::uint16_t>(word >> 17 & 0x7ff), load<std::uint32_t>(at),
                                                              (word >> 31) != 0, load<std::uint16_t>(at + 8),
                                                              static_cast<std::uint16_t>(word >> 17)};
      queue.head = (queue.head + 1) % queue.cq_entries;
      if (queue.head == 0) queue.phase = !queue.phase;
      took = true;
    }
    if (took) write32(0x1000 + number * 8U + 4, queue.head);
  }
  [[nodiscard]] bool answered(std::uint16_t number, std::uint16_t id) const { return answers_.contains({number, id}); }
  /// The answer to a command, waited for; a status of 0xffff where none came.
  NvmeAnswer finish(std::uint16_t number, std::uint16_t id, unsigned patience = 100'000) {
    for (unsigned i = 0; i < patience; ++i) {
      poll(number);
      const auto at = answers_.find({number, id});
      if (at != answers_.end()) {
        const NvmeAnswer answer = at->second;
        answers_.erase(at);
        return answer;
      }
      pass();
    }
    return {};
  }
  NvmeAnswer call(std::uint16_t number, const NvmeRequest& request) { return finish(number, send(number, request)); }
  NvmeAnswer admin(const NvmeRequest& request) { return call(0, request); }

  /// Read, write or zeroes of `blocks` from `first` on, with pages from `data` on.
  [[nodiscard]] NvmeRequest transfer(std::uint8_t opcode, std::uint64_t first, std::uint32_t blocks, std::uint64_t data,
                                     std::uint32_t flags = 0) {
    NvmeRequest request{.opcode = opcode,
                        .space = 1,
                        .prp1 = data,
                        .dword10 = static_cast<std::uint32_t>(first),
                        .dword11 = static_cast<std::uint32_t>(first >> 32),
                        .dword12 = (blocks - 1) | flags};
    const std::uint64_t bytes = blocks * std::uint64_t{512}, in_first = page - data % page;
    if (bytes <= in_first) return request;
    const std::uint64_t second = data + in_first;
    if (bytes - in_first <= page) {
      request.prp2 = second;
      return request;
    }
    request.prp2 = list_of(second, (bytes - in_first + page - 1) / page);
    return request;
  }
  /// Pages of PRP entries, each but the last with the next page's address at its end.
  std::uint64_t list_of(std::uint64_t first, std::uint64_t pages) {
    const std::uint64_t list = allocate();
    for (std::uint64_t i = 0; i < pages; ++i) {
      if (i == page / 8 - 1 && pages > page / 8) {
        store(list + i * 8, list_of(first + i * page, pages - i));
        break;
      }
      store(list + i * 8, first + i * page);
    }
    return list;
  }

 private:
  struct Queue {
    std::uint64_t sq = 0, cq = 0;
    std::uint32_t sq_entries = 0, cq_entries = 0;
    std::uint32_t tail = 0, head = 0;
    bool phase = true;
  };
  void clear(const Queue& queue) { std::memset(memory.data() + queue.cq, 0, queue.cq_entries * 16); }

  std::map<std::uint16_t, Queue> queues_;
  std::map<std::pair<std::uint16_t, std::uint16_t>, NvmeAnswer> answers_;
  std::uint16_t next_id_ = 1;
  std::uint64_t next_ = page;  // page 0 stays empty
};

}  // namespace test
