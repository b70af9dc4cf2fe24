// What the packets of a debugger do, against a target that only notes it.
#include "platforms/gdb/gdb_session.hpp"

#include <catch2/catch.hpp>

#include "platforms/gdb/gdb_features.hpp"
#include "unit/gdb/fake_target.hpp"

using namespace tessera;

namespace {

struct Session {
  explicit Session(bool wide = true) : target(wide) { packets.stop_acknowledging(); }
  test::FakeTarget target;
  GdbPackets packets;
  GdbSession session{target, packets};

  /// What is sent, without the frames of the packets.
  std::string sent() {
    std::string text;
    const std::string all(packets.out());
    packets.sent(all.size());
    for (std::size_t at = 0; at < all.size();) {
      const std::size_t end = all.find('#', at);
      text += (text.empty() ? "" : "|") + all.substr(at + 1, end - at - 1);
      at = end + 3;
    }
    return text;
  }
  /// The answer to a packet that leaves the target where it is.
  std::string ask(const std::string& packet) {
    CHECK_FALSE(session.serve(packet));
    return sent();
  }
};

const std::string no_memory = "E01", malformed = "E16";

}  // namespace

TEST_CASE("GDB session: registers in the target's width, least significant byte first") {
  Session wide, narrow(false);
  CHECK(wide.ask("p2") == "0207060504030201");
  CHECK(narrow.ask("p2") == "02070605");
  CHECK(wide.ask("p20") == "2007060504030201");  // pc
  CHECK(wide.ask("g").size() == 33 * 16);
  CHECK(narrow.ask("g").substr(0, 24) == "000706050107060502070605");
  CHECK(wide.ask("P5=1122334455667788") == "OK");
  CHECK(wide.target.registers[5] == 0x8877'6655'4433'2211);
  CHECK(narrow.ask("P20=11223344") == "OK");
  CHECK(narrow.target.registers[32] == 0x4433'2211);
  CHECK(wide.ask("P5=11223344") == malformed);  // half of a register
  CHECK(wide.ask("P5") == malformed);
  CHECK(wide.ask("p") == malformed);
  CHECK(wide.ask("p21") == no_memory);  // between pc and the CSRs
  std::string all;
  for (unsigned i = 0; i < 33; ++i) all += to_hex(std::string(1, static_cast<char>(i))) + "00000000000000";
  CHECK(wide.ask("G" + all) == "OK");
  CHECK(wide.target.registers[32] == 32);
  CHECK(wide.ask("G" + all.substr(2)) == malformed);
}

TEST_CASE("GDB session: CSRs have GDB's numbers from 65 on") {
  Session session;
  CHECK(session.ask("p346") == "8000000000000000");  // 0x305 + 65, mtvec
  CHECK(session.ask("P346=0001000000000000") == "OK");
  CHECK(session.target.mtvec == 0x100);
  CHECK(session.ask("p347") == no_memory);
  CHECK(session.ask("P347=0001000000000000") == no_memory);
  CHECK(session.ask("p1041") == no_memory);  // behind the last, 0xfff + 65
  CHECK(session.ask("pffffffffffffffff") == no_memory);
}

TEST_CASE("GDB session: memory is read as far as there is some") {
  Session session;
  for (unsigned i = 0; i < 256; ++i) session.target.memory[i] = static_cast<std::byte>(i);
  CHECK(session.ask("m1000,4") == "00010203");
  CHECK(session.ask("m10fe,2") == "feff");
  CHECK(session.ask("m10fe,3") == "feff");
  CHECK(session.ask("m10ff,ffffffffffffffff") == "ff");
  CHECK(session.ask("m1100,1") == no_memory);
  CHECK(session.ask("mfff,1") == no_memory);
  CHECK(session.ask("m1000,0").empty());
  for (const std::string bad : {"m", "m1000", "m1000,", "m,4", "m1000,4x", "m10000000000000000,1"}) CHECK(session.ask(bad) == malformed);
}

TEST_CASE("GDB session: memory is written whole or not at all") {
  Session session;
  CHECK(session.ask("M10fe,2:aabb") == "OK");
  CHECK(session.target.memory[0xfe] == std::byte{0xaa});
  CHECK(session.ask("M10ff,2:1122") == no_memory);
  CHECK(session.target.memory[0xff] == std::byte{0xbb});
  CHECK(session.ask("M1000,2:11") == malformed);
  CHECK(session.ask("M1000,1:1") == malformed);
  CHECK(session.ask("M1000,1") == malformed);
  CHECK(session.ask(std::string("X1000,3:\x00#}", 11)) == "OK");
  CHECK(session.target.memory[2] == std::byte{'}'});
  CHECK(session.ask("X1000,4:abc") == malformed);
  CHECK(session.ask("X9000,0:") == "OK");  // how a debugger asks whether there is such a packet
}

TEST_CASE("GDB session: breakpoints are set once however often they are asked for, and all go with the debugger") {
  Session session;
  CHECK(session.ask("Z0,1000,2") == "OK");
  CHECK(session.ask("Z0,1000,2") == "OK");
  CHECK(session.ask("Z1,1000,4") == "OK");  // the same one for the target
  CHECK(session.target.asked == std::vector<std::string>{"break 4096"});
  CHECK(session.ask("z0,1000,2") == "OK");
  CHECK(session.target.asked.size() == 1);  // the other holds it
  CHECK(session.ask("z1,1000,4") == "OK");
  CHECK(session.ask("z1,1000,4") == "OK");
  CHECK(session.target.asked == std::vector<std::string>{"break 4096", "clear 4096"});
  CHECK(session.ask("Z0,0,2") == no_memory);
  session.target.asked.clear();
  CHECK(session.ask("Z0,1000,2") == "OK");
  CHECK(session.ask("Z2,1010,4") == "OK");
  CHECK(session.ask("Z3,1010,4") == "OK");
  CHECK(session.ask("Z4,1010,8") == "OK");
  session.session.forget();
  CHECK(session.target.asked == std::vector<std::string>{"break 4096", "watch 4112 4 0", "watch 4112 4 1", "watch 4112 8 2", "clear 4096",
                                                         "unwatch 4112 4 0", "unwatch 4112 4 1", "unwatch 4112 8 2"});
  CHECK(session.ask("Z2,1010,0") == no_memory);
  CHECK(session.ask("Z5,1000,2").empty());
  for (const std::string bad : {"Z", "Z0", "Z0,", "Z0,1000", "Z0,x,2"}) CHECK(session.ask(bad) == malformed);
}

TEST_CASE("GDB session: a target that has forgotten its breakpoints gets those that are set, once each") {
  Session session;
  CHECK(session.ask("Z0,1000,2") == "OK");
  CHECK(session.ask("Z0,1004,2") == "OK");
  CHECK(session.ask("Z4,1010,8") == "OK");
  CHECK(session.ask("z0,1004,2") == "OK");
  session.target.asked.clear();
  session.session.set_points_again();
  CHECK(session.target.asked == std::vector<std::string>{"break 4096", "watch 4112 8 2"});
}

TEST_CASE("GDB session: why the target stopped, to a debugger that waits for it") {
  Session session;
  using Reason = DebugStop::Reason;
  const auto goes_on_until = [&session](const DebugStop& stop) {
    CHECK(session.session.serve("vCont;c:1") == Resume::run);
    CHECK(session.sent().empty());
    session.session.stopped(stop);
    return session.sent();
  };
  session.session.stopped({Reason::begin, 0, 0, {}});
  CHECK(session.sent().empty());  // nobody waits
  CHECK(session.ask("?") == "T05thread:1;");
  CHECK(goes_on_until({Reason::step, 0, 0, {}}) == "T05thread:1;");
  CHECK(goes_on_until({Reason::interrupt, 0, 0, {}}) == "T02thread:1;");
  session.target.registers[32] = 0x1000;
  CHECK(session.ask("Z0,1000,2") == "OK");
  CHECK(goes_on_until({Reason::breakpoint, 0, 0, {}}) == "T05swbreak:;thread:1;");
  CHECK(session.ask("z0,1000,2") == "OK");
  CHECK(session.ask("Z1,1000,2") == "OK");
  CHECK(goes_on_until({Reason::breakpoint, 0, 0, {}}) == "T05hwbreak:;thread:1;");
  CHECK(goes_on_until({Reason::watchpoint, 0x1010, 4, {}}) == "T05watch:1010;thread:1;");  // there is none: what was accessed
  CHECK(session.ask("Z2,1008,8") == "OK");
  CHECK(session.ask("Z3,1014,4") == "OK");
  CHECK(session.ask("Z4,1020,1") == "OK");
  CHECK(goes_on_until({Reason::watchpoint, 0x1008, 4, {}}) == "T05watch:1008;thread:1;");
  CHECK(goes_on_until({Reason::watchpoint, 0x100f, 1, {}}) == "T05watch:100f;thread:1;");
  CHECK(goes_on_until({Reason::watchpoint, 0x1010, 8, {}}) == "T05rwatch:1014;thread:1;");  // it began in front of the watchpoint
  CHECK(goes_on_until({Reason::watchpoint, 0x1018, 8, {}}) == "T05watch:1018;thread:1;");   // 0x1018 to 0x101f touches none
  CHECK(goes_on_until({Reason::watchpoint, 0x101c, 8, {}}) == "T05awatch:1020;thread:1;");
  CHECK(goes_on_until({Reason::fault, 0, 0, "bad"}) == "O626164|T0bthread:1;");
  CHECK(session.ask("?") == "T0bthread:1;");
  CHECK(session.session.serve("c") == Resume::run);
  session.session.exited(3);
  CHECK(session.sent() == "W03");
}

TEST_CASE("GDB session: step and continue in each of their forms") {
  const auto asked = [](const std::string& packet) {
    Session session;
    const auto wanted = session.session.serve(packet);
    return std::pair(wanted, session.target.registers[32] == 0x1004);
  };
  using Asked = std::pair<std::optional<Resume>, bool>;
  CHECK(asked("c") == Asked{Resume::run, false});
  CHECK(asked("c1004") == Asked{Resume::run, true});
  CHECK(asked("s") == Asked{Resume::step, false});
  CHECK(asked("s1004") == Asked{Resume::step, true});
  CHECK(asked("C05") == Asked{Resume::run, false});
  CHECK(asked("S05;1004") == Asked{Resume::step, true});
  CHECK(asked("vCont;s:1;c") == Asked{Resume::step, false});
  CHECK(asked("vCont;C05") == Asked{Resume::run, false});
  CHECK(asked("k") == Asked{Resume::end, false});
  CHECK(asked("vKill;1") == Asked{Resume::end, false});
  for (const std::string bad : {"cx", "c1004x", "C", "C05;", "S05;x", "vCont;", "vCont;q"}) CHECK(asked(bad) == Asked{std::nullopt, false});
}

TEST_CASE("GDB session: a debugger that detaches leaves nothing behind") {
  Session session;
  CHECK(session.ask("Z0,1000,2") == "OK");
  CHECK(session.session.serve("D;1") == Resume::run);
  CHECK(session.sent() == "OK");
  CHECK(session.session.detached());
  CHECK(session.target.asked == std::vector<std::string>{"break 4096", "clear 4096"});
}

TEST_CASE("GDB session: the target's description comes in pieces that sum to it") {
  Session session;
  const std::string whole = target_description(true);
  std::string read;
  for (std::string answer = "m"; answer.front() == 'm';) {
    CHECK_FALSE(session.session.serve("qXfer:features:read:target.xml:" + hex_number(read.size()) + ",200"));
    GdbPackets decoder;
    decoder.feed(session.packets.out());
    session.packets.sent(session.packets.out().size());
    answer = decoder.next().value_or("l");
    CHECK(answer.size() <= 0x201);
    read += answer.substr(1);
  }
  CHECK(read == whole);
  CHECK(whole.find("<architecture>riscv:rv64</architecture>") != std::string::npos);
  CHECK(whole.find("name=\"mcause\" bitsize=\"64\" regnum=\"899\"") != std::string::npos);  // 65 + 0x342
  CHECK(target_description(false).find("<architecture>riscv:rv32</architecture>") != std::string::npos);
  CHECK(session.ask("qXfer:features:read:target.xml:" + hex_number(whole.size()) + ",10") == "l");
  CHECK(session.ask("qXfer:features:read:target.xml:" + hex_number(whole.size() + 1) + ",10") == malformed);
  CHECK(session.ask("qXfer:features:read:target.xml:0") == malformed);
  CHECK(session.ask("qXfer:memory-map:read::0,10").empty());
}

TEST_CASE("GDB session: monitor shows what the target has, and helps where it does not know") {
  Session session;
  CHECK(session.ask("qRcmd," + to_hex("time")) == "O" + to_hex("12.5 ms\n") + "|OK");
  CHECK(session.ask("qRcmd," + to_hex("cut")) == "O" + to_hex("this target has no such thing\n") + "|OK");
  CHECK(session.ask("qRcmd," + to_hex("requests")) == "O" + to_hex("this target has no such thing\n") + "|OK");
  CHECK(session.ask("qRcmd," + to_hex("help")).find(to_hex("monitor requests")) != std::string::npos);
  CHECK(session.ask("qRcmd," + to_hex("tiem")).starts_with("O" + to_hex("unknown command 'tiem'; there are:\n")));
  CHECK(session.ask("qRcmd,7") == malformed);
}

TEST_CASE("GDB session: what GDB asks before it begins, and what nobody knows") {
  Session session;
  CHECK(session.ask("qSupported:multiprocess+;swbreak+") ==
        "PacketSize=4000;qXfer:features:read+;swbreak+;hwbreak+;vContSupported+;QStartNoAckMode+");
  CHECK(session.ask("vCont?") == "vCont;c;C;s;S");
  CHECK(session.ask("Hg0") == "OK");
  CHECK(session.ask("qAttached") == "1");
  CHECK(session.ask("qfThreadInfo") == "m1");
  CHECK(session.ask("qsThreadInfo") == "l");
  CHECK(session.ask("qC") == "QC1");
  for (const std::string unknown : {"", "vMustReplyEmpty", "vFile:open:00", "!", "qTStatus", "R00", "\x80\xff"})
    CHECK(session.ask(unknown).empty());
}
