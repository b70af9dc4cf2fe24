#include "host/frame_config.hpp"

#include <utility>

namespace tessera {

namespace {
constexpr Bytes dword{4};
// The least is what no frame is without: SOF, CRC and EOF, on SAS the header too; one primitive in answer; SOAF, OPEN and EOAF.
constexpr Range around{12, 4096};
constexpr Range answered{4, 4096};
}  // namespace

void FrameConfig::describe_sata(ParameterVisitor& visitor) {
  visitor.field("fis_overhead", fis_overhead, around, "Serial ATA: bytes beside a FIS, CRC and primitives of the side that sends it");
  visitor.field("fis_answer", fis_answer, answered, "Serial ATA: bytes with which the other side answers it");
  visitor.field("fis_data", fis_data, {4, 8192}, "Serial ATA: most data of a Data FIS");
  visitor.field("align_distance", align_distance, {4, 1016}, "Serial ATA: bytes from one pair of ALIGN primitives to the next");
}

void FrameConfig::describe_sas(ParameterVisitor& visitor) {
  visitor.field("ssp_overhead", ssp_overhead, {36, 4096}, "SAS: bytes beside the payload of a frame: header, CRC and primitives");
  visitor.field("ssp_answer", ssp_answer, answered, "SAS: bytes with which the other side answers it");
  visitor.field("ssp_data", ssp_data, {4, 1024}, "SAS: most data of a DATA frame");
  visitor.field("connection", connection, {40, 4096}, "SAS: bytes with which a connection is opened and closed, of the side that opens it");
  visitor.field("connection_answer", connection_answer, {8, 4096}, "SAS: the same, of the other side");
}

std::string FrameConfig::problem() const {
  const std::pair<const char*, Bytes> all[]{
      {"fis_overhead", fis_overhead},          {"fis_answer", fis_answer}, {"fis_data", fis_data}, {"align_distance", align_distance},
      {"ssp_overhead", ssp_overhead},          {"ssp_answer", ssp_answer}, {"ssp_data", ssp_data}, {"connection", connection},
      {"connection_answer", connection_answer}};
  for (const auto& [name, bytes] : all)
    if (bytes % dword != Bytes(0))
      return std::string("host.frames.") + name + " is " + std::to_string(bytes.value()) + " B; links carry dwords of 4 B";
  return {};
}

}  // namespace tessera
