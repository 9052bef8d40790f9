// SPDX-License-Identifier: Apache-2.0
#include "collector/objects/pin.hpp"

#include <fmt/format.h>

#include <fstream>
#include <sstream>

#include "base/codes.hpp"
#include "collector/keep/append_file.hpp"
#include "service/words/numbers.hpp"

namespace polytrace::collector {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kPinBegin = "polytrace pin 1";
constexpr std::string_view kPinEnd = "end";
constexpr std::string_view kPinSuffix = ".pin";

// Texts of others are a line each, so that lines of theirs are none.
std::string as_line(std::string_view text) {
  std::string line(text);
  for (char& c : line)
    if (c == '\n' || c == '\0') c = ' ';
  return line;
}

std::string pin_text(const Pin& pin) {
  return fmt::format("{}\n{}\n{}\n{}\n{}\n{}\n{}\n{} {} {}\n{} {}\n{} {} {}\n{}\n{}\n", kPinBegin,
                     pin.stream, pin.series, as_line(pin.service), as_line(pin.tenant),
                     as_line(pin.database), fmt::join(pin.rules, ","), pin.window, pin.from, pin.to,
                     pin.first, pin.last, static_cast<unsigned>(pin.state), pin.due,
                     unsigned{pin.is_away}, fmt::join(pin.files, " "), kPinEnd);
}

// Numbers of a line with spaces between; false: others than so many, of that kind.
template <class... Number>
bool read_numbers(std::istream& in, Number&... numbers) {
  std::string line;
  std::getline(in, line);
  std::istringstream words(line);
  const bool has_all = (static_cast<bool>(words >> numbers) && ...);
  return has_all && (words >> std::ws).eof();
}

std::vector<std::string> words_of(const std::string& line) {
  std::vector<std::string> all;
  std::istringstream in(line);
  for (std::string word; std::getline(in, word, ',');) all.push_back(word);
  return all;
}

bool read_files(std::istream& in, std::vector<std::uint64_t>& files) {
  std::string line;
  std::getline(in, line);
  std::istringstream words(line);
  for (std::uint64_t number = 0; words >> number;) files.push_back(number);
  return words.eof();
}

bool read_pin(const fs::path& file, Pin& pin) {
  std::ifstream in(file, std::ios::binary);
  std::string line;
  unsigned state = 0, is_away = 0;
  if (!std::getline(in, line) || line != kPinBegin) return false;
  if (!read_numbers(in, pin.stream) || !read_numbers(in, pin.series)) return false;
  std::getline(in, pin.service);
  std::getline(in, pin.tenant);
  std::getline(in, pin.database);
  std::getline(in, line);
  pin.rules = words_of(line);
  if (!read_numbers(in, pin.window, pin.from, pin.to) || !read_numbers(in, pin.first, pin.last) ||
      !read_numbers(in, state, pin.due, is_away) || !read_files(in, pin.files) ||
      state > static_cast<unsigned>(Pin::State::kept) || is_away > 1)
    return false;
  pin.state = static_cast<Pin::State>(state);
  pin.is_away = is_away != 0;
  return std::getline(in, line) && line == kPinEnd;
}

}  // namespace

std::string Pin::why() const { return fmt::format("{}", fmt::join(rules, ", ")); }

base::result<PinBook> PinBook::open(fs::path folder) {
  std::error_code fault;
  fs::create_directories(folder, fault);
  if (fault) return base::fail(base::Code::write_failed, folder.string() + ": " + fault.message());
  fs::permissions(folder, fs::perms::owner_all, fault);
  return PinBook(std::move(folder));
}

fs::path PinBook::file_of(const Pin& pin) const {
  return folder_ / fmt::format("{:016x}-{}{}", pin.stream, pin.window, kPinSuffix);
}

std::vector<Pin> PinBook::all() const {
  std::vector<Pin> all;
  std::error_code fault;
  for (fs::directory_iterator at(folder_, fault), end; !fault && at != end; at.increment(fault)) {
    if (at->path().extension() != kPinSuffix) continue;
    Pin pin;
    if (read_pin(at->path(), pin) && file_of(pin) == at->path()) all.push_back(std::move(pin));
    else ++damaged_;
  }
  return all;
}

base::result<void> PinBook::note(const Pin& pin) const {
  const std::string text = pin_text(pin);
  return replace_file(file_of(pin), std::as_bytes(std::span(text)));
}

void PinBook::forget(const Pin& pin) const {
  std::error_code ignored;
  fs::remove(file_of(pin), ignored);
}

}  // namespace polytrace::collector
