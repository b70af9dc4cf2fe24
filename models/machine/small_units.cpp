#include "machine/small_units.hpp"

#include <bit>
#include <set>
#include <utility>

namespace tessera {

namespace {

/// Names that observers keep: as long as the process, like those of firmware that is linked to it.
const char* kept(std::string text) {
  static std::set<std::string> texts;
  return texts.insert(std::move(text)).first->c_str();
}

}  // namespace

std::uint64_t TimerUnit::read(hal::Register which) {
  return which == hal::Register::timer_now ? machine_.timeline().now().value() : alarm_;
}

void TimerUnit::write(hal::Register, std::uint64_t value) {
  alarm_ = value;
  if (value == hal::no_alarm) return;
  const Picoseconds now = machine_.timeline().now();
  machine_.timeline().post(std::max(Picoseconds(value), now), *this, value);
}

void TimerUnit::on_time(std::uint64_t argument) {
  if (argument != alarm_) return;  // set to another time since
  alarm_ = hal::no_alarm;
  machine_.raise(hal::interrupt_lines::timer);
}

void InterruptUnit::write(hal::Register which, std::uint64_t value) {
  if (which == hal::Register::interrupts_enable)
    enabled_ = value;
  else
    pending_ &= ~value;
  external_(pending_ & enabled_);
}

void InterruptUnit::raise(std::uint64_t lines) {
  pending_ |= lines;
  external_(pending_ & enabled_);
}

std::uint64_t ProbeUnit::read(hal::Register which) {
  using enum hal::Register;
  switch (which) {
    case probe_name: return name_;
    case probe_subject: return subject_;
    case probe_amount: return amount_;
    case probe_unit: return unit_;
    case probe_what: return what_;
    case probe_bits: return bits_;
    default: return number_;
  }
}

void ProbeUnit::write(hal::Register which, std::uint64_t value) {
  using enum hal::Register;
  switch (which) {
    case probe_name: name_ = value; return;
    case probe_subject: subject_ = value; return;
    case probe_amount: amount_ = value; return;
    case probe_unit: unit_ = value; return;
    case probe_what: what_ = value; return;
    case probe_number: number_ = value; return;
    case probe_bits: bits_ = value; return;
    case probe_figure: return add_figure(value);
    case probe_declare: return declare();
    case probe_value:
      if (number_ >= gauges_) throw FirmwareFault("probe.number is " + std::to_string(number_) + ", and no such gauge was declared");
      return machine_.ports().cpu.gauge(static_cast<std::uint32_t>(number_), value);
    default: break;
  }
  if (value > static_cast<std::uint64_t>(FirmwareEvent::Edge::instant))
    throw FirmwareFault("probe.event with edge " + std::to_string(value));
  const char* const kind = kept(machine_.text(name_, "the name of an event"));
  machine_.ports().cpu.event({kind, static_cast<FirmwareEvent::Edge>(value), subject_, amount_});
}

void ProbeUnit::add_figure(std::uint64_t flags) {
  if (figures_ == nullptr) throw FirmwareFault("probe.figure, and no report is asked for");
  const std::string name = machine_.text(name_, "the name of a figure");
  const std::string unit = machine_.text(unit_, "the unit of a figure");
  const std::string what = machine_.text(what_, "the line about a figure");
  const double value = std::bit_cast<double>(bits_);
  if ((flags & hal::figure_flags::accumulates) != 0) return figures_->count(name, value, unit, what);
  figures_->add(name, (flags & hal::figure_flags::defined) != 0 ? std::optional(value) : std::nullopt, unit, what);
}

void ProbeUnit::declare() {
  const GaugeInfo info{kept(machine_.text(name_, "the name of a gauge")), kept(machine_.text(unit_, "the unit of a gauge")),
                       kept(machine_.text(what_, "the line about a gauge"))};
  number_ = machine_.ports().cpu.declare_gauge(info);
  gauges_ = number_ + 1;
}

std::uint64_t IdentUnit::read(hal::Register which) {
  using enum hal::Register;
  switch (which) {
    case ident_magic: return hal::magic;
    case ident_version: return hal::map_version;
    case ident_boot_data: return boot_data_;
    case ident_dram_base: return hal::dram_base;
    case ident_dram_bytes: return dram_bytes_;
    case ident_request: return static_cast<std::uint64_t>(request_);
    default: return argument_;
  }
}

void IdentUnit::write(hal::Register which, std::uint64_t value) {
  using enum hal::Register;
  switch (which) {
    case ident_capacity:
      if (capacity_) throw FirmwareFault("ident.capacity is written a second time");
      capacity_ = value;
      return;
    case ident_answer: return answer(value);
    case ident_idle: idle_ = value != 0; return;
    default: throw FirmwareFault("panic: " + machine_.text(value, "the sentence of a panic"));
  }
}

void IdentUnit::ask(hal::Request request, std::uint64_t argument, std::function<void(Status)> answered) {
  TESSERA_CHECK(!asks(), "the firmware is asked for two things at once");
  request_ = request;
  argument_ = argument;
  answered_ = std::move(answered);
  machine_.raise(hal::interrupt_lines::request);
}

void IdentUnit::answer(std::uint64_t status) {
  if (!asks()) throw FirmwareFault("ident.answer, and nothing is asked");
  if (status >= statuses) throw FirmwareFault("ident.answer with status " + std::to_string(status));
  request_ = hal::Request::none;
  std::exchange(answered_, nullptr)(static_cast<Status>(status));
}

void UartUnit::write(hal::Register, std::uint64_t value) {
  const auto character = static_cast<char>(value);
  if (character != '\n') {
    text_.push_back(character);
    return;
  }
  line_(std::exchange(text_, {}));
}

}  // namespace tessera
