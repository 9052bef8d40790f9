// SPDX-License-Identifier: Apache-2.0
#include "format/tptp/message_writer.hpp"

#include <fmt/format.h>

#include "base/codes.hpp"
#include "format/tptp/events/message_maker.hpp"
#include "format/tptp/tbf/messages.hpp"
#include "format/tptp/xml/writer.hpp"

namespace polytrace::format::tptp {
namespace {

constexpr std::uint8_t kPlatform64 = 1;

// `Stream` is TbfMessageWriter or DocumentWriter.
template <class Stream>
class MessageWriter final : public event::Writer {
 public:
  template <class... Arguments>
  MessageWriter(Spelling spelling, Arguments&&... arguments)
      : target_(std::forward<Arguments>(arguments)...), maker_(target_, spelling) {}

  base::result<void> write(const event::Batch& batch) override {
    auto done = maker_.take(batch);
    tell();
    return done;
  }
  void leave_open() override { target_.stream.leave_open(); }
  base::result<void> finish() override {
    auto done = maker_.finish();
    tell();
    return done ? target_.stream.finish() : done;
  }
  const event::Loss& loss() const override { return loss_; }

 private:
  struct Target final : MessageTarget {
    template <class... Arguments>
    explicit Target(Arguments&&... arguments) : stream(std::forward<Arguments>(arguments)...) {}
    base::result<void> write(const Message& message) override { return stream.write(message); }
    base::result<void> write(const CallRecord& call) override {
      if constexpr (requires { stream.write(call); }) return stream.write(call);
      to_message(call, message_);
      return stream.write(message_);
    }
    Stream stream;

   private:
    Message message_;
  };

  // Characters that XML cannot hold are the stream's loss, all others the maker's.
  void tell() {
    loss_ = maker_.loss();
    if constexpr (requires { target_.stream.replaced(); }) {
      if (target_.stream.replaced() > 0)
        loss_.fields["text.characters"] = target_.stream.replaced();
    }
  }

  Target target_;
  MessageMaker maker_;
  event::Loss loss_;
};

base::result<void> check(const WriteOptions& options, std::string_view name,
                         std::string_view version) {
  if (options.version.empty() || options.version == version) return {};
  return base::fail(
      base::Code::version_unsupported,
      fmt::format("{} is written in version {}, not {}", name, version, options.version));
}

}  // namespace

base::result<std::unique_ptr<event::Writer>> create_tbf(std::unique_ptr<base::Sink> sink,
                                                        const WriteOptions& options) {
  if (auto good = check(options, "tbf", kTbfVersion); !good) return base::Unexpected(good.error());
  const bool big = options.byte_order == std::endian::big;
  return std::make_unique<MessageWriter<TbfMessageWriter>>(
      Spelling::tbf, std::move(sink), big ? ByteOrder::big : ByteOrder::little, kPlatform64);
}

base::result<std::unique_ptr<event::Writer>> create_xml(std::unique_ptr<base::Sink> sink,
                                                        const WriteOptions& options) {
  if (auto good = check(options, "trcxml", kXmlVersion); !good)
    return base::Unexpected(good.error());
  return std::make_unique<MessageWriter<DocumentWriter>>(Spelling::xml, std::move(sink));
}

bool holds(event::Kind kind, std::string_view) { return MessageMaker::holds(kind); }

}  // namespace polytrace::format::tptp
