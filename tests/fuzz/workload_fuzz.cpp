// A workload of any bytes draws requests inside its drive, or is an InputError.
#include <string>

#include "base/check.hpp"
#include "base/error.hpp"
#include "platforms/description/reader.hpp"
#include "stimuli/generators/generator.hpp"

using namespace tessera;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  constexpr Bytes capacity{std::uint64_t{1} << 30};
  const std::string text(reinterpret_cast<const char*>(data), size);
  try {
    const TomlDocument document = TomlDocument::parse(text, "workload.toml");
    WorkloadConfig workload;
    DescriptionReader reader(document);
    workload.describe(reader);
    reader.finish();
    if (!workload.offsets.empty()) return 0;  // names another file
    const auto source = make_generator(workload, "fuzz", 1, capacity);
    TraceRecord record;
    Picoseconds last;
    for (int i = 0; i < 200 && source->next(record); ++i) {
      TESSERA_CHECK(record.arrival >= last, "time runs backwards");
      TESSERA_CHECK(record.offset.value() + record.size.value() >= record.offset.value(), "a request wraps");
      last = record.arrival;
    }
    static_cast<void>(source->notes());
  } catch (const InputError&) {
  }
  return 0;
}
