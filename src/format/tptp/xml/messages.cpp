// SPDX-License-Identifier: Apache-2.0
#include "format/tptp/xml/messages.hpp"

#include "base/codes.hpp"

namespace polytrace::format::tptp::xml {

base::result<std::unique_ptr<MessageReader>> MessageReader::open(
    std::unique_ptr<base::Source> source, const base::Limits& limits, Receiver& receiver,
    const ParseOptions& options) {
  auto decoded = decode_text(std::move(source));
  if (!decoded) return base::Unexpected(decoded.error());
  const bool known = decoded->known;
  auto reader = std::make_unique<MessageReader>(std::move(*decoded), limits, receiver, options);
  if (!known)
    reader->notices_.add(base::Code::encoding_unknown, LineColumn{}.place(0), 0, reader->encoding_);
  return reader;
}

base::result<bool> MessageReader::next() {
  const auto more = framing_.next(chunk_);
  if (more && *more) parser_.parse(chunk_);
  return more;
}

base::Notices MessageReader::notices() const {
  base::Notices all = notices_;
  all.merge(framing_.notices());
  return all;
}

}  // namespace polytrace::format::tptp::xml
