// SPDX-License-Identifier: Apache-2.0
#include "format/hprof/dump_writer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <vector>

#include "format/hprof/layout/big_endian.hpp"
#include "format/hprof/layout/header.hpp"
#include "format/hprof/layout/records.hpp"

namespace polytrace::format::hprof {
namespace {

constexpr std::size_t kSegment = std::size_t{1} << 20;
constexpr std::uint32_t kObjectHead = 16;  // of an object in memory

constexpr std::string_view kObject = "java.lang.Object";
constexpr std::string_view kReferenceClass = "java.lang.ref.Reference";
// Readers look for these, and for the field of the first.
constexpr std::array<std::string_view, 4> kReferences{
    "java.lang.ref.WeakReference", "java.lang.ref.SoftReference", "java.lang.ref.FinalReference",
    "java.lang.ref.PhantomReference"};

bool is_reference(std::string_view name) {
  return std::ranges::find(kReferences, name) != kReferences.end();
}

std::string written_name(const NewClass& type) {
  std::string name = type.name;
  std::ranges::replace(name, '.', '/');
  return type.array ? "[L" + name + ";" : name;
}

}  // namespace

struct DumpWriter::Defined {
  NewClass type;
  Id super = 0;
};

template <class T>
void DumpWriter::put(T value) {
  if constexpr (sizeof value == 1) body_.fixed(value);
  else body_.fixed(big(value));
}

void DumpWriter::put_nulls(std::uint64_t count) {
  for (; count != 0; --count) body_.fixed(std::uint64_t{0});
}

void DumpWriter::put_record(std::uint8_t tag) {
  out_.byte(tag);
  out_.fixed(std::uint32_t{0});
  out_.fixed(big(static_cast<std::uint32_t>(body_.size())));
  out_.bytes(body_.view());
  body_.clear();
}

Id DumpWriter::text(std::string_view text) {
  put<std::uint64_t>(++texts_);
  body_.text(text);
  put_record(static_cast<std::uint8_t>(Tag::text));
  return texts_;
}

void DumpWriter::load(const Defined& defined) {
  const Id name = text(written_name(defined.type));
  put<std::uint32_t>(++classes_);
  put<std::uint64_t>(defined.type.id);
  put<std::uint32_t>(0);
  put<std::uint64_t>(name);
  put_record(static_cast<std::uint8_t>(Tag::load_class));
}

void DumpWriter::describe(const Defined& defined, std::span<const Id> field_names) {
  constexpr std::uint64_t kOthers = 5;  // loader and the like
  const NewClass& type = defined.type;
  body_.byte(static_cast<std::uint8_t>(Part::class_dump));
  put<std::uint64_t>(type.id);
  put<std::uint32_t>(0);
  put<std::uint64_t>(defined.super);
  put_nulls(kOthers);
  put<std::uint32_t>(type.array ? 0 : std::max(type.size, kObjectHead));
  put<std::uint16_t>(0);
  put<std::uint16_t>(0);
  const std::uint32_t fields = type.array ? 0 : type.references;
  put(static_cast<std::uint16_t>(fields));
  for (std::uint32_t i = 0; i < fields; ++i) {
    put<std::uint64_t>(field_names[i]);
    body_.byte(kReference);
  }
  body_.byte(static_cast<std::uint8_t>(Part::sticky_class));
  put<std::uint64_t>(type.id);
}

base::result<std::unique_ptr<DumpWriter>> DumpWriter::create(base::Sink& sink,
                                                             std::span<const NewClass> classes,
                                                             Id first_id) {
  auto writer = std::make_unique<DumpWriter>(sink);
  DumpWriter& to = *writer;
  to.out_.text("JAVA PROFILE 1.0.2");
  to.out_.byte(0);
  to.out_.fixed(big(std::uint32_t{sizeof(Id)}));
  to.out_.fixed(std::uint64_t{0});

  std::vector<Defined> all;
  const auto given = [&](std::string_view name) {
    return std::ranges::find_if(
        classes, [&](const NewClass& type) { return type.name == name && !type.array; });
  };
  const auto add_own = [&](std::string_view name, std::uint32_t references, Id super) {
    const auto known = given(name);
    NewClass type{first_id++, std::string(name), false, references, kObjectHead + 8 * references};
    if (known != classes.end()) type = *known;
    all.push_back({type, super});
    return type.id;
  };
  const Id object = add_own(kObject, 0, 0);
  add_own("java.lang.Class", 0, object);
  to.reference_ = add_own(kReferenceClass, 1, object);
  to.inherited_ = all.back().type.references;
  for (const std::string_view name : kReferences) add_own(name, 0, to.reference_);
  const auto own = [&](const NewClass& type) {
    return std::ranges::any_of(all, [&](const Defined& one) { return one.type.id == type.id; });
  };
  for (const NewClass& type : classes)
    if (!own(type)) all.push_back({type, object});

  std::uint32_t most = 1;
  for (const Defined& one : all)
    if (!one.type.array) most = std::max(most, one.type.references);
  std::vector<Id> fields;
  for (std::uint32_t i = 0; i < most; ++i) fields.push_back(to.text(fmt::format("ref{}", i)));
  std::vector<Id> referent = fields;
  referent[0] = to.text("referent");
  for (const Defined& one : all) to.load(one);
  to.put<std::uint32_t>(1);  // the trace that everything names has no frames
  to.put<std::uint32_t>(0);
  to.put<std::uint32_t>(0);
  to.put_record(static_cast<std::uint8_t>(Tag::trace));
  for (const Defined& one : all) {
    to.describe(one, one.type.id == to.reference_ ? referent : fields);
    if (auto done = to.flush(kSegment); !done) return base::Unexpected(done.error());
  }
  return writer;
}

base::result<void> DumpWriter::object(Id id, const NewClass& type, std::span<const Id> references) {
  const std::uint32_t inherited = is_reference(type.name) ? inherited_ : 0;
  body_.byte(static_cast<std::uint8_t>(Part::instance));
  put<std::uint64_t>(id);
  put<std::uint32_t>(0);
  put<std::uint64_t>(type.id);
  put<std::uint32_t>((type.references + inherited) * std::uint32_t{sizeof(Id)});
  for (const Id target : references) put<std::uint64_t>(target);
  put_nulls(type.references - references.size() + inherited);
  return flush(kSegment);
}

base::result<void> DumpWriter::array(Id id, const NewClass& type, std::span<const Id> references,
                                     std::uint32_t length) {
  body_.byte(static_cast<std::uint8_t>(Part::object_array));
  put<std::uint64_t>(id);
  put<std::uint32_t>(0);
  put(length);
  put<std::uint64_t>(type.id);
  for (const Id target : references) put<std::uint64_t>(target);
  put_nulls(length - references.size());
  return flush(kSegment);
}

base::result<void> DumpWriter::root(Id object) {
  body_.byte(static_cast<std::uint8_t>(Part::unknown));
  put<std::uint64_t>(object);
  return flush(kSegment);
}

base::result<void> DumpWriter::flush(std::size_t at_least) {
  if (body_.size() < at_least) return {};
  put_record(static_cast<std::uint8_t>(Tag::heap_segment));
  auto done = sink_.write(out_.view());
  out_.clear();
  return done;
}

base::result<void> DumpWriter::finish() {
  if (body_.size() != 0) put_record(static_cast<std::uint8_t>(Tag::heap_segment));
  put_record(static_cast<std::uint8_t>(Tag::heap_end));
  auto done = sink_.write(out_.view());
  out_.clear();
  return done;
}

}  // namespace polytrace::format::hprof
