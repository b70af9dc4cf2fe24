// Compressed traces read as plain ones do, and one that breaks off is an error whatever the compression.
#include <lz4frame.h>
#include <zstd.h>

#include <boost/iostreams/filter/bzip2.hpp>
#include <boost/iostreams/filter/gzip.hpp>
#include <boost/iostreams/filter/lzma.hpp>
#include <boost/iostreams/filtering_stream.hpp>
#include <catch2/catch.hpp>
#include <sstream>

#include "stimuli/readers/byte_stream.hpp"
#include "stimuli/readers/content_hash.hpp"
#include "stimuli/readers/line_reader.hpp"
#include "unit/readers/trace_files.hpp"

using namespace tessera;
using namespace tessera::test;

namespace {

namespace io = boost::iostreams;

template <class Filter>
std::string filtered(const std::string& plain, const Filter& filter) {
  std::ostringstream out;
  io::filtering_ostream stream;
  stream.push(filter);
  stream.push(out);
  stream << plain;
  stream.reset();
  return out.str();
}

std::string gzip(const std::string& plain) { return filtered(plain, io::gzip_compressor()); }
std::string xz(const std::string& plain) { return filtered(plain, io::lzma_compressor()); }
std::string bzip2(const std::string& plain) { return filtered(plain, io::bzip2_compressor()); }
std::string lz4(const std::string& plain) {
  LZ4F_preferences_t preferences{};
  preferences.frameInfo.contentChecksumFlag = LZ4F_contentChecksumEnabled;  // as the tool writes it
  std::string out(LZ4F_compressFrameBound(plain.size(), &preferences), '\0');
  out.resize(LZ4F_compressFrame(out.data(), out.size(), plain.data(), plain.size(), &preferences));
  return out;
}
std::string zstd(const std::string& plain) {
  std::string out(ZSTD_compressBound(plain.size()), '\0');
  out.resize(ZSTD_compress(out.data(), out.size(), plain.data(), plain.size(), 3));
  return out;
}

/// Records whose offsets do not repeat, so that every compressor writes several blocks.
std::string long_trace(std::uint64_t records) {
  std::string text;
  std::uint64_t offset = 1;
  for (std::uint64_t i = 0; i < records; ++i) {
    offset = offset * 6364136223846793005u + 1442695040888963407u;
    text += std::to_string(i) + ",h,0,Write," + std::to_string((offset >> 30) * 512) + ",512,1\n";
  }
  return text;
}

}  // namespace

TEST_CASE("gzip, xz, zstd, bzip2 and lz4 are opened by their content, several streams in a row as well") {
  const Folder folder;
  const std::string text = long_trace(20'000);
  const auto expected = read_all(folder.write("plain", text), "");
  REQUIRE(expected.size() == 20'000);
  CHECK(read_all(folder.write("a", gzip(text)), "") == expected);
  CHECK(read_all(folder.write("b", xz(text)), "") == expected);
  CHECK(read_all(folder.write("c", zstd(text)), "") == expected);
  CHECK(read_all(folder.write("g", bzip2(text)), "") == expected);
  CHECK(read_all(folder.write("h", lz4(text)), "") == expected);
  const auto middle = text.find('\n', text.size() / 2) + 1;
  CHECK(read_all(folder.write("d", gzip(text.substr(0, middle)) + gzip(text.substr(middle))), "") == expected);
  CHECK(read_all(folder.write("e", xz(text.substr(0, middle)) + xz(text.substr(middle))), "") == expected);
  CHECK(read_all(folder.write("f", zstd(text.substr(0, middle)) + zstd(text.substr(middle))), "") == expected);
  CHECK(read_all(folder.write("i", bzip2(text.substr(0, middle)) + bzip2(text.substr(middle))), "") == expected);
  CHECK(read_all(folder.write("j", lz4(text.substr(0, middle)) + lz4(text.substr(middle))), "") == expected);
}

TEST_CASE("a compressed stream that breaks off anywhere is an error") {
  const std::string text = long_trace(5'000);
  const auto [kind, whole] = GENERATE_COPY(table<std::string, std::string>(
      {{"gzip", gzip(text)}, {"xz", xz(text)}, {"zstd", zstd(text)}, {"bzip2", bzip2(text)}, {"lz4", lz4(text)}}));
  for (const std::size_t kept : {whole.size() - 1, whole.size() - 5, whole.size() - 13, whole.size() / 2, whole.size() / 3}) {
    CAPTURE(kind, kept, whole.size());
    const Folder folder;
    const auto path = folder.write("t", whole.substr(0, kept));
    const auto message = error_of(folder, [&] { read_all(path, "msr"); });
    CHECK_THAT(message, Catch::StartsWith("t: the " + kind + " stream is damaged or cut off after "));
    CHECK_THAT(message, Catch::Contains(" bytes of content, at or before byte " + std::to_string(kept) + ", the file's end ("));
  }
}

TEST_CASE("a cut zstd stream: the message says that it breaks off") {
  const Folder folder;
  const auto whole = zstd(long_trace(10));
  const auto path = folder.write("t", whole.substr(0, whole.size() - 1));
  CHECK(error_of(folder, [&] { read_all(path, "msr"); }) ==
        "t: the zstd stream is damaged or cut off after 0 bytes of content, at or before byte " + std::to_string(whole.size() - 1) +
            ", the file's end (the last frame is not complete)");
}

TEST_CASE("an empty bzip2 or lz4 stream is an empty file, and LZ4's legacy format is named") {
  const Folder folder;
  CHECK(error_of(folder, [&] { read_all(folder.write("a", bzip2("")), "msr"); }) == "a: the trace holds no request");
  CHECK(error_of(folder, [&] { read_all(folder.write("b", lz4("")), "msr"); }) == "b: the trace holds no request");
  CHECK_THAT(error_of(folder, [&] { read_all(folder.write("c", "\x02\x21\x4c\x18 and so on"), ""); }),
             Catch::StartsWith("c: LZ4's legacy format"));
}

TEST_CASE("damaged content inside a stream is an error") {
  const std::string text = long_trace(5'000);
  for (auto whole : {gzip(text), xz(text), bzip2(text), lz4(text)}) {  // all hold a checksum
    const Folder folder;
    whole[whole.size() / 2] = static_cast<char>(whole[whole.size() / 2] ^ 0x55);
    const auto path = folder.write("t", whole);
    CHECK_THAT(error_of(folder, [&] { read_all(path, "msr"); }), Catch::Contains("stream is damaged or cut off after"));
  }
}

TEST_CASE("lines over the edges of the buffer come out whole") {
  const Folder folder;
  std::string text;
  std::vector<std::string> expected;
  for (std::size_t i = 0; i < 3'000; ++i) {
    expected.emplace_back(i * 37 % 1'009, static_cast<char>('a' + i % 26));
    text += expected.back() + "\n";
  }
  LineReader lines(folder.write("t", text));
  for (std::size_t i = 0; i < expected.size(); ++i) {
    std::string_view line;
    REQUIRE(lines.next(line));
    REQUIRE(line == expected[i]);
    REQUIRE(lines.number() == i + 1);
  }
  std::string_view line;
  CHECK_FALSE(lines.next(line));
}

TEST_CASE("the content hash is SHA-256 of the raw bytes") {
  const Folder folder;
  const ContentHash abc = content_hash(folder.write("abc", "abc"));
  CHECK(abc.text() == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");  // FIPS 180-2, B.1
  CHECK(abc.bytes() == 3);
  CHECK(abc.complete());
  CHECK(error_of(folder, [&] { static_cast<void>(content_hash(folder.path("none"))); }) == "none: the file cannot be opened for reading");
}

TEST_CASE("a zstd header of a few bytes that asks for a window of 2 GiB is refused") {
  const auto with_window = [](unsigned log) {
    ZSTD_CCtx* context = ZSTD_createCCtx();
    ZSTD_CCtx_setParameter(context, ZSTD_c_windowLog, static_cast<int>(log));
    const std::string text = "1,web,2,Read,0,512,1\n";
    std::string out(1'000, '\0');
    ZSTD_outBuffer to{out.data(), out.size(), 0};
    ZSTD_inBuffer from{text.data(), text.size(), 0};
    ZSTD_compressStream2(context, &to, &from, ZSTD_e_continue);  // the content's length stays unknown, so the window is stated
    ZSTD_compressStream2(context, &to, &from, ZSTD_e_end);
    ZSTD_freeCCtx(context);
    out.resize(to.pos);
    return out;
  };
  const Folder folder;
  CHECK(read_all(folder.write("a", with_window(27)), "msr").size() == 1);
  CHECK_THAT(reading_error(with_window(28), "msr"), Catch::Contains("needs a window above 128 MiB"));
}
