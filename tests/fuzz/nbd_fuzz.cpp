// Whatever an NBD client sends: requests lie inside the drive, and the pieces in which they come in change nothing. The first byte says how
// long the pieces are.
#include <algorithm>
#include <cstdlib>
#include <utility>

#include "platforms/serve/nbd_connection.hpp"

using namespace tessera;

namespace {

constexpr NbdExport drive{.size = 1U << 20U, .smallest = 512, .preferred = 4096, .largest = 4096};

void demand(bool holds) {
  if (!holds) std::abort();
}

/// What the connection sends, and the cookies of the requests that reach the drive.
std::pair<std::vector<std::byte>, std::vector<std::uint64_t>> talk(std::span<const std::byte> stream, std::size_t piece) {
  NbdConnection connection(drive);
  std::vector<std::uint64_t> cookies;
  std::vector<std::byte> out;
  for (std::size_t at = 0; at < stream.size(); at += piece) {
    connection.feed(stream.subspan(at, std::min(piece, stream.size() - at)));
    for (NbdRequest request; connection.next(request);) {
      const bool moves = request.command != NbdCommand::flush;
      demand(request.command <= NbdCommand::block_status && request.command != NbdCommand::disconnect);
      demand(!moves || (request.length > 0 && request.length % drive.smallest == 0 && request.offset % drive.smallest == 0));
      demand(!moves || (request.offset < drive.size && request.length <= drive.size - request.offset));
      demand(request.data.size() == (request.command == NbdCommand::write ? request.length : 0));
      cookies.push_back(request.cookie);
      request.data.clear();
      if (request.command == NbdCommand::block_status)
        connection.status(request, std::vector<NbdExtent>{{request.length, NbdExtent::hole}});
      else if (request.cookie % 2 == 0)
        connection.failed(request, NbdError::io, "fuzzed", request.offset);
      else
        connection.done(request, std::vector<std::byte>(request.command == NbdCommand::read ? request.length : 0, std::byte{1}));
      out.insert(out.end(), connection.out().begin(), connection.out().end());
      connection.sent(connection.out().size());
    }
  }
  out.insert(out.end(), connection.out().begin(), connection.out().end());
  return {out, cookies};
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::span stream(reinterpret_cast<const std::byte*>(data) + 1, size - 1);
  demand(talk(stream, std::size_t{data[0]} + 1) == talk(stream, size));
  return 0;
}
