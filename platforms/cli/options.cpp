#include "platforms/cli/options.hpp"

#include "base/error.hpp"
#include "platforms/cli/array_arguments.hpp"
#include "platforms/cli/query_arguments.hpp"
#include "platforms/cli/run_arguments.hpp"
#include "platforms/cli/run_document.hpp"
#include "platforms/cli/serve_arguments.hpp"
#include "platforms/cli/torture_arguments.hpp"

namespace tessera::cli {

namespace {

constexpr const char* exit_statuses = "Exit status: 0 good, 1 anything else, 2 bad input or description, 3 model bug, 130 interrupted.";

struct Command {
  const char* name;
  const char* usage;
  const char* doc;
  const char* footer;
  void (*declare)(Arguments&);
  ParsedCommand (*read)(const Arguments&);
};

constexpr Command commands[] = {
    {"run", "DRIVE (--trace FILE | --workload NAME) --out DIR [OPTIONS]", "Replay a trace or workload on a drive and write the results",
     run_examples, declare_run, read_run},
    {"torture", "DRIVE [--layer NAME|all] [OPTIONS]", "Cut the power thousands of times and check that nothing is lost", torture_examples,
     declare_torture, read_torture},
    {"array", "FILE [--trace FILE | --workload NAME] --out DIR [OPTIONS]",
     "Run several drives under one host: mirrors, RAID 5 and 6, failures and rebuilds", array_examples, declare_array, read_array},
    {"serve", "DRIVE (--nbd ADDRESS | --zones ADDRESS) [OPTIONS]",
     "Let any NBD client, or clients for zones, use the drive, until Ctrl-C; SIGUSR1 writes the results so far, SIGUSR2 cuts the power",
     serve_examples, declare_serve, read_serve},
    {"explain", "RUN N", "Explain the life of one request of a run, step by step", explain_examples, declare_explain, read_explain},
    {"describe", "TRACE [OPTIONS]", "Summarise a block trace", describe_examples, declare_describe, read_describe},
    {"probe", "TRACE", "Say what a block trace is taken for, and why", probe_examples, declare_probe, read_probe},
    {"convert", "TRACE --out FILE [OPTIONS]", "Write a block trace as a NumPy file", convert_examples, declare_convert, read_convert},
    {"list", "drives|layers|workloads|arrays|formats|parameters [DRIVE] [OPTIONS]",
     "List drives, layers, workloads, arrays, formats or parameters", list_examples, declare_list, read_list},
    {"check", "DRIVE [OPTIONS]", "Validate the description of a drive or an array", check_examples, declare_check, read_check},
};

/// The names of a command's options, "--help" among them.
std::vector<std::string> option_names(const CLI::App& command) {
  std::vector<std::string> names;
  for (const auto* option : command.get_options()) {
    for (const auto& name : option->get_lnames()) names.push_back("--" + name);
  }
  return names;
}

/// What CLI11 could not place, as a sentence.
[[noreturn]] void reject_leftover(const CLI::App& command, const std::string& leftover) {
  const std::string where = (command.get_parent() == nullptr ? "" : "tessera-sim ") + command.get_name() + ": ";
  if (leftover.starts_with('-'))
    throw InputError(where + unknown_name("option", leftover.substr(0, leftover.find('=')), option_names(command)));
  throw InputError(where + "unexpected argument '" + leftover + "'");
}

}  // namespace

ParsedCommand parse(int argc, const char* const* argv) {
  CLI::App app("Tessera: a virtual platform of shingled (SMR) and interlaced (IMR) hard drives", "tessera-sim");
  app.set_version_flag("--version", "tessera-sim " TESSERA_VERSION);
  app.footer(exit_statuses);
  app.require_subcommand(0, 1);  // at most one: a later argument that equals a command's name is an argument
  std::vector<Arguments> arguments;
  arguments.reserve(std::size(commands));
  for (const Command& command : commands) {
    CLI::App& subcommand = *app.add_subcommand(command.name, command.doc);
    subcommand.formatter(std::make_shared<UsageFormatter>(command.usage));
    subcommand.footer(command.footer);
    command.declare(arguments.emplace_back(subcommand));
  }

  try {
    app.parse(argc, argv);
  } catch (const CLI::CallForHelp&) {
    return PrintText{app.help()};
  } catch (const CLI::CallForVersion& version) {
    return PrintText{std::string(version.what()) + "\n"};
  } catch (const CLI::ExtrasError&) {
    for (const auto& candidate : arguments) {
      if (!candidate.command().parsed() || candidate.command().remaining().empty()) continue;
      reject_leftover(candidate.command(), candidate.command().remaining().front());
    }
    const std::string leftover = app.remaining().front();
    if (leftover.starts_with('-')) reject_leftover(app, leftover);
    std::vector<std::string> names;
    for (const Command& command : commands) names.emplace_back(command.name);
    throw InputError("tessera-sim: " + unknown_name("command", leftover, names));
  } catch (const CLI::ArgumentMismatch& mismatch) {  // "--OPTION: ..." without its value, or "FLAG was given ..." with one
    const std::string text = mismatch.what();
    const bool lacks_value = text.starts_with("--");
    throw InputError(lacks_value ? "tessera-sim: " + text.substr(0, text.find(':')) + ": expected a value after it"
                                 : "tessera-sim: --" + text.substr(0, text.find(' ')) + " takes no value");
  } catch (const CLI::ParseError& error) {
    throw InputError(std::string("tessera-sim: ") + error.what());
  }

  for (std::size_t i = 0; i < arguments.size(); ++i) {
    if (!arguments[i].command().parsed()) continue;
    arguments[i].check_values();
    if (commands[i].read == read_run && is_run_document(arguments[i].text("DRIVE"))) {
      std::vector<std::string> words = words_of_document(arguments[i].text("DRIVE"), arguments[i]);
      if (is_run_document(words.front()))
        arguments[i].fail(arguments[i].text("DRIVE") + ": its drive '" + words.front() + "' is a run document, too");
      words.insert(words.begin(), {argv[0], commands[i].name});
      std::vector<const char*> pointers;
      for (const std::string& word : words) pointers.push_back(word.c_str());
      return parse(static_cast<int>(pointers.size()), pointers.data());
    }
    return commands[i].read(arguments[i]);
  }
  return PrintText{app.help(), 2};
}

}  // namespace tessera::cli
