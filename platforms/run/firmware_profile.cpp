#include "platforms/run/firmware_profile.hpp"

#include <ostream>

#include <boost/json.hpp>

namespace tessera {

namespace {

void write_count(std::ostream& out, const riscv::HartProfile::Count& count) {
  out << count.executed;
  for (const std::uint64_t cycles : count.cycles) out << ',' << cycles;
}

}  // namespace

void write_firmware_profile(std::ostream& out, const riscv::HartProfile& profile, const std::string& image, Hertz clock) {
  out << "{\"image\":" << boost::json::serialize(boost::json::string(image)) << ",\n\"clock\":" << clock.value() << ",\n\"causes\":[";
  const char* between = "";
  const auto next = [&]() -> std::ostream& {
    out << between;
    between = ",\n";
    return out;
  };
  for (const char* cause : riscv::HartProfile::names) next() << '"' << cause << '"';
  out << "],\n\"lowest_stack\":" << profile.lowest_stack() << ",\n\"lowest_context\":" << profile.lowest_context();
  out << ",\n\"instructions\":[\n";
  between = "";
  for (const auto& [address, count] : profile.instructions()) {
    next() << '[' << address << ',';
    write_count(out, count);
    out << ']';
  }
  out << "],\n\"calls\":[\n";
  between = "";
  for (const auto& [place, calls] : profile.calls()) {
    next() << '[' << place.first << ',' << place.second << ',' << calls.calls << ',';
    write_count(out, calls.inside);
    out << ']';
  }
  out << "],\n\"contexts\":[\n";
  between = "";
  for (const auto& context : profile.contexts()) next() << '[' << context.caller << ',' << context.function << ',' << context.cycles << ']';
  out << "]}\n";
}

}  // namespace tessera
