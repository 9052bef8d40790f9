// SPDX-License-Identifier: Apache-2.0
#include <sys/mman.h>
#include <unistd.h>

#include "base/codes.hpp"
#include "fleet/moments/kept.hpp"
#include "server/answers/fleet/question.hpp"

namespace polytrace::server {
namespace {

// A file without a place: it goes with the object, whatever becomes of the server.
class HeldFile {
 public:
  explicit HeldFile(base::Bytes bytes) : file_(memfd_create("polytrace-piece", MFD_CLOEXEC)) {
    while (file_ >= 0 && !bytes.empty()) {
      const ssize_t written = write(file_, bytes.data(), bytes.size());
      if (written <= 0) return;
      bytes = bytes.subspan(static_cast<std::size_t>(written));
    }
    is_whole_ = file_ >= 0;
  }
  ~HeldFile() {
    if (file_ >= 0) close(file_);
  }
  HeldFile(const HeldFile&) = delete;
  HeldFile& operator=(const HeldFile&) = delete;

  bool is_whole() const { return is_whole_; }
  std::string name() const { return "/proc/self/fd/" + std::to_string(file_); }

 private:
  int file_;
  bool is_whole_ = false;
};

std::string read_moment_name(Members members) { return members.text("moment"); }

OrReply<std::string> opened(Traces& traces, const fleet::Moment& moment,
                            const fleet::Piece& piece) {
  const auto file = std::make_shared<const HeldFile>(piece.trace);
  if (!file->is_whole())
    return tl::unexpected(fault_reply(Fault::answer_too_large, "no memory for the piece"));
  const auto id =
      traces.add(file->name(), fleet::to_text(moment.name) + ".ptrace", file, /*fleeting=*/true);
  if (!id) return tl::unexpected(fault_reply(id.error()));
  return *id;
}

base::result<fleet::Piece> found_piece(Ask& ask, fleet::Store& store, const fleet::Moment& moment) {
  const FleetOffer& offer = *ask.offers.options.fleet;
  fleet::Sources sources;
  if (offer.edge) sources.blocks = fleet::from_edge(*offer.edge, &ask.stop);
  std::unique_ptr<warehouse::Objects> objects;
  if (offer.objects) {
    warehouse::ObjectsOptions options = *offer.objects;
    options.stop = &ask.stop;
    auto opened = warehouse::Objects::open(std::move(options));
    if (!opened) return base::Unexpected(opened.error());
    objects = std::move(*opened);
    sources.objects = objects.get();
  }
  return fleet::get_piece(store, moment, sources);
}

}  // namespace

Answered answer_fleet_get(Ask& ask) {
  const std::string text = read_moment_name(ask.body.members());
  if (!ask.body.fault().empty()) return wrong(ask.body.fault());
  const auto name = fleet::parse_moment(text);
  if (!name) return tl::unexpected(fault_reply(name.error()));
  const auto& offer = ask.offers.options.fleet;
  auto store = open_store(ask);
  if (!store) return tl::unexpected(std::move(store.error()));
  if (!offer->has_events())
    return tl::unexpected(
        fault_reply(Fault::not_offered, "no --token-file of a collector, and no --objects"));
  const auto moment = fleet::find_moment(*store, *name);
  if (!moment) return tl::unexpected(fault_reply(moment.error()));
  const auto piece = found_piece(ask, *store, *moment);
  if (!piece)
    return tl::unexpected(piece.error().code == base::Code::open_failed
                              ? fault_reply(Fault::edge_failed, piece.error().detail)
                              : fault_reply(piece.error()));
  const auto id = opened(ask.offers.traces, *moment, *piece);
  if (!id) return tl::unexpected(id.error());
  Reply reply;
  base::JsonWriter json(reply.body, base::JsonWriter::Form::one_line);
  json.begin_object();
  json.member("schema", "polytrace.ui.fleet-get/1");
  json.member("trace", *id);
  fleet::write_moment(json, *moment, *piece);
  json.end_object();
  return reply;
}

}  // namespace polytrace::server
