// SPDX-License-Identifier: Apache-2.0
// Profiles in pprof's profile.proto: any number of them, which keep their own tables. One thread at
// a time; throws as foreign_work.hpp says.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "base/seeded_hash.hpp"
#include "collector/foreign/foreign_work.hpp"
#include "collector/foreign/frame_tables.hpp"
#include "collector/foreign/value_plan.hpp"

namespace polytrace::collector {

class PprofReader final : public StackTexts {
 public:
  explicit PprofReader(ForeignWork& work) : work_(work) {}

  // Of a process that tells such labels; where they name no service, its program's file does.
  void read(std::vector<std::byte> message, LabelList told);

  bool frames(std::uint32_t stack, std::size_t most, std::vector<ForeignFrame>& into) override;
  std::string subject(std::uint32_t) override { return {}; }

 private:
  using View = protozero::data_view;
  struct Document {
    std::vector<std::byte> bytes;
    FrameTables tables{};
    base::IdMap<std::uint32_t> location_of{}, function_of{}, mapping_of{};  // by id
    std::vector<std::uint64_t> line_functions{}, mapping_ids{};             // ids, while read
    std::vector<ValueType> types{};
    std::int64_t time = 0, duration = 0, preferred = 0;
  };
  // What each sample goes into.
  struct Goal {
    StackSums& sums;
    std::optional<std::uint32_t> time;
    std::vector<std::optional<ForeignFigure>> plan;
    bool is_timeless = false;
    std::vector<std::uint64_t> left_out{};  // values, by type
  };

  void read_tables(Document& document, View bytes);
  void refer(Document& document);
  void read_function(Document& document, View bytes);
  void read_mapping(Document& document, View bytes);
  void read_location(Document& document, View bytes);
  Goal goal_of(const Document& document, LabelList told);
  void read_sample(const Document& document, View bytes, Goal& goal);
  void read_label(const Document& document, View bytes);
  void tell_left_out(const Document& document, const Goal& goal);
  std::uint32_t stack_of(const Document& document, const std::vector<std::uint64_t>& ids);

  // A stack that was told: indexes of locations, innermost first.
  struct Told {
    std::uint32_t document;
    std::uint32_t size;
    std::size_t begin;
  };
  ForeignWork& work_;
  std::vector<std::unique_ptr<Document>> documents_;
  std::vector<Told> stacks_;
  std::vector<std::uint32_t> places_;  // of all stacks
  base::IdMap<std::uint32_t> known_;   // by hash: a number in stacks_
  std::vector<std::uint64_t> ids_;     // of a sample
  std::vector<std::uint32_t> path_;
  std::vector<std::int64_t> values_;
  std::vector<std::uint64_t> labels_;  // how often each text was the key of one
};

}  // namespace polytrace::collector
