// SPDX-License-Identifier: Apache-2.0
// How a file goes to a collector in pieces, for who sends and who takes:
//
//   PUT /v1/traces?<query>                      (PushQuery)
//   Polytrace-Upload: <upload_id, 32 digits>
//   Content-Range: bytes 0-8388607/20000000
//
// 308: go on behind what Range tells ("bytes=0-8388607"; none: nothing is here). The last piece is
// answered once the file was taken: 200, as push_json has it. Without a body, Content-Range: bytes
// */20000000 asks how far it is. Any thread.
#pragma once

#include <string>
#include <string_view>

#include "base/result.hpp"

namespace polytrace::collector {

inline constexpr std::string_view kTracesPath = "/v1/traces";
inline constexpr std::string_view kUploadField = "Polytrace-Upload";

// XXH3-128 of all bytes of a file and of the query, so that who sends the same again goes on, and
// who takes it knows that nothing of it is another's or damaged. Errors: open_failed, read_failed.
base::result<std::string> upload_id(const std::string& file, std::string_view query);

}  // namespace polytrace::collector
