// SPDX-License-Identifier: Apache-2.0
#include "format/tptp/message_conversion.hpp"

#include "format/tptp/tbf_messages.hpp"
#include "format/tptp/xml_format.hpp"
#include "format/tptp/xml_messages.hpp"
#include "format/tptp/xml_writer.hpp"

namespace polytrace::format::tptp {
namespace {

constexpr std::uint8_t kPlatform64 = 1;

// Where messages go.
class Target {
 public:
  virtual ~Target() = default;
  virtual base::result<void> write(const Message& message) = 0;
  virtual base::result<void> finish(event::Loss& loss) = 0;
};

class TbfTarget final : public Target {
 public:
  TbfTarget(std::unique_ptr<base::Sink> sink, ByteOrder order)
      : stream_(std::move(sink), order, kPlatform64) {}

  base::result<void> write(const Message& message) override { return stream_.write(message); }
  base::result<void> finish(event::Loss&) override { return stream_.finish(); }

 private:
  TbfMessageWriter stream_;
};

class XmlTarget final : public Target {
 public:
  explicit XmlTarget(std::unique_ptr<base::Sink> sink) : document_(std::move(sink)) {}

  base::result<void> write(const Message& message) override { return document_.write(message); }
  base::result<void> finish(event::Loss& loss) override {
    if (document_.replaced() > 0) loss.fields["text.characters"] += document_.replaced();
    return document_.finish();
  }

 private:
  xml::DocumentWriter document_;
};

// Hands every message on and keeps the first error.
class Passage final : public xml::Receiver {
 public:
  Passage(Target& target, Conversion& conversion) : target_(target), conversion_(conversion) {}

  void take(const Message& message, std::uint64_t, std::size_t) override {
    if (!state_) return;
    state_ = target_.write(message);
    ++conversion_.messages;
  }
  void lost(std::string_view element, std::string_view name) override {
    ++conversion_.loss.fields[std::string(element) + "." + std::string(name)];
  }
  const base::result<void>& state() const { return state_; }

 private:
  Target& target_;
  Conversion& conversion_;
  base::result<void> state_;
};

base::result<void> pass_xml(std::unique_ptr<base::Source> source, const ConversionOptions& options,
                            Passage& passage, base::Notices& notices) {
  auto reader =
      xml::MessageReader::open(std::move(source), options.limits, passage, {options.carry});
  if (!reader) return base::Unexpected(reader.error());
  for (;;) {
    const auto more = (*reader)->next();
    if (!more) return base::Unexpected(more.error());
    if (!passage.state()) return passage.state();
    if (!*more) break;
  }
  notices = (*reader)->notices();
  return {};
}

base::result<void> pass_tbf(std::unique_ptr<base::Source> source, const ConversionOptions& options,
                            Passage& passage, base::Notices& notices) {
  event::ReadOptions read;
  read.limits = options.limits;
  auto reader = TbfMessageReader::open(std::move(source), read);
  if (!reader) return base::Unexpected(reader.error());
  while (passage.state()) {
    const auto more = (*reader)->next();
    if (!more) return base::Unexpected(more.error());
    if (!*more) break;
    passage.take((*reader)->message(), 0, 0);
  }
  notices = (*reader)->notices();
  return passage.state();
}

std::unique_ptr<Target> make_target(std::unique_ptr<base::Sink> sink, Spelling spelling,
                                    const ConversionOptions& options) {
  if (spelling == Spelling::xml) return std::make_unique<XmlTarget>(std::move(sink));
  return std::make_unique<TbfTarget>(std::move(sink), options.order);
}

}  // namespace

base::result<Conversion> convert_messages(std::unique_ptr<base::Source> source,
                                          std::unique_ptr<base::Sink> sink, Spelling target,
                                          const ConversionOptions& options) {
  std::vector<std::byte> head(kHeadBytes);
  const auto got = base::read_fully(*source, head);
  if (!got) return base::Unexpected(got.error());
  head.resize(*got);
  const bool binary = has_magic(head);
  if (!binary && !trcxml::kFormat.recognise(head)) return base::fail(base::Code::not_recognised);
  source = base::prepend(std::move(head), std::move(source));
  Conversion conversion;
  const auto to = make_target(std::move(sink), target, options);
  Passage passage(*to, conversion);
  auto passed = binary ? pass_tbf(std::move(source), options, passage, conversion.notices)
                       : pass_xml(std::move(source), options, passage, conversion.notices);
  if (!passed) return base::Unexpected(passed.error());
  if (auto done = to->finish(conversion.loss); !done) return base::Unexpected(done.error());
  return conversion;
}

}  // namespace polytrace::format::tptp
