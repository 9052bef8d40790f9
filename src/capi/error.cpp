// SPDX-License-Identifier: Apache-2.0
#include "capi/error.hpp"

#include <fmt/format.h>

#include "base/codes.hpp"
#include "service/json/parts.hpp"

namespace polytrace::capi {
namespace {

pt_status status_of(const base::Error& error) {
  return static_cast<pt_status>(base::describe(error.code).exit);
}

std::string told(const base::Error& error, const std::string& file) {
  const std::string sentence = service::sentence(error);
  return file.empty() ? sentence : fmt::format("{}: {}", file, sentence);
}

}  // namespace

std::string line_of(const base::Error& error) {
  return fmt::format("{}: {}", base::describe(error.code).name, service::sentence(error));
}

pt_status give_error(pt_error** out, const base::Error& error, const std::string& file) {
  if (out != nullptr)
    *out = new pt_error{std::string(base::describe(error.code).name), told(error, file),
                        service::error_json(error, file)};
  return status_of(error);
}

pt_status give_refusal(pt_error** out, const service::Refusal& refusal) {
  return give_error(out, refusal.error, refusal.file);
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

pt_status give_stopped(pt_error** out) {
  if (out != nullptr)
    *out = new pt_error{"stopped", "stopped before its end",
                        "{\"code\":\"stopped\",\"file\":null,\"offset\":null,"
                        "\"message\":\"stopped before its end\",\"hint\":\"\"}\n"};
  return PT_STOPPED;
}

}  // namespace polytrace::capi

pt_text pt_error_code(const pt_error* error) { return polytrace::capi::text_of(error->code); }
pt_text pt_error_text(const pt_error* error) { return polytrace::capi::text_of(error->text); }
pt_text pt_error_json(const pt_error* error) { return polytrace::capi::text_of(error->json); }
void pt_error_release(pt_error* error) { delete error; }
