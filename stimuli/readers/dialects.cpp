#include "stimuli/readers/dialects.hpp"

#include <algorithm>
#include <array>

#include "stimuli/readers/decimal.hpp"

namespace tessera {
namespace {

constexpr double dialect_fits = 0.95;  // words or relations that no other format has

bool number(std::string_view text) {
  std::uint64_t ignored = 0;
  return parse_unsigned(text, ignored) == NumberFault::none;
}

bool decimal(std::string_view text) {
  TraceTime ignored = 0;
  return text.find('.') != std::string_view::npos && parse_time(text, 1'000'000, ignored) == NumberFault::none;
}

bool hexadecimal(std::string_view text) {
  std::uint64_t ignored = 0;
  return text.starts_with("0x") && parse_hexadecimal(text, ignored) == NumberFault::none;
}

bool read_or_write(std::string_view text) { return same_word(text, "r") || same_word(text, "w"); }

bool any_read_or_write(std::string_view text) { return text.starts_with('R') || text.starts_with('W'); }

/// 0 and 1 alone mean a read or a write.
bool bit(std::string_view text) { return text == "0" || text == "1"; }

/// A time since 1970 in `digits` digits (ten in seconds, sixteen in microseconds: the years 2001 to 2286).
bool since_1970(std::string_view text, std::size_t digits) { return text.size() == digits && text[0] != '0' && number(text); }

std::vector<Evidence> alibaba(const Sample& s) {
  return fits(dialect_fits, share_of_lines(s, ',', [](const Fields& f) {
                return f.size() == 5 && number(f[0]) && read_or_write(f[1]) && number(f[2]) && number(f[3]) && number(f[4]);
              }));
}

std::vector<Evidence> tencent(const Sample& s) {
  return fits(dialect_fits, share_of_lines(s, ',', [](const Fields& f) {
                return f.size() == 5 && since_1970(f[0], 10) && number(f[1]) && number(f[2]) && bit(f[3]) && number(f[4]);
              }));
}

std::vector<Evidence> systor(const Sample& s) {
  return fits(dialect_fits, share_of_lines(s, ',', [](const Fields& f) {
                return f.size() == 6 && decimal(f[0]) && (f[1].empty() || decimal(f[1])) && (f[2].empty() || read_or_write(f[2])) &&
                       number(f[3]) && number(f[4]) && number(f[5]);
              }));
}

std::vector<Evidence> msps(const Sample& s) {
  const bool rows = std::ranges::any_of(s.lines, [](std::string_view line) {
    Fields f(',');
    f.split(line);
    return f.size() >= 9 && (f[0] == "DiskRead" || f[0] == "DiskWrite") && number(f[1]) && hexadecimal(f[5]) && hexadecimal(f[6]);
  });
  return rows ? fits(1) : std::vector<Evidence>{};
}

std::vector<Evidence> fiu(const Sample& s) {
  return fits(dialect_fits, share_of_lines(s, ' ', [](const Fields& f) {
                const auto n = f.size();
                if (n < 9 || n > Fields::capacity) return false;
                return number(f[0]) && number(f[1]) && number(f[n - 6]) && number(f[n - 5]) && read_or_write(f[n - 4]) &&
                       number(f[n - 3]) && number(f[n - 2]) && f[n - 1].size() >= 32;
              }));
}

std::vector<Evidence> blkreplay(const Sample& s) {
  const auto record = [](const Fields& f) {
    return (f.size() == 6 || f.size() == 4) && decimal(f[0]) && number(f[1]) && number(f[2]) && any_read_or_write(f[3]);
  };
  Fields f(';');
  const bool header = std::ranges::any_of(s.lines, [&](std::string_view line) {
    f.split(line);
    return f.size() >= 4 && f[0] == "start" && f[1] == "sector";
  });
  return header ? fits(1) : fits(dialect_fits, share_of_lines(s, ';', record));
}

/// The offset in bytes is the block times 512 in every line: no accident.
std::vector<Evidence> iotta8(const Sample& s) {
  return fits(dialect_fits, share_of_lines(s, ',', [](const Fields& f) {
                std::uint64_t block = 0;
                std::uint64_t offset = 0;
                return f.size() == 8 && number(f[0]) && parse_unsigned(f[1], block) == NumberFault::none && number(f[2]) &&
                       read_or_write(f[3]) && parse_unsigned(f[4], offset) == NumberFault::none && block <= ~std::uint64_t{0} / 512 &&
                       offset == block * 512 && number(f[5]);
              }));
}

/// Sixteen columns, or seventeen with the time of day in front of the elapsed one, so that all others keep their place from the right;
/// above them, as a comment, the names of the columns.
std::vector<Evidence> hfplayer(const Sample& s) {
  return fits(dialect_fits, share_of_lines(s, ',', [](const Fields& f) {
                const auto n = f.size();
                return (n == 16 || n == 17) && (f[n - 13] == "RD" || f[n - 13] == "WR") && number(f[n - 7]) && number(f[n - 6]) &&
                       number(f[n - 5]);
              }));
}

/// Google's Thesios by the names of its columns.
std::vector<Evidence> thesios(const Sample& s) {
  const auto header = s.first(',');
  std::size_t known = 0;
  for (std::size_t i = 0; i < std::min(header.size(), Fields::capacity); ++i)
    known += header[i] == "filename" || header[i] == "file_offset" || header[i] == "op_type" || header[i] == "disk_io_size_bytes" ||
                     header[i] == "start_time"
                 ? 1
                 : 0;
  return known == 5 ? fits(1) : std::vector<Evidence>{};
}

/// Rows of tracerpt for disk events, among those of other kinds.
std::vector<Evidence> tracerpt(const Sample& s) {
  const bool rows = std::ranges::any_of(s.lines, [](std::string_view line) {
    Fields f(',');
    f.split(line);
    return f.size() >= 24 && f[0] == "DiskIo" && (f[1] == "Read" || f[1] == "Write") && number(f[16]);
  });
  return rows ? fits(1) : std::vector<Evidence>{};
}

std::vector<Evidence> srt_text(const Sample& s) {
  const std::string_view head = std::string_view(s.bytes).substr(0, std::size_t{1} << 16);
  const bool names = std::ranges::all_of(std::array{"enter_driver", "disk_offset", "is_read"},
                                         [&](const char* name) { return head.find(name) != std::string_view::npos; });
  return names && head.find('\0') == std::string_view::npos ? fits(1) : std::vector<Evidence>{};
}

/// The header of libCacheSim's text, and whether every object's number is a whole sector in bytes: then they are offsets, else blocks.
std::vector<Evidence> libcachesim_text(const Sample& s, bool in_bytes) {
  const auto header = s.first(',');
  const bool known = header.size() >= 3 && (header[0] == "time" || header[0] == "timestamp" || header[0] == "clock_time") &&
                     (header[1] == "obj_id" || header[1] == "object_id" || header[1] == "object") &&
                     (header[2] == "obj_size" || header[2] == "object_size" || header[2] == "size");
  if (!known) return {};
  const double multiples = share_of_lines(s, ',', [](const Fields& f) {
    std::uint64_t object = 0;
    return f.size() >= 3 && parse_unsigned(f[1], object) == NumberFault::none && object % 512 == 0;
  });
  if ((multiples == 1) != in_bytes) return {};
  return {{1, "",
           std::string("objects as ") + (in_bytes ? "offsets in bytes" : "blocks of 512 B") +
               ", no operations in the file: all requests are reads"}};
}

const Dialect every_dialect[] = {
    {"alibaba", "Alibaba block traces: device,operation,offset,length,time; bytes, microseconds",
     "time=5:us,offset=3:bytes,size=4:bytes,op=2:r=R|r,w=W|w,volume=1:dev,header=auto", alibaba},
    {"tencent", "Tencent CBS: time,offset,size,operation,volume; whole seconds, blocks of 512 B, 0 = read, 1 = write",
     "time=1:s,offset=2:512,size=3:512,op=4:r=0,w=1,volume=5:vol,header=auto", tencent, 10'000},
    {"systor", "SYSTOR '17: Timestamp,Response,IOType,LUN,Offset,Size; seconds, bytes; a blank IOType is left out",
     "time=1:s,response=2:s,op=3:r=R|r,w=W|w,s=blank,volume=4:LUN,offset=5:bytes,size=6:bytes,header=auto", systor, 1'000},
    {"msps", "Microsoft Production Server and other ETW disk events as text (DiskRead, DiskWrite); microseconds, hexadecimal bytes",
     "only=1:DiskRead|DiskWrite,time=2:us,response=8:us,op=1:r=DiskRead,w=DiskWrite,offset=6:bytes:hex,size=7:bytes:hex,volume=9:disk,"
     "header="
     "auto",
     msps},
    {"fiu", "FIU: time pid process block blocks operation major minor hash; nanoseconds, blocks of 512 B",
     "time=1:ns,offset=-6:512,size=-5:512,op=-4:r=R|r,w=W|w,volume=-3+-2,separator=space", fiu},
    {"blkreplay", "blkreplay: start ; sector ; length ; operation ; delay ; duration; seconds, blocks of 512 B",
     "time=1:s,offset=2:512,size=3:512,op=4:r=R|RA|RS|RM|RSM|RAM|RAS|RASM,w=W|WS|WM|WSM|WB|WA|WSA,u=WF|WFS|WFM|WFSM,t=D|DS,"
     "separator=semicolon,header=auto",
     blkreplay},
    {"iotta8", "Eight columns: device,block,blocks,R or W,offset,time,...; blocks of 512 B, offset in bytes, microseconds",
     "time=6:us,offset=5:bytes,size=3:512,op=4:r=R|r,w=W|w,volume=1:dev,header=auto", iotta8},
    {"hfplayer",
     "NetApp's hfplayer: 16 or 17 columns with ELAPSED_USECS, CMD (RD, WR), LUN_SSID, PHASE, LBA, NBLKS; microseconds, blocks of 512 B",
     "time=-15:us,response=-1:us,op=-13:r=RD,w=WR,volume=-9:lun,only=-7:0,offset=-6:512,size=-5:512,header=auto", hfplayer, 10'000},
    {"thesios", "Google's Thesios: requests of files that reach a disk; columns by their names, seconds, bytes; each file is a volume",
     "time=start_time:s,response=simulated_latency:s,op=op_type:r=READ,w=WRITE,offset=file_offset:bytes,size=disk_io_size_bytes:bytes,"
     "volume=filename,except=disk_io_size_bytes:0",
     thesios, 10'000},
    {"etw", "Windows disk events as tracerpt -of CSV writes them (DiskIo rows); ticks of 100 ns, bytes",
     "only=1:DiskIo,op=2:r=Read,w=Write,f=FlushBuffers,s=ReadInit|WriteInit|FlushInit,time=17:100ns,volume=20:disk,size=22:bytes,"
     "offset=24:bytes",
     tracerpt, 10'000},
    {"srt", "HP's SRT traces as text, by srt2ds and ds2txt --csv; columns by their names, seconds, bytes",
     "time=enter_driver:s,offset=disk_offset:bytes,size=bytes:bytes,op=is_read:r=true|T|1|yes,w=false|F|0|no,volume=device_major+device_"
     "minor+device_controller?+device_disk?",
     srt_text, 10'000},
    {"fiolat", "fio's latency log with offsets (log_offset=1): time,latency,direction,size,offset,...; milliseconds, nanoseconds, bytes",
     "time=1:ms,response=2:ns,op=3:r=0,w=1,t=2,size=4:bytes,offset=5:bytes", nullptr},
    {"libcachesim", "libCacheSim's text: time,object,size,...; seconds, objects as blocks of 512 B, all requests are reads",
     "time=1:s,offset=2:512,size=3:bytes,op=fixed:r,header=auto", [](const Sample& s) { return libcachesim_text(s, false); }},
    {"libcachesim-bytes", "the same with objects as offsets in bytes", "time=1:s,offset=2:bytes,size=3:bytes,op=fixed:r,header=auto",
     [](const Sample& s) { return libcachesim_text(s, true); }},
};

}  // namespace

std::span<const Dialect> dialects() { return every_dialect; }

}  // namespace tessera
