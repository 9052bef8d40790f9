// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <cerrno>
#include <unordered_map>
#include <utility>

#include "base/codes.hpp"
#include "capi/query.hpp"

namespace polytrace::capi {
namespace {

// What a table has under such a name is one of few texts.
bool is_names(const sql::AnswerColumn& column) {
  const std::string_view name = column.name;
  return column.type == "TEXT" && (name == "name" || name.ends_with("_name"));
}

// Released unless it is given away: memory may end in the middle.
template <class Struct>
struct Owned {
  Struct own{};
  Owned() = default;
  Owned(const Owned&) = delete;
  Owned& operator=(const Owned&) = delete;
  ~Owned() {
    if (own.release != nullptr) own.release(&own);
  }
  void give(Struct* out) { *out = std::exchange(own, {}); }
};

// --- schema --------------------------------------------------------------------------------------

const char* format_of(CellType type) {
  switch (type) {
    case CellType::integer: return "l";
    case CellType::real: return "g";
    case CellType::text: break;
  }
  return "u";
}

void append_count(std::string& to, std::size_t count) {
  const auto number = static_cast<std::int32_t>(count);
  to.append(reinterpret_cast<const char*>(&number), sizeof number);
}

// Of one pair, as the interface encodes it.
std::string metadata_of(std::string_view key, std::string_view value) {
  std::string all;
  append_count(all, 1);
  append_count(all, key.size());
  all += key;
  append_count(all, value.size());
  return all += value;
}

struct HeldSchema {
  std::string name{};
  std::string metadata{};
  std::vector<ArrowSchema> children{};
  std::vector<ArrowSchema*> places{};
  ArrowSchema dictionary{};
};

void release_schema(ArrowSchema* schema) {
  for (std::int64_t i = 0; i < schema->n_children; ++i)
    if (schema->children[i]->release != nullptr) schema->children[i]->release(schema->children[i]);
  if (schema->dictionary != nullptr && schema->dictionary->release != nullptr)
    schema->dictionary->release(schema->dictionary);
  delete static_cast<HeldSchema*>(schema->private_data);
  schema->release = nullptr;
}

HeldSchema& begin_schema(ArrowSchema& out, const char* format, std::string_view name) {
  auto held = std::make_unique<HeldSchema>();
  held->name = name;
  out = {};
  out.format = format;
  out.name = held->name.c_str();
  out.release = release_schema;
  HeldSchema& kept = *held.release();
  out.private_data = &kept;
  return kept;
}

void make_field(ArrowSchema& out, const sql::AnswerColumn& column, CellType type) {
  const bool names = is_names(column) && type == CellType::text;
  HeldSchema& held = begin_schema(out, names ? "i" : format_of(type), column.name);
  out.flags = ARROW_FLAG_NULLABLE;
  if (!column.unit.empty()) {
    held.metadata = metadata_of("polytrace.unit", column.unit);
    out.metadata = held.metadata.c_str();
  }
  if (!names) return;
  out.dictionary = &held.dictionary;
  begin_schema(held.dictionary, "u", {});
}

void make_schema(ArrowSchema& out, const OpenQuery& query, const std::vector<CellType>& types) {
  HeldSchema& held = begin_schema(out, "+s", {});
  held.children.resize(types.size());
  for (std::size_t i = 0; i < types.size(); ++i) held.places.push_back(&held.children[i]);
  out.children = held.places.data();
  for (std::size_t i = 0; i < types.size(); ++i) {
    make_field(held.children[i], query.columns()[i], types[i]);
    out.n_children = static_cast<std::int64_t>(i) + 1;
  }
}

// --- batches -------------------------------------------------------------------------------------

struct HeldArray {
  std::shared_ptr<const Batch> batch{};  // children may be moved away and live on
  std::array<const void*, 3> buffers{};
  std::vector<ArrowArray> children{};
  std::vector<ArrowArray*> places{};
  ArrowArray dictionary{};
  std::vector<std::int32_t> numbers{};  // of a dictionary: indexes, or places
  std::string bytes{};
};

void release_array(ArrowArray* array) {
  for (std::int64_t i = 0; i < array->n_children; ++i)
    if (array->children[i]->release != nullptr) array->children[i]->release(array->children[i]);
  if (array->dictionary != nullptr && array->dictionary->release != nullptr)
    array->dictionary->release(array->dictionary);
  delete static_cast<HeldArray*>(array->private_data);
  array->release = nullptr;
}

HeldArray& begin_array(ArrowArray& out, std::size_t length, std::int64_t buffers) {
  HeldArray& held = *new HeldArray();
  out = {};
  out.length = static_cast<std::int64_t>(length);
  out.n_buffers = buffers;
  out.buffers = held.buffers.data();
  out.release = release_array;
  out.private_data = &held;
  return held;
}

void make_dictionary(ArrowArray& out, const std::vector<std::string_view>& texts) {
  HeldArray& held = begin_array(out, texts.size(), 3);
  held.numbers.push_back(0);
  for (const std::string_view text : texts) {
    held.bytes += text;
    held.numbers.push_back(static_cast<std::int32_t>(held.bytes.size()));
  }
  held.buffers = {nullptr, held.numbers.data(), held.bytes.data()};
}

void make_names(ArrowArray& out, const Column& column) {
  HeldArray& held = begin_array(out, column.rows(), 2);
  std::unordered_map<std::string_view, std::int32_t> numbers;
  std::vector<std::string_view> texts;
  for (std::size_t i = 0; i < column.rows(); ++i) {
    if (column.is_null(i)) {
      held.numbers.push_back(0);
      continue;
    }
    const std::string_view text = column.text(i);
    const auto [at, is_new] = numbers.try_emplace(text, static_cast<std::int32_t>(texts.size()));
    if (is_new) texts.push_back(text);
    held.numbers.push_back(at->second);
  }
  held.buffers = {column.valid(), held.numbers.data(), nullptr};
  out.null_count = static_cast<std::int64_t>(column.nulls());
  out.dictionary = &held.dictionary;
  make_dictionary(held.dictionary, texts);
}

void make_plain(ArrowArray& out, const Column& column) {
  const bool is_text = column.type() == CellType::text;
  HeldArray& held = begin_array(out, column.rows(), is_text ? 3 : 2);
  out.null_count = static_cast<std::int64_t>(column.nulls());
  if (is_text) held.buffers = {column.valid(), column.offsets(), column.values()};
  else held.buffers = {column.valid(), column.values(), nullptr};
}

void make_array(ArrowArray& out, const OpenQuery& query, std::shared_ptr<const Batch> batch) {
  HeldArray& held = begin_array(out, batch->rows, 1);
  held.children.resize(batch->columns.size());
  for (ArrowArray& child : held.children) held.places.push_back(&child);
  out.children = held.places.data();
  for (std::size_t i = 0; i < batch->columns.size(); ++i) {
    const Column& column = batch->columns[i];
    const bool names = is_names(query.columns()[i]) && column.type() == CellType::text;
    names ? make_names(held.children[i], column) : make_plain(held.children[i], column);
    static_cast<HeldArray*>(held.children[i].private_data)->batch = batch;
    out.n_children = static_cast<std::int64_t>(i) + 1;
  }
}

// --- stream --------------------------------------------------------------------------------------

struct HeldStream {
  std::shared_ptr<OpenQuery> query;
  std::size_t most;  // rows of a batch
  Part next{};       // what was read ahead
  bool ahead = true;
  bool ended = false;
  bool running = false;  // the query is ours until its run ends
  std::vector<CellType> types{};
  std::string fault{};
  int number = 0;  // of the fault; a stream that failed stays so
};

int give_fault(HeldStream& stream, int number, std::string line) {
  stream.fault = std::move(line);
  stream.ended = true;
  return stream.number = number;
}

int fetch(HeldStream& stream) {
  if (stream.number != 0) return stream.number;
  if (stream.ahead || stream.ended) return 0;
  auto part = stream.query->next(stream.most);
  stream.running = part && part->goes_on();
  if (!part) return give_fault(stream, EIO, line_of(part.error()));
  stream.next = std::move(*part);
  stream.ahead = true;
  return 0;
}

int give_next(HeldStream& stream, ArrowArray* out) {
  if (const int fault = fetch(stream); fault != 0) return fault;
  const Part part = std::exchange(stream.next, {});
  stream.ahead = false;
  if (part.stopped) return give_fault(stream, ECANCELED, "stopped: stopped before its end");
  if (part.missing) return give_fault(stream, EBADMSG, line_of(*part.missing));
  if (part.cut && part.batch == nullptr)
    return give_fault(stream, EOVERFLOW, "limit-exceeded: there are more rows than max_rows");
  if (part.batch == nullptr) {
    stream.ended = true;
    return 0;
  }
  // What was left out is said behind the last rows.
  if (part.cut) {
    stream.next = Part{.cut = true};
    stream.ahead = true;
  }
  Owned<ArrowArray> array;
  make_array(array.own, *stream.query, part.batch);
  array.give(out);
  return 0;
}

template <class Work>
int stream_call(ArrowArrayStream* stream, const Work& work) noexcept {
  auto& held = *static_cast<HeldStream*>(stream->private_data);
  try {
    return work(held);
  } catch (...) {
    held.ended = true;
    return held.number = ENOMEM;
  }
}

int stream_schema(ArrowArrayStream* stream, ArrowSchema* out) {
  out->release = nullptr;
  return stream_call(stream, [&](HeldStream& held) {
    Owned<ArrowSchema> schema;
    make_schema(schema.own, *held.query, held.types);
    schema.give(out);
    return 0;
  });
}

int stream_next(ArrowArrayStream* stream, ArrowArray* out) {
  out->release = nullptr;
  return stream_call(stream, [&](HeldStream& held) { return give_next(held, out); });
}

const char* stream_error(ArrowArrayStream* stream) {
  const auto& held = *static_cast<HeldStream*>(stream->private_data);
  return held.fault.empty() ? nullptr : held.fault.c_str();
}

void stream_release(ArrowArrayStream* stream) {
  auto* const held = static_cast<HeldStream*>(stream->private_data);
  if (held->running) held->query->end_run();
  delete held;
  stream->release = nullptr;
}

void give_stream(std::unique_ptr<HeldStream> held, ArrowArrayStream* out) {
  out->get_schema = stream_schema;
  out->get_next = stream_next;
  out->get_last_error = stream_error;
  out->release = stream_release;
  out->private_data = held.release();
}

}  // namespace

pt_status open_stream(const std::shared_ptr<OpenQuery>& query, std::size_t most,
                      ArrowArrayStream* out, pt_error** error) {
  if (!query->take(OpenQuery::Reader::stream))
    return give_usage(error, "a run of the query is under way");
  auto first = query->next(most);
  if (!first) return give_error(error, first.error(), query->file());
  if (first->stopped) return give_stopped(error);
  auto held = std::make_unique<HeldStream>(HeldStream{query, most, std::move(*first)});
  held->running = held->next.goes_on();
  held->types = query->types();
  give_stream(std::move(held), out);
  return PT_OK;
}

pt_status give_part(const pt_query& query, ArrowArrayStream* out, pt_error** error) {
  if (query.batch == nullptr) return give_usage(error, "no part of the query has been read");
  auto held = std::make_unique<HeldStream>(HeldStream{query.open, 0, Part{.batch = query.batch}});
  held->ended = true;  // behind what it has
  for (const Column& column : query.batch->columns) held->types.push_back(column.type());
  give_stream(std::move(held), out);
  return PT_OK;
}

}  // namespace polytrace::capi

pt_status pt_query_stream(pt_query* query, struct ArrowArrayStream* out, pt_error** error) {
  *out = {};
  return polytrace::capi::guarded(error, [&] {
    return polytrace::capi::open_stream(query->open, polytrace::capi::kMostRows, out, error);
  });
}

pt_status pt_part_stream(pt_query* query, struct ArrowArrayStream* out, pt_error** error) {
  *out = {};
  return polytrace::capi::guarded(error,
                                  [&] { return polytrace::capi::give_part(*query, out, error); });
}
