#include "platforms/gdb/gdb_session.hpp"

#include <algorithm>
#include <cstring>
#include <vector>

#include "platforms/gdb/gdb_features.hpp"

namespace tessera {

namespace {

// Answers of the protocol.
const std::string done = "OK", not_supported, denied = "E01", malformed = "E16";  // 22, EINVAL

// GDB's own numbers of signals.
constexpr std::uint8_t signal_interrupt = 2, signal_trap = 5, signal_fault = 11;

constexpr std::string_view monitor_help =
    "monitor time      simulated time\n"
    "monitor requests  the host's requests under way\n"
    "monitor cut       cuts the power as soon as the target goes on\n";

bool take_prefix(std::string_view& text, std::string_view prefix) {
  if (!text.starts_with(prefix)) return false;
  text.remove_prefix(prefix.size());
  return true;
}

struct Range {
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
};

/// "ADDRESS,LENGTH"; `text` loses it.
std::optional<Range> take_range(std::string_view& text) {
  const auto address = take_hex(text);
  if (!address || !take_prefix(text, ",")) return std::nullopt;
  const auto bytes = take_hex(text);
  if (!bytes) return std::nullopt;
  return Range{*address, *bytes};
}

/// A little-endian word of as many bytes as there are.
std::uint64_t word_of(std::string_view bytes) {
  std::uint64_t value = 0;
  for (std::size_t i = bytes.size(); i-- > 0;) value = value << 8U | static_cast<unsigned char>(bytes[i]);
  return value;
}

std::span<const std::byte> as_bytes(std::string_view text) { return std::as_bytes(std::span(text.data(), text.size())); }

}  // namespace

void GdbSession::stopped(const DebugStop& stop) {
  const auto trap = [](std::uint8_t signal) { return "T" + to_hex(std::string(1, static_cast<char>(signal))); };
  stop_reply_ = trap(signal_trap);
  switch (stop.reason) {
    case DebugStop::Reason::begin:
    case DebugStop::Reason::step: break;
    case DebugStop::Reason::interrupt: stop_reply_ = trap(signal_interrupt); break;
    case DebugStop::Reason::breakpoint: {
      const std::uint64_t pc = target_->register_value(DebugTarget::pc_number);
      const bool software = std::any_of(points_.begin(), points_.end(),
                                        [pc](const Point& point) { return std::get<0>(point) == '0' && std::get<1>(point) == pc; });
      stop_reply_ += software ? "swbreak:;" : "hwbreak:;";
      break;
    }
    case DebugStop::Reason::watchpoint: stop_reply_ += watched(stop); break;
    case DebugStop::Reason::fault: stop_reply_ = trap(signal_fault); break;
  }
  stop_reply_ += "thread:1;";
  if (!awaited_) return;
  awaited_ = false;
  print(stop.what);
  packets_->send(stop_reply_);
}

/// "watch:ADDRESS;": an address within the watchpoint, as GDB knows it by that, wherever the access began.
std::string GdbSession::watched(const DebugStop& stop) const {
  for (const auto& [type, address, bytes] : points_) {
    if (type < '2' || (stop.address - address >= bytes && address - stop.address >= stop.bytes)) continue;
    const std::string name = type == '2' ? "watch" : type == '3' ? "rwatch" : "awatch";
    return name + ":" + hex_number(std::max(address, stop.address)) + ";";
  }
  return "watch:" + hex_number(stop.address) + ";";
}

void GdbSession::exited(int status) {
  if (awaited_) packets_->send("W" + to_hex(std::string(1, static_cast<char>(status))));
  awaited_ = false;
}

void GdbSession::forget() {
  while (!points_.empty()) {
    const auto [type, address, bytes] = *points_.begin();
    static_cast<void>(set_point(std::string(1, type) + "," + hex_number(address) + "," + hex_number(bytes), false));
  }
}

std::optional<Resume> GdbSession::serve(std::string_view packet) {
  if (packet.empty()) {
    packets_->send(not_supported);
    return std::nullopt;
  }
  switch (packet.front()) {
    case 'c':
    case 'C':
    case 's':
    case 'S': return serve_resume(packet);
    case 'v': return serve_v(packet);
    case 'k': return Resume::end;
    case 'D':
      forget();
      detached_ = true;
      packets_->send(done);
      return Resume::run;
    default: packets_->send(answer(packet)); return std::nullopt;
  }
}

Resume GdbSession::resume(Resume how) {
  awaited_ = true;
  return how;
}

/// c[ADDRESS], s[ADDRESS], CSIGNAL[;ADDRESS], SSIGNAL[;ADDRESS]; the target knows no signals.
std::optional<Resume> GdbSession::serve_resume(std::string_view packet) {
  const char what = packet.front();
  packet.remove_prefix(1);
  const bool with_signal = what == 'C' || what == 'S';
  const bool sound = !with_signal || take_hex(packet).has_value();
  const bool has_address = with_signal ? take_prefix(packet, ";") : !packet.empty();
  const auto address = has_address ? take_hex(packet) : std::nullopt;
  if (!sound || !packet.empty() || has_address != address.has_value()) {
    packets_->send(malformed);
    return std::nullopt;
  }
  if (address) target_->set_register(DebugTarget::pc_number, *address);
  return resume(what == 's' || what == 'S' ? Resume::step : Resume::run);
}

std::optional<Resume> GdbSession::serve_v(std::string_view packet) {
  if (packet == "vCont?") {
    packets_->send("vCont;c;C;s;S");
  } else if (take_prefix(packet, "vCont;") && !packet.empty()) {
    switch (packet.front()) {  // of several actions the first is that of the only thread
      case 'c':
      case 'C': return resume(Resume::run);
      case 's':
      case 'S': return resume(Resume::step);
      default: packets_->send(malformed);
    }
  } else if (packet.starts_with("vKill")) {
    packets_->send(done);
    return Resume::end;
  } else {
    packets_->send(not_supported);
  }
  return std::nullopt;
}

GdbSession::Answer GdbSession::answer(std::string_view packet) {
  const std::string_view rest = packet.substr(1);
  switch (packet.front()) {
    case '?': return stop_reply_;
    case 'g': return all_registers();
    case 'G': return set_all_registers(rest);
    case 'p': return read_register(rest);
    case 'P': return write_register(rest);
    case 'm': return read_memory(rest);
    case 'M': return write_memory(rest, false);
    case 'X': return write_memory(rest, true);
    case 'Z': return set_point(rest, true);
    case 'z': return set_point(rest, false);
    case 'H':
    case 'T': return done;  // there is one thread
    case 'q':
    case 'Q': return answer_query(packet);
    default: return not_supported;
  }
}

GdbSession::Answer GdbSession::answer_query(std::string_view packet) {
  if (packet.starts_with("qSupported"))
    return "PacketSize=" + hex_number(GdbPackets::longest) + ";qXfer:features:read+;swbreak+;hwbreak+;vContSupported+;QStartNoAckMode+";
  if (packet == "QStartNoAckMode") {
    packets_->stop_acknowledging();
    return done;
  }
  if (take_prefix(packet, "qXfer:features:read:target.xml:")) return features(packet);
  if (take_prefix(packet, "qRcmd,")) return monitor(packet);
  if (packet == "qC") return "QC1";
  if (packet == "qfThreadInfo") return "m1";
  if (packet == "qsThreadInfo") return "l";
  if (packet.starts_with("qAttached")) return "1";  // a debugger that ends leaves the target alone
  return not_supported;
}

GdbSession::Answer GdbSession::features(std::string_view range) const {
  const auto wanted = take_range(range);
  if (!wanted || !range.empty()) return malformed;
  const std::string text = target_description(target_->wide());
  if (wanted->address > text.size()) return malformed;
  // Half of a packet, as each character may have to be escaped.
  const std::string part = text.substr(wanted->address, std::min<std::uint64_t>(wanted->bytes, GdbPackets::longest / 2 - 1));
  return (wanted->address + part.size() == text.size() ? "l" : "m") + part;
}

std::string GdbSession::word(std::uint64_t value) const {
  std::string bytes;
  for (std::size_t i = 0; i < word_bytes(); ++i) bytes += static_cast<char>(value >> (8 * i));
  return to_hex(bytes);
}

GdbSession::Answer GdbSession::all_registers() const {
  std::string digits;
  for (unsigned number = 0; number <= DebugTarget::pc_number; ++number) digits += word(target_->register_value(number));
  return digits;
}

GdbSession::Answer GdbSession::set_all_registers(std::string_view digits) {
  const auto bytes = from_hex(digits);
  if (!bytes || bytes->size() != (DebugTarget::pc_number + 1) * word_bytes()) return malformed;
  for (unsigned number = 0; number <= DebugTarget::pc_number; ++number)
    target_->set_register(number, word_of(std::string_view(*bytes).substr(number * word_bytes(), word_bytes())));
  return done;
}

GdbSession::Answer GdbSession::read_register(std::string_view packet) const {
  const auto number = take_hex(packet);
  if (!number || !packet.empty()) return malformed;
  if (*number <= DebugTarget::pc_number) return word(target_->register_value(static_cast<unsigned>(*number)));
  if (*number < first_csr_number || *number - first_csr_number > 0xfff) return denied;
  const auto value = target_->csr(static_cast<unsigned>(*number - first_csr_number));
  return value ? word(*value) : denied;
}

GdbSession::Answer GdbSession::write_register(std::string_view packet) {
  const auto number = take_hex(packet);
  if (!number || !take_prefix(packet, "=")) return malformed;
  const auto bytes = from_hex(packet);
  if (!bytes || bytes->size() != word_bytes()) return malformed;
  if (*number <= DebugTarget::pc_number) {
    target_->set_register(static_cast<unsigned>(*number), word_of(*bytes));
    return done;
  }
  if (*number < first_csr_number || *number - first_csr_number > 0xfff) return denied;
  return target_->set_csr(static_cast<unsigned>(*number - first_csr_number), word_of(*bytes)) ? done : denied;
}

GdbSession::Answer GdbSession::read_memory(std::string_view packet) {
  const auto range = take_range(packet);
  if (!range || !packet.empty()) return malformed;
  std::vector<std::byte> bytes(std::min<std::uint64_t>(range->bytes, GdbPackets::longest / 2));
  const std::size_t readable = target_->read(range->address, bytes);
  if (readable == 0 && range->bytes != 0) return denied;
  return to_hex({reinterpret_cast<const char*>(bytes.data()), readable});
}

GdbSession::Answer GdbSession::write_memory(std::string_view packet, bool binary) {
  const auto range = take_range(packet);
  if (!range || !take_prefix(packet, ":")) return malformed;
  const auto bytes = binary ? std::optional(std::string(packet)) : from_hex(packet);
  if (!bytes || bytes->size() != range->bytes) return malformed;
  return bytes->empty() || target_->write(range->address, as_bytes(*bytes)) ? done : denied;
}

/// TYPE,ADDRESS,KIND: kind is the length of the data, or of the instruction.
GdbSession::Answer GdbSession::set_point(std::string_view packet, bool set) {
  if (packet.empty()) return malformed;
  const char type = packet.front();
  packet.remove_prefix(1);
  if (type < '0' || type > '4') return not_supported;
  if (!take_prefix(packet, ",")) return malformed;
  const auto range = take_range(packet);
  if (!range) return malformed;
  const bool code = type <= '1';
  const Point point{type, range->address, code ? 0 : range->bytes};
  if (points_.contains(point) == set) return done;
  if (!set) points_.erase(point);
  // A breakpoint of the software's kind and one of the hardware's are one to the target.
  const bool shared = code && points_.contains(Point{type == '0' ? '1' : '0', range->address, 0});
  const bool held = shared || put_point(point, set);
  if (set && held) points_.insert(point);
  return held ? done : denied;
}

bool GdbSession::put_point(const Point& point, bool set) {
  const auto& [type, address, bytes] = point;
  if (type <= '1') return target_->set_breakpoint(address, set);
  const WatchKind kind = type == '2' ? WatchKind::write : type == '3' ? WatchKind::read : WatchKind::access;
  return bytes != 0 && target_->set_watchpoint(address, bytes, kind, set);
}

void GdbSession::set_points_again() {
  for (const Point& point : points_) static_cast<void>(put_point(point, true));
}

void GdbSession::print(std::string_view text) {
  constexpr std::size_t most = GdbPackets::longest / 2 - 1;
  for (; !text.empty(); text.remove_prefix(std::min(most, text.size()))) packets_->send("O" + to_hex(text.substr(0, most)));
}

GdbSession::Answer GdbSession::monitor(std::string_view digits) {
  const auto command = from_hex(digits);
  if (!command) return malformed;
  std::optional<std::string> text;
  if (*command == "time") {
    text = target_->simulated_time();
  } else if (*command == "requests") {
    text = target_->requests();
  } else if (*command == "cut") {
    text = target_->cut_power();
  } else if (*command == "help") {
    text = std::string(monitor_help);
  } else {
    text = "unknown command '" + *command + "'; there are:\n" + std::string(monitor_help);
  }
  print(text.value_or("this target has no such thing\n"));
  return done;
}

}  // namespace tessera
