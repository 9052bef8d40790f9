// SPDX-License-Identifier: Apache-2.0
#include "service/trace/indexed_trace.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "base/codes.hpp"
#include "event/choice/method_names.hpp"
#include "service/index/build.hpp"
#include "service/words/environment.hpp"
#include "slice/compiled_names.hpp"

namespace polytrace::service {
namespace {

using base::Code;
using store::Entity;
using store::EntitySort;

constexpr std::size_t kIdDigits = 16;

std::string id_of(const base::Fingerprint& fingerprint) {
  return base::to_hex(fingerprint).substr(0, kIdDigits);
}

// A folder that goes with the object.
class TemporaryFolder {
 public:
  TemporaryFolder() {
    const std::string_view place = variable("TMPDIR");
    path_ = std::string(place.empty() ? "/tmp" : place) + "/polytrace-XXXXXX";
    if (mkdtemp(path_.data()) == nullptr) path_.clear();
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  ~TemporaryFolder() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
  }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

Asked<std::unique_ptr<const HeldIndex>> build_in(const Input& input, const std::string& folder) {
  InputOptions options = input.options();
  options.index = {.folder = folder};
  const Input again(options, input.asking());
  if (auto built = build_index(again); !built) return tl::unexpected(built.error());
  else if (!built->written) return refuse({Code::limit_exceeded, {}, "stopped"}, input.name());
  auto found = find_index(input.name(), folder);
  if (!found) return refuse(found.error(), input.name());
  if (found->standing != IndexStanding::current)
    return refuse({Code::index_stale, {}, found->detail}, input.name());
  const std::string& text = found->view->head().format;
  const format::Format* format = format::find_format(text.substr(0, text.find(' ')));
  if (format == nullptr) return refuse({Code::not_recognised, {}, text}, input.name());
  auto frames = store::IndexFrames::open(found->view);
  if (!frames) return refuse(frames.error(), input.name());
  auto use = store::FolderLock::use(found->place);
  return std::make_unique<const HeldIndex>(
      found->place.folder, *format, std::move(*frames),
      use ? std::move(*use) : std::optional<store::FolderLock>());
}

Asked<std::unique_ptr<const HeldIndex>> build_without_trace(const Input& input) {
  const TemporaryFolder folder;
  if (folder.path().empty())
    return refuse({Code::write_failed, {}, "no temporary folder can be made"});
  return build_in(input, folder.path() + "/index");
}

}  // namespace

Asked<std::shared_ptr<const IndexedTrace>> IndexedTrace::open(const Input& input) {
  const IndexOptions& options = input.options().index;
  auto built = options.none ? build_without_trace(input) : build_in(input, options.folder);
  // Where nothing can be kept, the answers are the same.
  if (!built && built.error().error.code == Code::write_failed && options.folder.empty())
    built = build_without_trace(input);
  if (!built) return tl::unexpected(built.error());
  return std::shared_ptr<const IndexedTrace>(new IndexedTrace(input.name(), std::move(*built)));
}

IndexedTrace::IndexedTrace(std::string file, std::unique_ptr<const HeldIndex> index)
    : file_(std::move(file)),
      index_(std::move(index)),
      store_(store::Store::of(index_->frames())),
      id_(id_of(index_->frames()->view().head().fingerprint)),
      index_bytes_(index_->frames()->view().slot().length) {
  const base::Time first = index_->frames()->view().totals().origin;
  if (first != base::kNoTime) origin_ = first;
  const auto methods = static_cast<std::uint32_t>(store_->entities().count(EntitySort::method));
  method_names_.reserve(methods);
  helpers_.resize(methods);
  for (std::uint32_t method = 0; method < methods; ++method) {
    method_names_.push_back(whole_method_name(method));
    helpers_[method] =
        text_of(store_->entities().of(EntitySort::method, method)).starts_with("(wrapper ");
    has_helpers_ |= helpers_[method];
  }
}

std::unique_ptr<Input> IndexedTrace::input(const std::atomic<bool>* stop) const {
  InputOptions options{.file = file_};
  options.index = {.offered = true, .folder = index_->folder()};
  return std::make_unique<Input>(std::move(options), Asking{.stop = stop});
}

base::Time IndexedTrace::at(std::int64_t offset) const {
  base::Time sum = 0;
  if (!__builtin_add_overflow(origin_, offset, &sum)) return sum;
  return offset < 0 ? std::numeric_limits<base::Time>::min()
                    : std::numeric_limits<base::Time>::max();
}

std::uint32_t IndexedTrace::threads() const {
  return static_cast<std::uint32_t>(store_->entities().count(EntitySort::thread));
}

bool IndexedTrace::is_partial() const {
  const store::Notes& notes = index_->frames()->notes();
  Passed passed;
  passed.outcome.error = notes.error;
  passed.notices = notes.notices.sorted();
  return passed.is_partial();
}

std::uint64_t IndexedTrace::rows(event::Kind kind) const {
  std::uint64_t sum = 0;
  for (const auto& segment : index_->frames()->segments(kind)) sum += segment.rows;
  return sum;
}

std::uint32_t IndexedTrace::classes() const {
  return static_cast<std::uint32_t>(store_->entities().count(EntitySort::class_));
}

std::uint32_t IndexedTrace::resolved_class(std::uint64_t class_index) const {
  const Entity& entity = store_->entities().of(EntitySort::class_, class_index);
  return static_cast<std::uint32_t>(entity.class_index == Entity::kNone ? class_index
                                                                        : entity.class_index);
}

std::string IndexedTrace::whole_method_name(std::uint32_t method) const {
  const Entity& entity = store_->entities().of(EntitySort::method, method);
  if (entity.name == Entity::kNone) return fmt::format("unknown method {:#x}", entity.id);
  std::string_view of;
  if (entity.class_index != Entity::kNone)
    of = text_of(store_->entities().of(EntitySort::class_, resolved_class(entity.class_index)));
  return slice::as_in_source(
      event::whole_method_name(of, text_of(entity), store_->texts().text(entity.signature)));
}

const std::string& IndexedTrace::method_name(std::uint32_t method) const {
  static const std::string kOther = "(other paths)";
  return method < method_names_.size() ? method_names_[method] : kOther;
}

std::string IndexedTrace::class_name(std::uint32_t class_index) const {
  const Entity& entity = store_->entities().of(EntitySort::class_, resolved_class(class_index));
  if (entity.name != Entity::kNone) return std::string(text_of(entity));
  if (entity.id == 0 || entity.id == base::kNoId) return "(class not recorded)";
  return fmt::format("unknown class {:#x}", entity.id);
}

base::Id IndexedTrace::thread_id(std::uint32_t thread) const {
  return store_->entities().of(EntitySort::thread, thread).id;
}

std::string IndexedTrace::thread_name(std::uint32_t thread) const {
  const Entity& entity = store_->entities().of(EntitySort::thread, thread);
  if (entity.name != Entity::kNone && !text_of(entity).empty()) return std::string(text_of(entity));
  return fmt::format("{:#x}", entity.id);
}

std::string_view package_of(std::string_view name) {
  const std::size_t end = name.find_first_of("(<[ `");
  std::string_view path = name.substr(0, end);
  // Mono's names have a colon before the method, others a dot.
  const std::size_t colon = path.find(':');
  if (colon == std::string_view::npos) path = path.substr(0, path.find_last_of('.'));
  else path = path.substr(0, colon);
  const std::size_t dot = path.find_last_of('.');
  return dot == std::string_view::npos ? std::string_view() : path.substr(0, dot);
}

base::result<std::string> trace_id(const std::string& file) {
  const auto identity = store::identify(file);
  if (!identity) return base::Unexpected(identity.error());
  return id_of(identity->fingerprint);
}

}  // namespace polytrace::service
