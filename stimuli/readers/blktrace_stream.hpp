#pragma once
// The records of one binary file of blktrace (linux/blktrace_api.h), of either byte order:
//   version 7, 48 bytes: magic u32, sequence u32, time u64, sector u64, bytes u32, action u32, pid u32, device u32, cpu u32, error u16,
//                        pdu_len u16
//   version 8, 64 bytes: magic u32, sequence u32, time u64, sector u64, bytes u32, pid u32, action u64, device u32, cpu u32, error u16,
//                        pdu_len u16, 12 unused
// each with pdu_len bytes of data after it. Magic is 0x656174 and the version; time is in ns, sector in 512 B.
#include <cstdint>
#include <string>

#include "stimuli/readers/record_buffer.hpp"

namespace tessera {

struct BlktraceEvent {
  std::uint32_t sequence = 0;
  std::uint64_t time = 0;    ///< ns
  std::uint64_t sector = 0;  ///< of 512 B
  std::uint32_t bytes = 0;
  std::uint64_t action = 0;
  std::uint32_t device = 0;
  std::uint16_t error = 0;
  std::string data;
};

class BlktraceStream {
 public:
  explicit BlktraceStream(TraceFile file);
  /// False at the end. A record that is none, or is cut, is an InputError; so is one of another version.
  bool next(BlktraceEvent& event);
  [[nodiscard]] std::uint64_t records() const { return records_; }  ///< read so far
  /// The file ended within the data of its last record.
  [[nodiscard]] bool data_cut() const { return data_cut_; }
  [[nodiscard]] const std::string& path() const { return path_; }

 private:
  template <class T>
  T number(std::size_t at) const;
  [[noreturn]] void fail(const std::string& message) const;

  std::string path_;
  RecordBuffer bytes_;
  bool big_endian_ = false;
  bool data_cut_ = false;
  std::uint64_t records_ = 0;
};

/// Whether the first bytes of a file are the magic, in either byte order and of any version.
[[nodiscard]] bool is_blktrace(std::string_view bytes);

}  // namespace tessera
