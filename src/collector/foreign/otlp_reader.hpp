// SPDX-License-Identifier: Apache-2.0
// OpenTelemetry's profiles as they are from 1.10 to 1.11 (ExportProfilesServiceRequest, as a file
// ProfilesData). One thread at a time; throws as foreign_work.hpp says, LayoutFault where a sample
// has its values where earlier versions had them.
#pragma once

#include <array>
#include <string_view>
#include <vector>

#include "collector/foreign/foreign_work.hpp"
#include "collector/foreign/frame_tables.hpp"
#include "collector/foreign/value_plan.hpp"

namespace polytrace::collector {

class OtlpReader final : public StackTexts {
 public:
  explicit OtlpReader(ForeignWork& work) : work_(work) {}

  // Once. The bytes live as long as this.
  void read(std::string_view message);

  bool frames(std::uint32_t stack, std::size_t most, std::vector<ForeignFrame>& into) override;
  std::string subject(std::uint32_t subject) override;

 private:
  using View = protozero::data_view;
  // A stack whose innermost frame is what its samples have as their subject, too.
  static constexpr std::uint32_t kWithoutInnermost = std::uint32_t{1} << 31;

  struct Attribute {
    std::string_view key;
    std::string text;
    std::uint64_t left_out = 0;  // times
  };
  struct Profile {
    View whole{};
    ValueType type{};
    std::int64_t time = 0;
    std::uint64_t duration = 0;
    std::string weight{};  // as ours tell it
  };
  struct Goal {
    StackSums& sums;
    ForeignFigure figure;
    std::optional<std::uint32_t> time{};  // of the profile
    bool is_timeless = false;
  };

  void read_dictionary(View bytes);
  void read_mapping(View bytes);
  void read_location(View bytes);
  void read_function(View bytes);
  void read_stack(View bytes);
  void refer();
  void read_attribute(View bytes);
  void read_resource_profiles(View bytes);
  void read_resource(View bytes, LabelList& told);
  void read_scope_profiles(View bytes, const LabelList& told);
  void read_profile(View bytes, const LabelList& told);
  Profile head_of(View bytes);
  ForeignFigure figure_of(const Profile& profile);
  std::string any_text(View bytes);
  void read_sample(View bytes, const Goal& goal);
  void take(const Goal& goal, StackSums::Key key);
  std::string_view text(std::int64_t index) const { return tables_.text(index); }
  std::uint32_t checked(std::int64_t index, std::size_t size, std::string_view name);

  ForeignWork& work_;
  FrameTables tables_;
  std::vector<View> attribute_views_;
  std::vector<Attribute> attributes_;
  struct Stack {
    std::size_t begin, end;
  };
  std::vector<Stack> stacks_;
  std::vector<std::uint32_t> places_;  // of all stacks: numbers of locations
  std::uint64_t links_told_ = 0;
  std::uint64_t with_values_ = 0, bare_ = 0;  // samples
  std::vector<std::int64_t> values_;
  std::vector<std::uint64_t> times_;
  std::vector<std::int64_t> sample_attributes_;
};

}  // namespace polytrace::collector
