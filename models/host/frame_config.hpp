#pragma once
// What surrounds a frame on a host link that has frames, and how much data goes into one: host.frames.
//
// Sources. Serial ATA: Serial ATA International Organization, Revision 3.x, link layer (primitives, CRC, ALIGN) and transport layer (Data
// FIS). SAS: INCITS, SAS Protocol Layer (SPL), link layer (connections, primitives) and SSP frames. Everything is counted in dwords.
#include <string>

#include "base/parameter.hpp"

namespace tessera {

struct FrameConfig {
  // Serial ATA
  Bytes fis_overhead{20};      // X_RDY, SOF, CRC, EOF, WTRM: a dword each
  Bytes fis_answer{8};         // R_RDY, R_OK
  Bytes fis_data{8192};        // 2048 dwords
  Bytes align_distance{1016};  // 254 dwords: two ALIGN primitives among 256

  // SAS
  Bytes ssp_overhead{36};       // SOF, header of 24, CRC, EOF
  Bytes ssp_answer{8};          // RRDY, ACK
  Bytes ssp_data{1024};         // of a DATA frame
  Bytes connection{56};         // SOAF, OPEN address frame of 32 with its CRC, EOAF, DONE, CLOSE three times
  Bytes connection_answer{20};  // OPEN_ACCEPT, DONE, CLOSE three times

  bool operator==(const FrameConfig&) const = default;
  /// What is of Serial ATA, and what is of SAS.
  void describe_sata(ParameterVisitor& visitor);
  void describe_sas(ParameterVisitor& visitor);
  /// A sentence why no link has such frames, or nothing.
  [[nodiscard]] std::string problem() const;
};

}  // namespace tessera
