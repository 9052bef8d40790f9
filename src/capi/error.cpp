// SPDX-License-Identifier: Apache-2.0
#include "capi/error.hpp"

#include <fmt/format.h>

#include <cstdlib>
#include <cstring>

#include "base/codes.hpp"
#include "service/json/parts.hpp"

namespace polytrace::capi {
namespace {

pt_status status_of(const base::Error& error) {
  return static_cast<pt_status>(base::describe(error.code).exit);
}

bool is_of_word(char letter) { return letter == '-' || (letter >= 'a' && letter <= 'z'); }

// Sentences name options of the command, "--to-version"; here it is "option to_version".
std::string with_options(std::string_view sentence) {
  std::string told;
  for (std::size_t at = 0; at < sentence.size();) {
    const bool begins = at == 0 || sentence[at - 1] == ' ' || sentence[at - 1] == '"';
    if (!begins || !sentence.substr(at).starts_with("--")) {
      told += sentence[at++];
      continue;
    }
    told += "option ";
    for (at += 2; at < sentence.size() && is_of_word(sentence[at]); ++at)
      told += sentence[at] == '-' ? '_' : sentence[at];
  }
  return told;
}

// How a wrong use is right, the header says.
std::string json_of(const base::Error& error, const std::string& file) {
  constexpr std::string_view kHint = ",\"hint\":";
  std::string json = service::error_json(error, file);
  const std::size_t hint = json.rfind(kHint) + kHint.size();
  if (error.code == base::Code::usage) return json.substr(0, hint) + "\"\"}\n";
  return json.substr(0, hint) + with_options(std::string_view(json).substr(hint));
}

std::string told(const base::Error& error, const std::string& file) {
  const std::string sentence = service::sentence(error);
  return file.empty() ? sentence : fmt::format("{}: {}", file, sentence);
}

}  // namespace

std::string line_of(const base::Error& error) {
  const base::Error ours{error.code, error.place, with_options(error.detail)};
  return fmt::format("{}: {}", base::describe(error.code).name, service::sentence(ours));
}

pt_status give_error(pt_error** out, const base::Error& error, const std::string& file) {
  const base::Error ours{error.code, error.place, with_options(error.detail)};
  if (out != nullptr)
    *out = new pt_error{std::string(base::describe(ours.code).name), told(ours, file),
                        json_of(ours, file)};
  return status_of(ours);
}

// PT_DAMAGED would say that there is something of it.
pt_status give_refusal(pt_error** out, const service::Refusal& refusal) {
  const pt_status status = give_error(out, refusal.error, refusal.file);
  return status == PT_DAMAGED ? PT_UNSUPPORTED : status;
}

pt_status give_exception(pt_error** out) {
  try {
    throw;
  } catch (const std::bad_alloc&) {
    return PT_LIMIT;
  } catch (const std::exception& fault) {
    try {
      return give_error(out, {base::Code::read_failed, {}, fault.what()});
    } catch (...) {
      return PT_FAILED;
    }
  } catch (...) {
    return PT_FAILED;
  }
}

pt_status give_usage(pt_error** out, std::string detail) {
  return give_error(out, {base::Code::usage, {}, std::move(detail)});
}

namespace {

// Of what is no fault of a file.
pt_error own_error(const char* code, const char* sentence) {
  return {code, sentence,
          fmt::format("{{\"code\":\"{}\",\"file\":null,\"offset\":null,\"message\":\"{}\","
                      "\"hint\":\"\"}}\n",
                      code, sentence)};
}

}  // namespace

pt_status give_stopped(pt_error** out) {
  if (out != nullptr) *out = new pt_error(own_error("stopped", "stopped before its end"));
  return PT_STOPPED;
}

pt_status give_check(pt_error** out) {
  if (out != nullptr)
    *out = new pt_error(own_error("check-failed", "the target cannot hold all of it: not written"));
  return PT_CHECK;
}

void give_text(pt_text* out, const std::string& text) {
  auto* const at = static_cast<char*>(std::malloc(text.size() + 1));
  if (at == nullptr) throw std::bad_alloc();
  std::memcpy(at, text.c_str(), text.size() + 1);
  *out = {at, text.size()};
}

}  // namespace polytrace::capi

pt_text pt_error_code(const pt_error* error) { return polytrace::capi::text_of(error->code); }
pt_text pt_error_text(const pt_error* error) { return polytrace::capi::text_of(error->text); }
pt_text pt_error_json(const pt_error* error) { return polytrace::capi::text_of(error->json); }
void pt_error_release(pt_error* error) { delete error; }
