#pragma once
// What the packets of GDB's remote serial protocol mean to a target ("Debugging with GDB", appendix E). One thread of execution.
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>

#include "platforms/gdb/debug_target.hpp"
#include "platforms/gdb/gdb_packets.hpp"

namespace tessera {

/// What the debugger wants of a target that stands still.
enum class Resume : std::uint8_t { run, step, end };

class GdbSession {
 public:
  GdbSession(DebugTarget& target, GdbPackets& packets) : target_(&target), packets_(&packets) {}

  /// The target stands still from now on; tells the debugger where it waits for that.
  void stopped(const DebugStop& stop);
  /// Answers a packet; what it wants of the target, if anything.
  [[nodiscard]] std::optional<Resume> serve(std::string_view packet);
  /// The program behind the target has ended with this status.
  void exited(int status);
  /// The debugger has gone: what it set in the target goes, too.
  void forget();
  /// The target has forgotten what was set in it.
  void set_points_again();
  /// It has asked to go (D).
  [[nodiscard]] bool detached() const { return detached_; }

 private:
  using Answer = std::string;
  using Point = std::tuple<char, std::uint64_t, std::uint64_t>;  // type of Z, address, bytes

  [[nodiscard]] Resume resume(Resume how);
  [[nodiscard]] std::optional<Resume> serve_v(std::string_view packet);
  [[nodiscard]] std::optional<Resume> serve_resume(std::string_view packet);
  [[nodiscard]] Answer answer(std::string_view packet);
  [[nodiscard]] Answer answer_query(std::string_view packet);
  [[nodiscard]] Answer features(std::string_view range) const;
  [[nodiscard]] Answer all_registers() const;
  [[nodiscard]] Answer set_all_registers(std::string_view digits);
  [[nodiscard]] Answer read_register(std::string_view packet) const;
  [[nodiscard]] Answer write_register(std::string_view packet);
  [[nodiscard]] Answer read_memory(std::string_view packet);
  [[nodiscard]] Answer write_memory(std::string_view packet, bool binary);
  [[nodiscard]] Answer set_point(std::string_view packet, bool set);
  [[nodiscard]] Answer monitor(std::string_view digits);
  [[nodiscard]] std::string watched(const DebugStop& stop) const;
  bool put_point(const Point& point, bool set);
  void print(std::string_view text);
  [[nodiscard]] std::string word(std::uint64_t value) const;
  [[nodiscard]] std::size_t word_bytes() const { return target_->wide() ? 8 : 4; }

  DebugTarget* target_;
  GdbPackets* packets_;
  std::string stop_reply_ = "S05";
  bool awaited_ = false;  // the debugger waits for a stop
  bool detached_ = false;
  std::set<Point> points_;
};

}  // namespace tessera
