#pragma once
// The host's side of a scoreboard: requests, and a plain array of blocks that stands for a drive's content.
#include <cstring>
#include <map>
#include <memory>
#include <vector>

#include "stimuli/scoreboard/block_content.hpp"
#include "stimuli/scoreboard/scoreboard.hpp"
#include "stimuli/scoreboard/version_tag.hpp"

namespace tessera::test {

struct Host {
  explicit Host(DurabilityPromise promise = DurabilityPromise::acknowledged, ContentMode content = ContentMode::tags,
                const PrefilledBlocks& prefilled = {})
      : mode(content), board(content, promise, 8, prefilled) {}

  HostRequest& issue(HostOp op, std::uint64_t first, std::uint32_t count, bool fua = false) {
    requests.push_back(std::make_unique<HostRequest>());
    HostRequest& request = *requests.back();
    request.op = op;
    request.blocks = {HostBlock(first), count};
    request.force_unit_access = fua;
    request.number = requests.size() - 1;
    board.issued(request);
    return request;
  }
  HostRequest& read(std::uint64_t first, std::uint32_t count = 1) { return issue(HostOp::read, first, count); }
  HostRequest& write(std::uint64_t first, std::uint32_t count = 1, bool fua = false) { return issue(HostOp::write, first, count, fua); }
  HostRequest& trim(std::uint64_t first, std::uint32_t count = 1) { return issue(HostOp::trim, first, count); }
  HostRequest& flush() { return issue(HostOp::flush, 0, 0); }

  void done(HostRequest& request, Status status = Status::ok) {
    request.status = status;
    board.completed(request);
  }
  /// A write that the drive acknowledges at once.
  HostRequest& written(std::uint64_t first, std::uint32_t count = 1, bool fua = false) {
    HostRequest& request = write(first, count, fua);
    done(request);
    return request;
  }

  /// The tag that a write put into a block.
  static Tag tag(const HostRequest& request, std::uint64_t block, ContentMode mode = ContentMode::tags) {
    Tag tag = 0;
    std::memcpy(&tag, request.content.data() + (block - request.blocks.first.value()) * kept_per_block(mode), sizeof tag);
    return tag;
  }
  /// Puts these tags into a read's content and completes it; whether the scoreboard took them.
  bool returns(HostRequest& request, const std::vector<Tag>& tags) {
    const std::size_t kept = kept_per_block(mode);
    for (std::size_t i = 0; i < tags.size(); ++i) write_block(ContentSpan(request.content).subspan(i * kept, kept), tags[i]);
    const std::uint64_t before = board.errors();
    done(request);
    return board.errors() == before;
  }
  /// Reads one block, alone at the drive, and returns `found`; whether the scoreboard took it.
  bool reads_as(std::uint64_t block, Tag found) { return returns(read(block), {found}); }
  void cut(std::initializer_list<HostRequest*> at_drive) {
    for (HostRequest* request : at_drive) board.lost(*request);
    board.power_cut();
  }

  ContentMode mode;
  Scoreboard board;
  std::vector<std::unique_ptr<HostRequest>> requests;
};

}  // namespace tessera::test
