// tests/data/traces holds the same five requests in every text format: all readers must give the same records.
#include <catch2/catch.hpp>

#include "unit/readers/trace_files.hpp"

using namespace tessera;
using namespace tessera::test;

TEST_CASE("the same requests read the same from every text format") {
  const std::vector<TraceRecord> expected = {record(0, HostOp::write, 4096, 8192), record(ps_per_second, HostOp::read, 1 << 20, 4096),
                                             record(2 * ps_per_second, HostOp::write, 4096, 512),
                                             record(2 * ps_per_second, HostOp::read, 0, 512),
                                             record(10 * ps_per_second, HostOp::write, 1 << 20, 65'536)};
  std::size_t traces = 0;
  for (const auto& file : std::filesystem::directory_iterator(TESSERA_TINY_TRACES)) {
    if (file.path().extension() == ".toml") continue;
    CAPTURE(file.path());
    TraceOptions options;
    options.path = file.path().string();
    if (file.path().extension() == ".ascii") options.format = "ascii:ms";  // few records: they may be nanoseconds as well
    auto records = read_all(*open_trace(options));
    for (auto& record : records) record.think.reset();  // one format alone tells it
    CHECK(records == expected);
    ++traces;
  }
  CHECK(traces == 10);
}
