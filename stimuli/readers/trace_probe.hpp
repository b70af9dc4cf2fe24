#pragma once
// What a file is taken for and why, for people: every reading that fits, with its figures, and a description where none does.
#include <iosfwd>
#include <string>

namespace tessera {

/// InputError where the file cannot be opened or is empty.
void print_probe(const std::string& path, std::ostream& out);

}  // namespace tessera
