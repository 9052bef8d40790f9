// SPDX-License-Identifier: Apache-2.0
// By which field an object refers to another. Names belong to classes, so a snapshot keeps no name
// for each reference: of the few references that an answer shows, where they lie in their object is
// found by reading the trace once more. One thread at a time.
#pragma once

#include <map>
#include <string>
#include <utility>
#include <vector>

#include "analysis/table/words.hpp"
#include "base/seeded_hash.hpp"
#include "event/pump.hpp"

namespace polytrace::analysis {

// What a trace tells of the fields of its classes.
class FieldNames {
 public:
  void take(const event::Batch& batch, const event::Event& event);
  bool empty() const { return classes_.empty(); }
  // "static Shop.LEAK", "HashMap.table", "[12345]" of an array; empty where it is not told. `type`
  // is the class of the object.
  std::string describe(base::Id object, base::Id type, std::uint64_t offset,
                       const Names& names) const;

 private:
  using Fields = std::map<std::uint64_t, std::string>;  // by offset
  struct Class {
    Fields own{};
    Fields statics{};
    base::Id super = base::kNoId;
    std::uint64_t super_offset = 0;
  };

  static std::string in(const Fields& fields, std::uint64_t offset, std::string_view type);

  base::IdMap<Class> classes_;
  std::uint8_t pointer_size_ = 0;
};

// Answers ask it; what it does not know then, it finds as the consumer of another pass.
class ReferenceFields final : public event::Consumer {
 public:
  // Of snapshot `snapshot`, counted from 0. REQUIRES: both others live as long.
  ReferenceFields(const FieldNames& fields, const Names& names, std::size_t snapshot)
      : fields_(fields), names_(names), snapshot_(snapshot) {}

  // Empty where the trace does not tell it, or it is not known yet.
  std::string between(base::Id from, base::Id to);
  // Whether another pass would tell more than is known.
  bool wants_pass() const { return !fields_.empty() && wanted_ != 0; }
  // Stops when everything is found.
  bool consume(const event::Batch& batch) override;

 private:
  struct Known {
    bool found = false;
    std::string field{};
  };

  bool take_object(const event::Batch& batch, const event::Event& event);

  const FieldNames& fields_;
  const Names& names_;
  std::size_t snapshot_;
  std::size_t begun_ = 0;   // snapshots, in the pass
  std::size_t wanted_ = 0;  // of known_, those not found
  base::IdMap<std::map<base::Id, Known>> known_;
};

}  // namespace polytrace::analysis
