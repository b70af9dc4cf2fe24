// What every layer of the list says of itself.
#include <catch2/catch.hpp>

#include <set>

#include "firmware/layers/layer_factories.hpp"
#include "firmware/translation_layer.hpp"

using namespace tessera;
using namespace tessera::literals;

TEST_CASE("a command of a layer that cleans whole caches may rightfully wait for an hour, one of the others has the default of the host") {
  const std::set<std::string> patient{"vguard",     "skylight-flash", "pore",        "mu-rmw",     "skylight-disk", "fluid",
                                      "fluid-loop", "amphisbaena",    "media-cache", "host-aware", "tessera"};
  for (const std::unique_ptr<LayerFactory>& layer : all_layers()) {
    INFO(layer->name());
    CHECK(layer->longest_wait() == (patient.contains(layer->name()) ? 3600_s : 0_s));
  }
}

TEST_CASE("the layers with caches in flash, as they come, do not run on a drive without") {
  const std::set<std::string> with_flash{"hwsr", "sblock", "skylight-flash", "pore", "mu-rmw", "tessera", "tessera-imr"};
  for (const std::unique_ptr<LayerFactory>& layer : all_layers()) {
    INFO(layer->name());
    CHECK(layer->needs_flash() == with_flash.contains(layer->name()));
  }
}

TEST_CASE("no layer forgets what it acknowledged unless it is told to") {
  for (const std::unique_ptr<LayerFactory>& layer : all_layers()) {
    INFO(layer->name());
    CHECK_FALSE(layer->promises_flushed_only());
  }
}

TEST_CASE("imr-rmw refuses a drive with no track for data in one sentence") {
  DriveGeometry geometry;
  geometry.zones = {{0, 3, 16, 0}};
  std::string problem;
  CHECK(make_imr_rmw_factory()->plan(geometry, problem).empty());
  CHECK(problem == "the drive has too few tracks for data beside the backup region");
}
