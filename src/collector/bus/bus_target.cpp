// SPDX-License-Identifier: Apache-2.0
#if POLYTRACE_HAS_NATS
#include <fmt/format.h>

#include "collector/bus/bus.hpp"
#include "collector/bus/bus_link.hpp"
#include "collector/keep/packed_block.hpp"

namespace polytrace::collector {
namespace {

constexpr std::int64_t kStoredWithin = 10'000;  // milliseconds, of a message

// One message, as a POST of HubTarget is one.
struct Post {
  std::string_view table;
  std::string edge;
  std::uint64_t number = 0;
  std::uint64_t before = 0;
  base::Bytes packed;
};

class BusTarget final : public Target {
 public:
  BusTarget(const Config& config, Figures& figures) : config_(config), figures_(figures) {}

  base::result<void> send(std::span<const Outbox::Batch> batches, const std::string& edge,
                          unsigned before) override {
    const Outbox::Batch& batch = batches.front();
    const Block& block = batch.block;
    const bool is_ours = block.origin.edge.empty();
    Post post{.table = block.table,
              .edge = is_ours ? edge : block.origin.edge,
              .number = is_ours ? batch.number : block.origin.number,
              .before = std::uint64_t{before} + batch.again + block.origin.sent_before,
              .packed = batch.packed};
    auto sent = batch.packed.size() <= kMostMessage ? publish(post) : publish_parts(block, post);
    // Whatever it was: another connection may have better luck, and says anew why not.
    if (!sent) link_.reset();
    return sent;
  }
  bool may_try_again() const override { return may_try_again_; }
  std::string name() const override { return config_.bus.url; }

 private:
  // What was in the outbox before there was a bus.
  base::result<void> publish_parts(const Block& block, const Post& whole) {
    const std::vector<Block> parts = made_anew(block, 1, kEnoughBytesOfMessage);
    may_try_again_ = false;
    if (parts.empty())
      return base::fail(base::Code::limit_exceeded,
                        fmt::format("batch {} of {} has more bytes than a message may",
                                    whole.number, whole.table));
    for (std::size_t i = 0; i < parts.size(); ++i) {
      const std::vector<std::byte> packed = pack(parts[i]);
      Post part = whole;
      part.edge = fmt::format("{}.p{}", whole.edge, i);
      part.packed = packed;
      if (auto sent = publish(part); !sent) return sent;
    }
    return {};
  }

  base::result<void> publish(const Post& post) {
    may_try_again_ = true;
    if (!link_ || link_->is_closed()) {
      auto opened = BusLink::open(config_, "_INBOX.edge." + config_.bus.tenant);
      if (!opened) return base::Unexpected(opened.error());
      link_ = std::move(*opened);
    }
    const std::string subject =
        subject_text({config_.bus.tenant, std::string(post.table), lane_of(post.edge)});
    natsMsg* made = nullptr;
    natsStatus status = natsMsg_Create(&made, subject.c_str(), nullptr,
                                       reinterpret_cast<const char*>(post.packed.data()),
                                       static_cast<int>(post.packed.size()));
    const NatsMessage message(made);
    const auto add = [&](std::string_view field, const std::string& value) {
      if (status == NATS_OK)
        status = natsMsgHeader_Set(made, std::string(field).c_str(), value.c_str());
    };
    add(kEdgeField, post.edge);
    add(kBatchField, fmt::to_string(post.number));
    add(kBeforeField, fmt::to_string(post.before));
    jsPubOptions how;
    jsPubOptions_Init(&how);
    const std::string id = fmt::format("{}.{}", post.edge, post.number);
    how.MsgId = id.c_str();
    how.ExpectStream = kStream;
    how.MaxWait = kStoredWithin;
    jsPubAck* answer = nullptr;
    jsErrCode code{};
    if (status == NATS_OK) status = js_PublishMsg(&answer, link_->stream(), made, &how, &code);
    if (status != NATS_OK) return told(subject, status, code);
    figures_.bus_duplicates_total += answer->Duplicate ? 1 : 0;
    jsPubAck_Destroy(answer);
    return {};
  }

  // A subject that we may not publish to is not answered at all, but told apart.
  base::Unexpected told(const std::string& subject, natsStatus status, jsErrCode code) {
    if (status == NATS_NO_RESPONDERS)
      return base::fail(base::Code::open_failed,
                        fmt::format("{}: no stream takes {}: a hub with the same bus.url makes "
                                    "it when it starts",
                                    config_.bus.url, subject));
    const bool may_not = link_->is_forbidden();
    may_try_again_ = !may_not && status != NATS_MAX_PAYLOAD;
    return link_->fault(subject, may_not ? NATS_NOT_PERMITTED : status, code);
  }

  const Config config_;
  Figures& figures_;
  std::unique_ptr<BusLink> link_{};
  bool may_try_again_ = true;
};

}  // namespace

base::result<std::unique_ptr<Target>> bus_target(const Config& config, Figures& figures) {
  return std::make_unique<BusTarget>(config, figures);
}

}  // namespace polytrace::collector
#endif
