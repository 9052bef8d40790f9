// SPDX-License-Identifier: Apache-2.0
#include "base/codes.hpp"
#include "event/text/text.hpp"
#include "format/drill/drill.hpp"

namespace polytrace::format::drill {
namespace {

class Writer final : public event::Writer {
 public:
  explicit Writer(std::unique_ptr<base::Sink> sink) : sink_(std::move(sink)) { text_ = kFirstLine; }

  base::result<void> write(const event::Batch& batch) override {
    for (const event::Event& event : batch.events) {
      event::append_text(text_, batch, event);
      text_ += '\n';
    }
    return flush();
  }

  void leave_open() override { open_ = true; }

  base::result<void> finish() override {
    if (!open_) text_ += kLastLine;
    if (auto done = flush(); !done) return done;
    return sink_->commit();
  }

  const event::Loss& loss() const override { return loss_; }

 private:
  base::result<void> flush() {
    auto done = sink_->write(std::as_bytes(std::span(text_)));
    text_.clear();
    return done;
  }

  std::unique_ptr<base::Sink> sink_;
  std::string text_;
  bool open_ = false;
  event::Loss loss_;
};

}  // namespace

base::result<std::unique_ptr<event::Writer>> create(std::unique_ptr<base::Sink> sink,
                                                    const WriteOptions& options) {
  if (!options.version.empty() && options.version != "1")
    return base::fail(base::Code::version_unsupported, "version " + options.version);
  return std::make_unique<Writer>(std::move(sink));
}

}  // namespace polytrace::format::drill
