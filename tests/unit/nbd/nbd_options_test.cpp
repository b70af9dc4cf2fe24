// Structured replies, contexts and block status, byte for byte as the protocol's description has them.
#include <catch2/catch.hpp>

#include "unit/nbd/nbd_bytes.hpp"

using namespace tessera;
using namespace tessera::test;

namespace {

const NbdExport drive{.size = 1U << 20U, .smallest = 512, .preferred = 4096, .largest = 65'536};
const std::string option = "49484156454f5054 ", answer = "0003e889045565a9 ";
const std::string structured = option + "00000008 00000000 ";
const std::string allocation = "626173653a616c6c6f636174696f6e ";  // base:allocation
const std::string go_unnamed = option + "00000007 00000006 00000000 0000 ";

/// LIST (9) or SET (0a) of contexts for an export without a name.
std::string contexts(const std::string& number, const std::vector<std::string>& queries) {
  std::string data = "00000000 " + hex(queries.size(), 4);
  for (const std::string& query : queries) data += hex(bytes(query).size(), 4) + query;
  return option + "000000" + number + hex(bytes(data).size(), 4) + data;
}

std::string context_answer(const std::string& number, const std::string& id) {
  return answer + "000000" + number + " 00000004 00000013 " + id + allocation;
}

std::string plain_answer(const std::string& number, const std::string& type) { return answer + "000000" + number + type + " 00000000 "; }

struct Haggling : NbdConnection {
  Haggling() : NbdConnection(drive) {
    feed(bytes("00000003"));
    CHECK_FALSE(next(request));
    drained(*this);
  }
  /// What is answered to it.
  std::vector<std::byte> says(const std::string& text) {
    feed(bytes(text));
    CHECK_FALSE(next(request));
    return drained(*this);
  }
  NbdRequest request;
};

/// With structured replies and block status, in its transmission phase.
struct Agreed : Haggling {
  Agreed() {
    says(structured + contexts("0a", {allocation}) + go_unnamed);
    CHECK(agreed());
  }
  NbdRequest asks(const std::string& flags_type, const std::string& offset, const std::string& length) {
    feed(bytes("25609513" + flags_type + "00000000000000aa" + offset + length));
    CHECK(next(request));
    return request;
  }
};

std::string chunk(const std::string& flags, const std::string& type, const std::string& length) {
  return "668e33ef" + flags + type + "00000000000000aa" + length;
}

}  // namespace

TEST_CASE("NBD options: structured replies are agreed on, and bring reads in one piece") {
  Haggling connection;
  CHECK(connection.says(option + "00000008 00000001 00") == bytes(plain_answer("08", "80000003")));  // it has no data
  CHECK(connection.says(structured) == bytes(plain_answer("08", "00000001")));
  CHECK(connection.says(option + "00000001 00000000") == bytes("0000000000100000 09fd"));  // 0x97d and 0x80
}

TEST_CASE("NBD options: contexts are found by no query, by their name space and by their name") {
  Haggling connection;
  const std::string found = context_answer("09", "00000000") + plain_answer("09", "00000001");
  CHECK(connection.says(contexts("09", {})) == bytes(found));
  CHECK(connection.says(contexts("09", {"626173653a"})) == bytes(found));  // base:
  CHECK(connection.says(contexts("09", {"71656d753a", allocation})) == bytes(found));
  CHECK(connection.says(contexts("09", {"71656d753a"})) == bytes(plain_answer("09", "00000001")));  // qemu:
}

TEST_CASE("NBD options: a context is chosen by its whole name, with structured replies, for the export that is taken") {
  const auto may_ask = [](const std::string& before, const std::string& go) {
    Haggling connection;
    connection.says(before + go);
    CHECK(connection.agreed());
    connection.feed(bytes("25609513 0000 0007 00000000000000aa 0000000000000000 00000200"));
    return connection.next(connection.request);
  };
  CHECK(may_ask(structured + contexts("0a", {allocation}), go_unnamed));
  CHECK(may_ask(structured + contexts("0a", {allocation}), option + "00000001 00000000"));
  CHECK_FALSE(may_ask(contexts("0a", {allocation}), go_unnamed));
  CHECK_FALSE(may_ask(structured + contexts("0a", {"626173653a"}), go_unnamed));
  CHECK_FALSE(may_ask(structured + contexts("0a", {allocation}) + contexts("0a", {}), go_unnamed));
  CHECK_FALSE(may_ask(structured + contexts("0a", {allocation}), option + "00000007 00000007 00000001 61 0000"));  // another name
}

TEST_CASE("NBD options: what is malformed is refused, whatever is wrong, and the haggling goes on") {
  Haggling connection;
  connection.says(structured);
  const std::string invalid = "80000003", too_big = "80000009";
  CHECK(connection.says(option + "00000003 00000001 00") == bytes(plain_answer("03", invalid)));
  CHECK(connection.says(option + "0000000a 00000000") == bytes(plain_answer("0a", invalid)));
  CHECK(connection.says(option + "0000000a 00000004 00000000") == bytes(plain_answer("0a", invalid)));
  CHECK(connection.says(option + "0000000a 00000008 ffffffff 00000000") == bytes(plain_answer("0a", invalid)));
  CHECK(connection.says(option + "0000000a 00000008 00000000 ffffffff") == bytes(plain_answer("0a", invalid)));
  CHECK(connection.says(option + "0000000a 0000000c 00000000 00000001 00000001") == bytes(plain_answer("0a", invalid)));
  CHECK(connection.says(option + "0000000a 0000000a 00000000 00000000 ffff") == bytes(plain_answer("0a", invalid)));
  CHECK_FALSE(connection.ended());
  Haggling long_name;
  CHECK(long_name.says(option + "00000007 00001007 00001001 " + std::string(std::size_t{2} * 4097, '6') + "0000") ==
        bytes(plain_answer("07", too_big)));
  CHECK(long_name.says(option + "00000005 00000003 616263") == bytes(plain_answer("05", "80000001")));
  long_name.says(go_unnamed);
  CHECK(long_name.agreed());
}

TEST_CASE("NBD structured replies: runs of zeros are holes, and a read in one piece is one") {
  Agreed connection;
  std::vector<std::byte> data(4096 * 3);
  data[0] = std::byte{7};
  data.back() = std::byte{9};
  const auto first = std::span(data).first(4096), last = std::span(data).last(4096);
  const auto both = [](const std::string& before, std::span<const std::byte> bytes_behind) {
    auto all = bytes(before);
    all.insert(all.end(), bytes_behind.begin(), bytes_behind.end());
    return all;
  };
  connection.done(connection.asks("00000000", "0000000000001000", "00003000"), data);
  auto expected = both(chunk("0000", "0001", "00001008") + "0000000000001000", first);
  const auto rest =
      both(chunk("0000", "0002", "0000000c") + "0000000000002000 00001000" + chunk("0001", "0001", "00001008") + "0000000000003000", last);
  expected.insert(expected.end(), rest.begin(), rest.end());
  CHECK(drained(connection) == expected);
  connection.done(connection.asks("00040000", "0000000000001000", "00003000"), data);
  CHECK(drained(connection) == both(chunk("0001", "0001", "00003008") + "0000000000001000", data));
  connection.done(connection.asks("00000000", "0000000000000000", "00000200"), std::vector<std::byte>(512));
  CHECK(drained(connection) == bytes(chunk("0001", "0002", "0000000c") + "0000000000000000 00000200"));
}

TEST_CASE("NBD structured replies: errors have words, and a place where it is known") {
  Agreed connection;
  connection.failed(connection.asks("00000000", "0000000000001000", "00003000"), NbdError::io, "bad", 0x2000);
  CHECK(drained(connection) == bytes(chunk("0001", "8002", "00000011") + "00000005 0003 626164 0000000000002000"));
  connection.failed(connection.asks("00000003", "0000000000000000", "00000000"), NbdError::io, "bad");
  CHECK(drained(connection) == bytes(chunk("0001", "8001", "00000009") + "00000005 0003 626164"));
  connection.done(connection.asks("00000003", "0000000000000000", "00000000"));
  CHECK(drained(connection) == bytes("67446698 00000000 00000000000000aa"));
}

TEST_CASE("NBD structured replies: the states of blocks") {
  Agreed connection;
  const std::vector<NbdExtent> extents{{4096, NbdExtent::hole | NbdExtent::zero}, {512, NbdExtent::data}, {8192, NbdExtent::hole}};
  connection.status(connection.asks("00080007", "0000000000000000", "00010000"), extents);
  CHECK(connection.request.in_one);
  CHECK(drained(connection) == bytes(chunk("0001", "0005", "0000001c") + "00000001 00001000 00000003 00000200 00000000 00002000 00000001"));
}
