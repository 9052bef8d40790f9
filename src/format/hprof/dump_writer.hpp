// SPDX-License-Identifier: Apache-2.0
// Writes a heap dump of any runtime's objects in a form that readers for Java take
// (docs/formats/hprof.md, section 9): classes first, then objects and roots. One thread at a time.
#pragma once

#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "base/io/appender.hpp"
#include "base/io/sink.hpp"

namespace polytrace::format::hprof {

using base::Id;

// A class to be: its objects are either plain, with so many references, or arrays of them.
struct NewClass {
  Id id = 0;
  std::string name{};  // as in source code; of arrays, without "[]"
  bool array = false;
  std::uint32_t references = 0;  // of a plain object
  std::uint32_t size = 0;        // of a plain object, in memory
};

class DumpWriter {
 public:
  // The head, and what every dump of Java has: java.lang.Object and others, unless they are among
  // `classes`. `first_id`: from there on ids are free for them. The sink outlives the writer.
  static base::result<std::unique_ptr<DumpWriter>> create(base::Sink& sink,
                                                          std::span<const NewClass> classes,
                                                          Id first_id);
  explicit DumpWriter(base::Sink& sink) : sink_(sink) {}

  // Fewer references than the class has fields are filled up with null. REQUIRES: no more.
  base::result<void> object(Id id, const NewClass& type, std::span<const Id> references);
  // An array of `length` elements. REQUIRES: no fewer than references.
  base::result<void> array(Id id, const NewClass& type, std::span<const Id> references,
                           std::uint32_t length);
  base::result<void> root(Id object);
  // Once, after the last object. The sink is committed by whoever opened it.
  base::result<void> finish();

 private:
  struct Defined;

  template <class T>
  void put(T value);
  void put_nulls(std::uint64_t count);
  void put_record(std::uint8_t tag);
  Id text(std::string_view text);
  void load(const Defined& type);
  void describe(const Defined& type, std::span<const Id> field_names);
  base::result<void> flush(std::size_t at_least);

  base::Sink& sink_;
  base::Appender body_;  // of the record or segment that is being made
  base::Appender out_;   // whole records
  std::uint32_t classes_ = 0;
  Id texts_ = 0;
  Id reference_ = 0;             // java.lang.ref.Reference
  std::uint32_t inherited_ = 1;  // fields that some classes have from it
};

}  // namespace polytrace::format::hprof
