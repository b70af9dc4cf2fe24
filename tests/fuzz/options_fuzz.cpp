// A command line of any words, one a line, is a command or an InputError.
#include <sstream>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "platforms/cli/options.hpp"

using namespace tessera;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::istringstream text(std::string(reinterpret_cast<const char*>(data), size));
  std::vector<std::string> words{"tessera-sim"};
  for (std::string word; std::getline(text, word);) words.push_back(word.substr(0, word.find('\0')));
  std::vector<const char*> argv;
  for (const std::string& word : words) argv.push_back(word.c_str());
  try {
    static_cast<void>(cli::parse(static_cast<int>(argv.size()), argv.data()));
  } catch (const InputError&) {
  }
  return 0;
}
