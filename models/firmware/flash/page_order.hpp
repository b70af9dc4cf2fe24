#pragma once
// Which pages of a block a layer programs, and in which order. On flash whose upper pages take the lower page of their word line with
// them at a power cut, acknowledged data is safe in lower pages alone: half of them, at one bit a cell.
#include <cstdint>
#include <string>
#include <vector>

#include "base/parameter.hpp"
#include "firmware/ports/flash_port.hpp"

namespace tessera {

/// What is done about paired pages, where the flash has them.
enum class PairedPages : std::uint32_t {
  lower_only,  ///< upper pages stay empty
  unsafe       ///< nothing: a cut may take what was acknowledged
};

inline void describe_paired_pages(ParameterVisitor& visitor, PairedPages& paired) {
  visitor.enumeration("paired_pages", paired, {"lower_only", "unsafe"},
                      "flash with nand.paired_page: lower_only: only lower pages are programmed; unsafe: all, and a cut may take "
                      "acknowledged data");
}

/// What a layer warns of that keeps acknowledged data in such flash; `paper`: it is in its published form.
[[nodiscard]] std::vector<std::string> paired_pages_warnings(const FlashShape& shape, PairedPages paired, bool paper);

/// Pages are programmed in order, and so are the subpages of a page: both are counted in subpages, from the first one of the block.
class PageOrder {
 public:
  PageOrder(const FlashShape& shape, PairedPages paired) : subpages_(shape.subpages), places_(shape.pages_per_block + 1) {
    const bool lower_only = shape.paired_pages && paired == PairedPages::lower_only;
    for (std::uint32_t page = 0; page < shape.pages_per_block; ++page) {
      places_[page] = static_cast<std::uint32_t>(pages_.size());
      if (!lower_only || paired_lower_page(page, shape.pages_per_block) == page) pages_.push_back(page);
    }
    places_.back() = static_cast<std::uint32_t>(pages_.size());
  }

  /// Subpages of a block that are programmed.
  [[nodiscard]] std::uint32_t count() const { return static_cast<std::uint32_t>(pages_.size()) * subpages_; }
  /// Subpages of a page.
  [[nodiscard]] std::uint32_t in_page() const { return subpages_; }
  /// The subpage of its block that is programmed as number `place`.
  [[nodiscard]] std::uint32_t page(std::uint32_t place) const {
    if (subpages_ == 1) return pages_[place];  // most flash needs no division
    return pages_[place / subpages_] * subpages_ + place % subpages_;
  }
  /// How many are programmed before subpage `page` of the block, with the page that it lies in if that was begun.
  [[nodiscard]] std::uint32_t before(std::uint32_t page) const { return places_[(page + subpages_ - 1) / subpages_] * subpages_; }
  /// `place`, or the first one of the page behind it.
  [[nodiscard]] std::uint32_t page_end(std::uint32_t place) const { return (place + subpages_ - 1) / subpages_ * subpages_; }

 private:
  std::uint32_t subpages_;
  std::vector<std::uint32_t> pages_;   // by place
  std::vector<std::uint32_t> places_;  // by page, and one behind
};

}  // namespace tessera
