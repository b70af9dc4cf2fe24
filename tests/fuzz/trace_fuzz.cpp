// A trace of any bytes gives records within the promises of TraceRecord, or an InputError.
#include <sstream>

#include "base/check.hpp"
#include "base/error.hpp"
#include "fuzz/memory_file.hpp"
#include "stimuli/readers/open_trace.hpp"
#include "stimuli/readers/trace_probe.hpp"

using namespace tessera;

namespace {

constexpr std::uint64_t most_records = 100'000;  // a few bytes of a compressed stream hold millions

/// The words of --format; "recognised" leaves the choice to the content.
std::string format() {
  const std::string name = TESSERA_FUZZ_FORMAT;
  if (name == "recognised") return "";
  if (name == "packed") return "msr";  // what varies is how it is compressed
  if (name == "layout") return "blkparse:queue,%D %2c %8s %5T.%9t %5p %2a %3d %S + %n [%C]\\n";
  if (name == "pattern")
    return R"(columns:time=t:us,offset=at:512,size=n:KiB,op=op:r=r,w=w,quotes=yes,unmatched=skip,regex=\[(?<t>[\d.]+)\] (?<op>\w+),(?<at>\w+)\+(?P<n>\d+))";
  return name == "columns" ? "columns:time=1:us,offset=2:512,size=3:bytes,op=4:r=r,w=w,f=f,t=t,volume=5" : name;
}

void read_all(TraceSource& source) {
  Picoseconds last;
  TraceRecord record;
  for (std::uint64_t i = 0; i < most_records && source.next(record); ++i) {
    TESSERA_CHECK(record.arrival >= last, "time runs backwards");
    TESSERA_CHECK(record.size <= max_request_size, "a request is too large");
    TESSERA_CHECK((record.size == Bytes(0)) == (record.op == HostOp::flush), "an empty request");
    TESSERA_CHECK(record.offset.value() + record.size.value() >= record.offset.value(), "a request wraps");
    static_cast<void>(source.volume_name(record.volume));
    static_cast<void>(source.position());
    last = record.arrival;
  }
  static_cast<void>(source.notes());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const test::MemoryFile file(data, size);
  TraceOptions options;
  options.path = file.path();
  options.format = format();
  try {
    read_all(*open_trace(options));
  } catch (const InputError&) {
  }
  if (options.format.empty()) {
    std::ostringstream probe;
    try {
      print_probe(options.path, probe);
    } catch (const InputError&) {
    }
  }
  options.order.sort_all = true;
  options.fold = true;
  options.adapt = SectorAdaptation::align;
  try {
    read_all(*open_trace(options, Bytes(std::uint64_t{1} << 40), Bytes(4096)));
  } catch (const InputError&) {
  }
  return 0;
}
