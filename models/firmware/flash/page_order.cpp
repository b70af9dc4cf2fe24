#include "firmware/flash/page_order.hpp"

namespace tessera {

std::vector<std::string> paired_pages_warnings(const FlashShape& shape, PairedPages paired, bool paper) {
  if (!shape.paired_pages || paired != PairedPages::unsafe) return {};
  const std::string mended = "paired_pages = \"lower_only\"";
  return {
      "with nand.paired_page a power cut while an upper page is programmed destroys acknowledged data in the lower page of its word "
      "line; " +
      (paper ? "paper = false with " + mended : mended) + " programs lower pages alone, half of the flash"};
}

}  // namespace tessera
