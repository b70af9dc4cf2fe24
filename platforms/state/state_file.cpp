#include "platforms/state/state_file.hpp"

#include <zstd.h>

#include <fstream>
#include <memory>
#include <sstream>

#include "base/check.hpp"
#include "base/error.hpp"
#include "platforms/output/output_file.hpp"

namespace tessera {

namespace {

constexpr std::string_view title = "tessera drive state ";
constexpr std::string_view schema = "1";  // of what the parts write: another one for each change of it

constexpr std::size_t piece_bytes = std::size_t{1} << 20;

using Compressor = std::unique_ptr<ZSTD_CCtx, decltype(&ZSTD_freeCCtx)>;
using Decompressor = std::unique_ptr<ZSTD_DCtx, decltype(&ZSTD_freeDCtx)>;

}  // namespace

std::string packed_state(std::string_view state) {
  std::string file = std::string(title) + std::string(schema) + "\n";
  const std::size_t head = file.size();
  file.resize(head + ZSTD_compressBound(state.size()));
  const Compressor compressor(ZSTD_createCCtx(), &ZSTD_freeCCtx);
  ZSTD_CCtx_setParameter(compressor.get(), ZSTD_c_checksumFlag, 1);
  const std::size_t size = ZSTD_compress2(compressor.get(), file.data() + head, file.size() - head, state.data(), state.size());
  TESSERA_CHECK(ZSTD_isError(size) == 0, "a state cannot be compressed");
  file.resize(head + size);
  return file;
}

std::string unpacked_state(std::string_view file, std::string_view name) {
  if (!file.starts_with(title)) throw input_error(name, 0, "expected the state of a drive that --save-state wrote, found something else");
  file.remove_prefix(title.size());
  const std::string_view found = file.substr(0, file.find('\n'));
  if (found != schema)
    throw input_error(name, 0,
                      "the state has schema " + std::string(found.substr(0, 20)) + " and this simulator reads schema " +
                          std::string(schema) + ": save it anew");
  file.remove_prefix(std::min(file.size(), schema.size() + 1));
  const auto damaged = [name](const std::string& how) { return input_error(name, 0, "the state of the drive is damaged: " + how); };
  const std::size_t frame = ZSTD_findFrameCompressedSize(file.data(), file.size());
  if (ZSTD_isError(frame) != 0) throw damaged(ZSTD_getErrorName(frame));
  if (frame != file.size()) throw damaged("something follows its end");
  // By pieces: a header of a few bytes may promise more than there is memory.
  const Decompressor decompressor(ZSTD_createDCtx(), &ZSTD_freeDCtx);
  std::string state;
  ZSTD_inBuffer from{file.data(), file.size(), 0};
  for (std::size_t pending = 1; pending != 0;) {
    const std::size_t filled = state.size();
    state.resize(filled + piece_bytes);
    ZSTD_outBuffer to{state.data() + filled, piece_bytes, 0};
    pending = ZSTD_decompressStream(decompressor.get(), &to, &from);
    if (ZSTD_isError(pending) != 0) throw damaged(ZSTD_getErrorName(pending));
    state.resize(filled + to.pos);
    if (pending != 0 && to.pos < piece_bytes && from.pos == from.size) throw damaged("it breaks off");
  }
  return state;
}

std::string read_state(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  if (!in || std::filesystem::is_directory(file)) throw input_error(file.string(), 0, "the file cannot be opened for reading");
  std::ostringstream bytes;
  bytes << in.rdbuf();
  if (in.bad()) throw input_error(file.string(), 0, "the file cannot be read");
  return unpacked_state(bytes.view(), file.string());
}

void write_state(const std::filesystem::path& file, std::string_view packed) {
  OutputFile out(file);
  out.append(packed);
  out.close();
}

}  // namespace tessera
