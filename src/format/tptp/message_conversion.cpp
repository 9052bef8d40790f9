// SPDX-License-Identifier: Apache-2.0
#include "format/tptp/message_conversion.hpp"

#include <algorithm>

#include "base/codes.hpp"
#include "format/format.hpp"
#include "format/tptp/tbf/messages.hpp"
#include "format/tptp/xml/parser.hpp"
#include "format/tptp/xml/reader.hpp"
#include "format/tptp/xml/writer.hpp"

namespace polytrace::format::tptp {
namespace {

// Where messages go.
class Target {
 public:
  virtual ~Target() = default;
  virtual base::result<void> write(const Message& message) = 0;
  virtual void leave_open() = 0;  // see event::Writer
  virtual base::result<void> finish() = 0;
  virtual std::uint64_t replaced_characters() const { return 0; }
};

class TbfTarget final : public Target {
 public:
  TbfTarget(std::unique_ptr<base::Sink> sink, ByteOrder order, std::uint8_t platform)
      : stream_(std::move(sink), order, platform) {}

  base::result<void> write(const Message& message) override { return stream_.write(message); }
  void leave_open() override { stream_.leave_open(); }
  base::result<void> finish() override { return stream_.finish(); }

 private:
  TbfMessageWriter stream_;
};

class XmlTarget final : public Target {
 public:
  explicit XmlTarget(std::unique_ptr<base::Sink> sink) : document_(std::move(sink)) {}

  base::result<void> write(const Message& message) override { return document_.write(message); }
  void leave_open() override { document_.leave_open(); }
  base::result<void> finish() override { return document_.finish(); }
  std::uint64_t replaced_characters() const override { return document_.replaced(); }

 private:
  DocumentWriter document_;
};

std::unique_ptr<Target> make_target(std::unique_ptr<base::Sink> sink, Spelling spelling,
                                    ByteOrder order, std::uint8_t platform) {
  if (spelling == Spelling::xml) return std::make_unique<XmlTarget>(std::move(sink));
  return std::make_unique<TbfTarget>(std::move(sink), order, platform);
}

class FromTbf final : public Rewriter {
 public:
  FromTbf(std::unique_ptr<TbfMessageReader> reader, std::unique_ptr<Target> target)
      : reader_(std::move(reader)), target_(std::move(target)) {}

  std::string version() const override { return to_text(reader_->header()); }
  base::result<bool> next() override {
    constexpr int kAtOnce = 1024;
    for (int i = 0; i < kAtOnce; ++i) {
      const auto more = reader_->next();
      if (!more || !*more) return more;
      if (auto done = target_->write(reader_->message()); !done)
        return base::Unexpected(done.error());
      ++records_;
    }
    return true;
  }
  void leave_open() override { target_->leave_open(); }
  base::result<void> finish() override { return target_->finish(); }
  std::uint64_t records() const override { return records_; }
  base::Notices notices() const override { return reader_->notices(); }
  event::Loss loss() const override {
    event::Loss loss;
    if (const auto count = target_->replaced_characters(); count != 0)
      loss.fields["text.characters"] = count;
    return loss;
  }
  const base::Source& source() const override { return reader_->source(); }

 private:
  std::unique_ptr<TbfMessageReader> reader_;
  std::unique_ptr<Target> target_;
  std::uint64_t records_ = 0;
};

class FromXml final : public Rewriter, private Receiver {
 public:
  explicit FromXml(std::unique_ptr<Target> target) : target_(std::move(target)) {}

  base::result<void> open(std::unique_ptr<base::Source> source, const base::Limits& limits) {
    auto reader = XmlMessageReader::open(std::move(source), limits, *this);
    if (!reader) return base::Unexpected(reader.error());
    reader_ = std::move(*reader);
    return {};
  }

  std::string version() const override { return reader_->encoding(); }
  base::result<bool> next() override {
    auto more = reader_->next();
    if (more && !written_) return base::Unexpected(written_.error());
    return more;
  }
  void leave_open() override { target_->leave_open(); }
  base::result<void> finish() override { return target_->finish(); }
  std::uint64_t records() const override { return records_; }
  base::Notices notices() const override { return reader_->notices(); }
  event::Loss loss() const override {
    event::Loss loss = loss_;
    if (const auto count = target_->replaced_characters(); count != 0)
      loss.fields["text.characters"] = count;
    return loss;
  }
  const base::Source& source() const override { return reader_->source(); }

 private:
  void take(const Message& message, std::uint64_t, std::size_t) override {
    if (!written_) return;
    written_ = target_->write(message);
    ++records_;
  }
  void lost(std::string_view element, std::string_view name) override {
    ++loss_.fields[std::string(element) + "." + std::string(name)];
  }

  std::unique_ptr<Target> target_;
  std::unique_ptr<XmlMessageReader> reader_;
  base::result<void> written_;
  event::Loss loss_;
  std::uint64_t records_ = 0;
};

constexpr std::uint8_t kLastPlatform = 1;  // 64 bits

base::result<std::unique_ptr<Rewriter>> rewrite_tbf(std::unique_ptr<base::Source> source,
                                                    std::unique_ptr<base::Sink> sink,
                                                    Spelling target,
                                                    const event::ReadOptions& options,
                                                    std::optional<ByteOrder> order) {
  auto reader = TbfMessageReader::open(std::move(source), options);
  if (!reader) return base::Unexpected(reader.error());
  const FileHeader& header = (*reader)->header();
  const std::uint8_t platform = std::min(header.platform, kLastPlatform);  // others are illegal
  auto to = make_target(std::move(sink), target, order.value_or(header.order), platform);
  return std::make_unique<FromTbf>(std::move(*reader), std::move(to));
}

base::result<std::unique_ptr<Rewriter>> rewrite_xml(std::unique_ptr<base::Source> source,
                                                    std::unique_ptr<base::Sink> sink,
                                                    Spelling target,
                                                    const event::ReadOptions& options,
                                                    std::optional<ByteOrder> order) {
  auto rewriter = std::make_unique<FromXml>(
      make_target(std::move(sink), target, order.value_or(ByteOrder::little), kLastPlatform));
  if (auto opened = rewriter->open(std::move(source), options.limits); !opened)
    return base::Unexpected(opened.error());
  return rewriter;
}

}  // namespace

base::result<std::unique_ptr<Rewriter>> rewrite_messages(std::unique_ptr<base::Source> source,
                                                         std::unique_ptr<base::Sink> sink,
                                                         Spelling target,
                                                         const event::ReadOptions& options,
                                                         std::optional<ByteOrder> order) {
  std::vector<std::byte> head(kHeadBytes);
  const auto got = base::read_fully(*source, head);
  if (!got) return base::Unexpected(got.error());
  head.resize(*got);
  const auto rewrite = has_magic(head)                 ? rewrite_tbf
                       : kTrcxmlFormat.recognise(head) ? rewrite_xml
                                                       : nullptr;
  if (rewrite == nullptr) return base::fail(base::Code::not_recognised);
  return rewrite(base::prepend(std::move(head), std::move(source)), std::move(sink), target,
                 options, order);
}

base::result<Conversion> convert_messages(std::unique_ptr<base::Source> source,
                                          std::unique_ptr<base::Sink> sink, Spelling target,
                                          const ConversionOptions& options) {
  auto rewriter = rewrite_messages(std::move(source), std::move(sink), target,
                                   {.limits = options.limits}, options.order);
  if (!rewriter) return base::Unexpected(rewriter.error());
  for (;;) {
    const auto more = (*rewriter)->next();
    if (!more) return base::Unexpected(more.error());
    if (!*more) break;
  }
  if (auto done = (*rewriter)->finish(); !done) return base::Unexpected(done.error());
  return Conversion{(*rewriter)->records(), (*rewriter)->notices(), (*rewriter)->loss()};
}

}  // namespace polytrace::format::tptp
