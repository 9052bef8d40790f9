// SPDX-License-Identifier: Apache-2.0
// polytrace.index/1: what the commands of the group index print.
#include "base/codes.hpp"
#include "base/text/figure_text.hpp"
#include "service/index/build.hpp"
#include "service/index/cache.hpp"
#include "service/json/parts.hpp"

namespace polytrace::service {
namespace {

using base::JsonWriter;

void write_told_text(JsonWriter& json, std::string_view name, const std::string& text) {
  json.key(name);
  if (text.empty()) json.null();
  else json.value(text);
}

void write_told_time(JsonWriter& json, std::string_view name, base::Time time) {
  json.key(name);
  if (time == base::kNoTime) json.null();
  else json.value(time);
}

void write_frames(JsonWriter& json, const IndexAccount& account) {
  json.key("frames");
  json.begin_array();
  for (const FrameSum& sum : account.frames) {
    json.begin_object();
    json.member("kind", sum.kind);
    json.member("holds", sum.holds);
    json.member("count", sum.frames);
    json.member("bytes", sum.bytes);
    json.end_object();
  }
  json.end_array();
}

// Members of the open object.
void write_account(JsonWriter& json, const IndexAccount& account) {
  const store::Totals& totals = account.totals;
  json.member("file", account.file);
  write_told_text(json, "folder", account.folder);
  json.member("state", word_of(account.standing));
  write_told_text(json, "reason", account.detail);
  json.member("bytes", account.bytes);
  write_told_text(json, "format", account.format);
  json.member("file_size", account.source_size);
  json.member("bytes_covered", account.source_bytes);
  json.member("events", totals.events);
  json.member("call_blocks", totals.blocks);
  json.member("paths", totals.paths);
  json.member("methods", totals.methods);
  json.member("classes", totals.classes);
  json.member("threads", totals.threads);
  json.member("texts", totals.texts);
  write_told_time(json, "first", totals.first);
  write_told_time(json, "last", totals.last);
  write_frames(json, account);
}

// {"schema": ..., "indexes": [each]}
template <class Range, class Write>
std::string write_all(const Range& all, Write write) {
  std::string out;
  JsonWriter json(out);
  json.begin_object();
  json.member("schema", "polytrace.index/1");
  json.key("indexes");
  json.begin_array();
  for (const auto& one : all) {
    json.begin_object();
    write(json, one);
    json.end_object();
  }
  json.end_array();
  json.end_object();
  return out + '\n';
}

void write_cached(JsonWriter& json, const std::vector<CachedIndex>& all) {
  json.key("indexes");
  json.begin_array();
  for (const CachedIndex& index : all) {
    json.begin_object();
    write_told_text(json, "file", index.file);
    json.member("folder", index.folder);
    json.member("state",
                index.standing == IndexStanding::current ? "complete" : word_of(index.standing));
    json.member("bytes", index.bytes);
    json.member("used", base::wall_text(index.used));
    write_told_text(json, "format", index.format);
    json.member("events", index.events);
    json.end_object();
  }
  json.end_array();
}

}  // namespace

std::string index_json(std::span<const IndexAccount> accounts) {
  return write_all(accounts, [](JsonWriter& json, const IndexAccount& account) {
    write_account(json, account);
    json.key("notices");
    write_notices(json, account.notices);
  });
}

std::string index_json(std::span<const BuiltIndex> built) {
  return write_all(built, [](JsonWriter& json, const BuiltIndex& one) {
    json.member("built", !one.was_current && one.written);
    json.member("evicted", one.evicted);
    write_account(json, one.account);
    write_outcome(json, one.reading.passed);
  });
}

std::string cache_json(const CacheAccount& account) {
  std::string out;
  JsonWriter json(out);
  json.begin_object();
  json.member("schema", "polytrace.index/1");
  write_told_text(json, "cache", account.folder);
  json.member("bytes", account.bytes());
  json.member("limit", account.limit);
  write_cached(json, account.indexes);
  json.end_object();
  return out + '\n';
}

std::string verified_json(const VerifiedIndex& verified) {
  const std::vector<VerifiedIndex> all{verified};
  return write_all(all, [](JsonWriter& json, const VerifiedIndex& one) {
    json.member("file", one.file);
    json.member("folder", one.folder);
    json.member("whole", one.is_whole());
    json.key("current");
    if (one.is_current) json.value(*one.is_current);
    else json.null();
    json.member("frames_read", one.frames);
    json.member("bytes", one.bytes);
    json.key("broken");
    json.begin_array();
    for (const BrokenPart& part : one.broken)
      write_notice(json, {part.error.code, 1, 0, part.error.place, part.error.detail});
    json.end_array();
  });
}

std::string dropped_json(const Dropped& dropped) {
  std::string out;
  JsonWriter json(out);
  json.begin_object();
  json.member("schema", "polytrace.index/1");
  json.member("bytes", dropped.bytes());
  if (dropped.limit != 0) json.member("limit", dropped.limit);
  json.key("busy");
  json.begin_array();
  for (const std::string& folder : dropped.busy) json.value(folder);
  json.end_array();
  write_cached(json, dropped.gone);
  json.end_object();
  return out + '\n';
}

}  // namespace polytrace::service
