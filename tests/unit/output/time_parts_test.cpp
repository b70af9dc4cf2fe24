#include "platforms/output/time_parts.hpp"

#include <catch2/catch.hpp>
#include <map>

using namespace tessera;

namespace {

using Figures = std::map<std::string, double, std::less<>>;

MetricLookup lookup(const Figures& figures) {
  return [&figures](std::string_view name) {
    const auto at = figures.find(name);
    return at == figures.end() ? std::nullopt : std::optional(at->second);
  };
}

std::string parts_of(const Figures& figures) {
  const auto [times, phases] = time_parts(lookup(figures), "host.read");
  return times.mean.empty() ? "" : "mean " + times.mean + ": " + phases.mean + "; slowest 1 % " + times.slowest + ": " + phases.slowest;
}
std::string causes_of(const Figures& figures) {
  const auto [mean, slowest] = cause_parts(lookup(figures), "host.read");
  return mean.empty() ? "" : "mean: " + mean + "; slowest 1 %: " + slowest;
}

}  // namespace

TEST_CASE("seek, rotation and transfer are the media, and the largest parts come first") {
  CHECK(parts_of({{"host.read.time.seek", 4.0},
                  {"host.read.time.rotation", 4.0},
                  {"host.read.time.transfer", 1.0},
                  {"host.read.time.link", 1.0},
                  {"host.read.slowest.host_queue", 49.0},
                  {"host.read.slowest.rotation", 1.0}}) ==
        "mean 10.0 ms: media 90 %, link 10 %; slowest 1 % 50.0 ms: host queue 98 %, media 2.0 %");
}

TEST_CASE("three parts are named, and none below a per cent") {
  CHECK(parts_of({{"host.read.time.lock", 50.0},
                  {"host.read.time.cpu", 20.0},
                  {"host.read.time.flash", 18.0},
                  {"host.read.time.link", 12.0},
                  {"host.read.slowest.lock", 100.0},
                  {"host.read.slowest.link", 0.9}}) == "mean 100 ms: lock 50 %, CPU 20 %, flash 18 %; slowest 1 % 101 ms: lock 99 %");
}

TEST_CASE("writes say nothing of reads") { CHECK(parts_of({{"host.write.time.seek", 4.0}, {"host.write.slowest.seek", 4.0}}).empty()); }

TEST_CASE("whose work it was is said where it was not for the host alone, of the mean or of the slowest") {
  CHECK(causes_of({{"host.read.cause.host", 9.0},
                   {"host.read.cause.rmw", 1.0},
                   {"host.read.slowest_cause.cleaning", 98.0},
                   {"host.read.slowest_cause.requests", 2.0}}) ==
        "mean: own work 90 %, read-modify-write 10 %; slowest 1 %: cleaning 98 %, other requests 2.0 %");
  CHECK(causes_of({{"host.read.cause.host", 9.0}, {"host.read.slowest_cause.host", 9.0}, {"host.read.slowest_cause.requests", 50.0}})
            .empty());
  CHECK(causes_of({{"host.read.cause.host", 999.0}, {"host.read.cause.destage", 1.0}, {"host.read.slowest_cause.host", 999.0}}).empty());
}
