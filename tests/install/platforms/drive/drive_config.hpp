#pragma once
// The consumer's own, in folders named as the library's.
inline constexpr int consumers_drive_config = 1;
