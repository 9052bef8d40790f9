// SPDX-License-Identifier: Apache-2.0
#include "collector/foreign/foreign.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <map>
#include <protozero/pbf_builder.hpp>

#include "base/codes.hpp"
#include "base/io/sink.hpp"
#include "collector/foreign/profile_request.hpp"
#include "exports/profiles/fields.hpp"
#include "exports/profiles/otlp_message.hpp"

namespace polytrace::collector {
namespace {

using namespace exports;
using protozero::pbf_builder;
using U = std::uint64_t;

constexpr Time kAt = 1'795'651'203 * kSecond;  // 3 s into a window
constexpr std::uint32_t kWindowAt = 1'795'651'200;

base::Bytes bytes_of(const std::string& text) { return std::as_bytes(std::span(text)); }

base::result<Foreign> read(const std::string& message, std::optional<ForeignKind> kind = {},
                           ForeignOptions options = {}) {
  return read_foreign(bytes_of(message), kind, options);
}

// Count and weight by carrier, of all series.
std::map<int, std::pair<U, U>> totals(const Foreign& foreign) {
  std::map<int, std::pair<U, U>> out;
  for (const ForeignSeries& series : foreign.series)
    for (const auto& row : series.rows.of<warehouse::Profile10s>()) {
      out[row.carrier].first += row.count;
      out[row.carrier].second += row.weight;
    }
  return out;
}

// Weight by stack, "main > work of Order", of a carrier.
std::map<std::string, U> stacks(const Rows& rows, int carrier) {
  std::map<U, std::string> names;
  for (const auto& frame : rows.of<warehouse::Frame>()) names[frame.id] = frame.name;
  std::map<std::string, U> out;
  for (const auto& row : rows.of<warehouse::Profile10s>()) {
    if (row.carrier != carrier) continue;
    for (const auto& stack : rows.of<warehouse::Stack>()) {
      if (stack.id != row.stack) continue;
      std::string text;
      for (const U frame : stack.frames) text = names[frame] + (text.empty() ? "" : " > ") + text;
      out[row.subject == 0 ? text : text + " of " + names[row.subject]] += row.weight;
    }
  }
  return out;
}
using Stacks = std::map<std::string, U>;

struct PprofText {
  std::string bytes{};
  std::vector<std::string> texts{""};

  std::int64_t text(const std::string& one) {
    texts.push_back(one);
    return static_cast<std::int64_t>(texts.size()) - 1;
  }
  void type(const std::string& name, const std::string& unit) {
    const std::int64_t a = text(name), b = text(unit);
    pbf_builder<PprofProfile> profile(bytes);
    pbf_builder<PprofValueType> type(profile, PprofProfile::sample_type);
    type.add_int64(PprofValueType::type, a);
    type.add_int64(PprofValueType::unit, b);
  }
  void function(U id, const std::string& name) {
    const std::int64_t number = name.empty() ? 0 : text(name);
    pbf_builder<PprofProfile> profile(bytes);
    pbf_builder<PprofFunction> function(profile, PprofProfile::function);
    function.add_uint64(PprofFunction::id, id);
    function.add_int64(PprofFunction::name, number);
  }
  void location(U id, std::vector<U> functions, U mapping = 0, U address = 0) {
    pbf_builder<PprofProfile> profile(bytes);
    pbf_builder<PprofLocation> location(profile, PprofProfile::location);
    location.add_uint64(PprofLocation::id, id);
    if (mapping != 0) location.add_uint64(PprofLocation::mapping_id, mapping);
    if (address != 0) location.add_uint64(PprofLocation::address, address);
    for (const U function : functions) {
      pbf_builder<PprofLine> line(location, PprofLocation::line);
      line.add_uint64(PprofLine::function_id, function);
    }
  }
  void mapping(U id, U start, U offset, const std::string& file) {
    const std::int64_t name = text(file);
    pbf_builder<PprofProfile> profile(bytes);
    pbf_builder<PprofMapping> mapping(profile, PprofProfile::mapping);
    mapping.add_uint64(PprofMapping::id, id);
    mapping.add_uint64(PprofMapping::memory_start, start);
    mapping.add_uint64(PprofMapping::file_offset, offset);
    mapping.add_int64(PprofMapping::filename, name);
  }
  void sample(std::vector<U> stack, std::vector<std::int64_t> values) {
    pbf_builder<PprofProfile> profile(bytes);
    pbf_builder<PprofSample> sample(profile, PprofProfile::sample);
    sample.add_packed_uint64(PprofSample::location_id, stack.begin(), stack.end());
    sample.add_packed_int64(PprofSample::value, values.begin(), values.end());
  }
  std::string finish(Time wall = kAt) {
    pbf_builder<PprofProfile> profile(bytes);
    if (wall != 0) profile.add_int64(PprofProfile::time_nanos, wall);
    for (const std::string& one : texts) profile.add_string(PprofProfile::string_table, one);
    return bytes;
  }
};

PprofText cpu_profile() {
  PprofText text;
  text.type("samples", "count");
  text.type("cpu", "nanoseconds");
  text.function(7, "main");
  text.function(8, "work");
  text.location(1, {7});
  text.location(2, {8, 7});  // inlined
  text.sample({2}, {3, 30});
  text.sample({2, 1}, {4, 40});
  text.sample({2}, {1, 10});
  return text;
}

// One profile of one sample.
struct OtlpText {
  OtlpMessage message{};
  std::uint32_t stack = 0;

  OtlpText() {
    message.resource("service.name", std::string_view("shop"));
    message.resource("process.pid", std::int64_t{42});
    message.resource("k8s.pod/uid", std::string_view("x"));
    const std::uint32_t outer = message.frame("main", "a.c", 1),
                        inner = message.frame("work", "", 0);
    stack = message.stack(std::vector{inner, outer});
  }
  std::string finish(U value = 5) {
    message.begin_profile({.carrier = Carrier::cpu, .is_count = false, .wall = kAt});
    message.sample(stack, {}, value);
    message.end_profile();
    return *message.finish();
  }
};

std::string push_request(const std::string& profile) {
  std::string request;
  pbf_builder<PyroscopePush> push(request);
  pbf_builder<PyroscopeSeries> series(push, PyroscopePush::series);
  for (const auto& [name, value] :
       {std::pair("__name__", "process_cpu"), std::pair("service_name", "shop")}) {
    pbf_builder<PyroscopeLabel> label(series, PyroscopeSeries::labels);
    label.add_string(PyroscopeLabel::name, name);
    label.add_string(PyroscopeLabel::value, value);
  }
  for (int i = 0; i < 2; ++i) {
    pbf_builder<PyroscopeSample> sample(series, PyroscopeSeries::samples);
    sample.add_bytes(PyroscopeSample::raw_profile, profile);
  }
  series.commit();
  return request;
}

TEST(foreign, pprof_adds_up_by_type_and_stack) {
  const auto read_one = read(cpu_profile().finish());
  ASSERT_TRUE(read_one);
  EXPECT_EQ(read_one->kind, ForeignKind::pprof);
  EXPECT_EQ(totals(*read_one), (std::map<int, std::pair<U, U>>{{1, {0, 80}}, {2, {8, 8}}}));
  ASSERT_EQ(read_one->series.size(), 1U);
  const Rows& rows = read_one->series[0].rows;
  EXPECT_EQ(stacks(rows, 1), (Stacks{{"main > main > work", 40}, {"main > work", 40}}));
  EXPECT_EQ(rows.of<warehouse::Profile10s>().size(), 4U);
  EXPECT_EQ(rows.of<warehouse::Profile10s>()[0].t, kWindowAt + 3);  // its own second
  EXPECT_EQ(rows.of<warehouse::Health10s>()[0].t, kWindowAt);
  EXPECT_EQ(read_one->notices.exit_code(), 0);
}

TEST(foreign, packed_and_plain_bytes_make_the_same_rows) {
  const std::string plain = cpu_profile().finish();
  std::vector<std::byte> packed;
  auto sink = base::gzip_sink(base::memory_sink(packed));
  ASSERT_TRUE(sink->write(bytes_of(plain)) && sink->commit());
  const auto a = read(plain);
  const auto b = read_foreign(packed, {}, {});
  ASSERT_TRUE(a && b);
  EXPECT_EQ(a->series[0].rows.tables, b->series[0].rows.tables);
}

TEST(foreign, what_has_no_name_is_a_place_in_its_file) {
  PprofText text;
  text.type("cpu", "nanoseconds");
  text.mapping(4, 0x1000, 0x200, "/lib/libc.so.6");
  text.location(1, {}, 4, 0x1234);
  text.sample({1}, {9});
  const auto read_one = read(text.finish());
  ASSERT_TRUE(read_one);
  EXPECT_EQ(stacks(read_one->series[0].rows, 1), (Stacks{{"libc.so.6+0x434", 9}}));
  EXPECT_EQ(read_one->series[0].labels.service, "libc.so.6");
}

TEST(foreign, types_that_are_none_of_ours_are_samples_or_left_out) {
  PprofText heap;
  for (const char* name : {"alloc_objects", "inuse_objects"}) heap.type(name, "count");
  heap.type("alloc_space", "bytes");
  heap.function(1, "f");
  heap.location(1, {1});
  heap.sample({1}, {2, 5, 300});
  const auto known = read(heap.finish());
  ASSERT_TRUE(known);
  EXPECT_EQ(totals(*known), (std::map<int, std::pair<U, U>>{{3, {2, 300}}}));
  EXPECT_NE(known->notices.find(base::Code::attribute_lost), nullptr);
  PprofText odd;
  odd.type("odd", "nanoseconds");
  odd.sample({}, {12});
  const auto other = read(odd.finish());
  ASSERT_TRUE(other);
  EXPECT_EQ(totals(*other), (std::map<int, std::pair<U, U>>{{2, {12, 12}}}));
  EXPECT_NE(other->notices.find(base::Code::value_unknown), nullptr);
}

TEST(foreign, units_of_time_are_nanoseconds) {
  PprofText text;
  text.type("cpu", "milliseconds");
  text.sample({}, {2});
  EXPECT_EQ(totals(*read(text.finish())), (std::map<int, std::pair<U, U>>{{1, {0, 2'000'000}}}));
  PprofText wall;
  wall.type("wall", "seconds");
  wall.sample({}, {3});
  const auto of_wall = read(wall.finish());
  ASSERT_TRUE(of_wall);
  EXPECT_EQ(totals(*of_wall), (std::map<int, std::pair<U, U>>{{0, {0, 3'000'000'000}}}));
  EXPECT_EQ(of_wall->notices.find(base::Code::value_unknown), nullptr);
}

TEST(foreign, what_is_damaged_is_recognised_and_told) {
  OtlpText text;
  const std::string zeros(16, '\0');
  for (const auto& [kind, whole] : {std::pair{ForeignKind::pprof, cpu_profile().finish()},
                                    {ForeignKind::otlp, text.finish()}}) {
    for (const std::string& damaged : {whole + zeros, whole + "\x0a", whole + "\x0a\x7f"}) {
      EXPECT_EQ(recognise_foreign(bytes_of(damaged)), kind);
      const auto made = read(damaged);
      ASSERT_FALSE(made);
      EXPECT_EQ(made.error().code, base::Code::field_past_end);
    }
  }
  for (const std::string& other : {zeros, std::string("\nHello"), std::string("\n\x01x\n\x7f")})
    EXPECT_EQ(recognise_foreign(bytes_of(other)), std::nullopt);
}

TEST(foreign, the_lightest_stacks_become_one_exactly) {
  PprofText text;
  text.type("cpu", "nanoseconds");
  U sum = 0;
  for (U i = 1; i <= 1000; ++i) {
    text.function(i, fmt::format("f{}", i));
    text.location(i, {i});
    text.sample({i}, {static_cast<std::int64_t>(i)});
    sum += i;
  }
  const auto read_one = read(text.finish());
  ASSERT_TRUE(read_one);
  EXPECT_EQ(read_one->series[0].rows.of<warehouse::Profile10s>().size(), RowMaker::kMostRows);
  EXPECT_EQ(totals(*read_one)[1].second, sum);
}

TEST(foreign, what_is_in_no_table_is_told) {
  PprofText text = cpu_profile();
  text.sample({99}, {1, 1});
  text.sample({1}, {1});
  const auto read_one = read(text.finish());
  ASSERT_TRUE(read_one);
  EXPECT_EQ(read_one->notices.exit_code(), 4);
  EXPECT_EQ(totals(*read_one)[1].second, 81U);
}

TEST(foreign, a_profile_without_time_wants_one) {
  const std::string message = cpu_profile().finish(0);
  const auto without = read(message);
  ASSERT_TRUE(without);
  EXPECT_EQ(without->timeless, 3U);
  EXPECT_TRUE(without->series.empty());
  const auto with = read(message, {}, {.otherwise = kAt});
  ASSERT_TRUE(with);
  EXPECT_EQ(totals(*with)[1].second, 80U);
}

TEST(foreign, times_that_nobody_believes_are_counted) {
  const auto read_one = read(cpu_profile().finish(), {}, {.accepted = {.newest = kAt - 1}});
  ASSERT_TRUE(read_one);
  EXPECT_EQ(read_one->refused, 3U);
  EXPECT_TRUE(totals(*read_one).empty());
}

TEST(foreign, otlp_tells_process_and_stack) {
  OtlpText text;
  const auto read_one = read(text.finish());
  ASSERT_TRUE(read_one) << base::to_text(read_one.error());
  EXPECT_EQ(read_one->kind, ForeignKind::otlp);
  ASSERT_EQ(read_one->series.size(), 1U);
  const ForeignSeries& series = read_one->series[0];
  EXPECT_EQ(series.labels.service, "shop");
  EXPECT_EQ(series.labels.instance, "42");
  EXPECT_EQ(series.labels.free, (LabelList{{"k8s.pod_uid", "x"}}));
  EXPECT_EQ(stacks(series.rows, 1), (Stacks{{"main > work", 5}}));
  EXPECT_EQ(totals(*read_one), (std::map<int, std::pair<U, U>>{{1, {0, 5}}}));
  EXPECT_EQ(read_one->notices.exit_code(), 0);
}

TEST(foreign, otlp_subjects_are_no_frames) {
  OtlpText text;
  const std::uint32_t subject = text.message.attribute(kOtlpSubject, std::string_view("Order"));
  const std::uint32_t frame = text.message.frame("Order", "", 0);
  const std::uint32_t outer = text.message.frame("main", "", 0);
  const std::uint32_t stack = text.message.stack(std::vector{frame, outer});
  text.message.begin_profile({.carrier = Carrier::allocations, .is_count = false, .wall = kAt});
  text.message.sample(stack, std::vector{subject}, 64);
  text.message.end_profile();
  const auto read_one = read(*text.message.finish());
  ASSERT_TRUE(read_one);
  EXPECT_EQ(stacks(read_one->series[0].rows, 3), (Stacks{{"main of Order", 64}}));
}

// The head of a message, behind which one profile's fields are put by hand.
std::string otlp_with(const std::function<void(pbf_builder<OtlpProfile>&)>& fill) {
  std::string scope, of, message;
  {
    pbf_builder<OtlpScopeProfiles> in(scope);
    pbf_builder<OtlpProfile> profile(in, OtlpScopeProfiles::profiles);
    profile.add_fixed64(OtlpProfile::time_unix_nano, static_cast<U>(kAt));
    fill(profile);
  }
  pbf_builder<OtlpResourceProfiles>(of).add_message(OtlpResourceProfiles::scope_profiles, scope);
  pbf_builder<OtlpRequest> request(message);
  request.add_message(OtlpRequest::resource_profiles, of);
  pbf_builder<OtlpDictionary> tables(request, OtlpRequest::dictionary);
  tables.add_string(OtlpDictionary::string_table, "");
  tables.commit();
  return message;
}

TEST(foreign, otlp_timestamps_are_windows) {
  const auto read_one = read(otlp_with([](auto& profile) {
    pbf_builder<OtlpSample> sample(profile, OtlpProfile::samples);
    const std::vector<std::int64_t> values{2, 3, 4};
    const std::vector<U> times{U(kAt), U(kAt + kSecond), U(kAt + kWindow)};
    sample.add_packed_int64(OtlpSample::values, values.begin(), values.end());
    sample.add_packed_fixed64(OtlpSample::timestamps_unix_nano, times.begin(), times.end());
  }));
  ASSERT_TRUE(read_one) << base::to_text(read_one.error());
  const auto& rows = read_one->series[0].rows.of<warehouse::Profile10s>();
  ASSERT_EQ(rows.size(), 2U);
  EXPECT_EQ(rows[0].t, kWindowAt);
  EXPECT_EQ(rows[0].weight, 5U);
  EXPECT_EQ(rows[1].t, kWindowAt + 10);
  EXPECT_EQ(rows[1].weight, 4U);
}

TEST(foreign, otlp_timestamps_alone_count_one_each) {
  const auto read_one = read(otlp_with([](auto& profile) {
    pbf_builder<OtlpSample> sample(profile, OtlpProfile::samples);
    const std::vector<U> times{U(kAt), U(kAt)};
    sample.add_packed_fixed64(OtlpSample::timestamps_unix_nano, times.begin(), times.end());
  }));
  ASSERT_TRUE(read_one);
  EXPECT_EQ(totals(*read_one), (std::map<int, std::pair<U, U>>{{2, {2, 2}}}));
}

// Before 1.10 values were field 2, attributes 3 and the link 4.
TEST(foreign, the_layout_of_earlier_versions_fails_by_name) {
  const auto old = read(otlp_with([](auto& profile) {
    pbf_builder<OtlpSample> sample(profile, OtlpProfile::samples);
    const std::vector<std::int64_t> values{2};
    sample.add_packed_int64(OtlpSample::attribute_indices, values.begin(), values.end());
  }));
  ASSERT_FALSE(old);
  EXPECT_EQ(old.error().code, base::Code::version_unsupported);
  EXPECT_NE(old.error().detail.find("1.10 to 1.11"), std::string::npos);
  const auto with_attributes = read(otlp_with([](auto& profile) {
    pbf_builder<OtlpSample> sample(profile, OtlpProfile::samples);
    sample.add_string(OtlpSample::link_index, "\x01");
  }));
  ASSERT_FALSE(with_attributes);
  EXPECT_EQ(with_attributes.error().code, base::Code::version_unsupported);
}

TEST(foreign, unknown_fields_are_counted) {
  const auto read_one = read(otlp_with([](auto& profile) {
    pbf_builder<OtlpSample> sample(profile, OtlpProfile::samples);
    const std::int64_t value = 2;
    sample.add_packed_int64(OtlpSample::values, &value, &value + 1);
    sample.add_string(static_cast<OtlpSample>(12), "later");
  }));
  ASSERT_TRUE(read_one);
  const base::Notice* const notice = read_one->notices.find(base::Code::code_unknown);
  ASSERT_NE(notice, nullptr);
  EXPECT_EQ(notice->detail, "field 12 of Sample");
  EXPECT_EQ(totals(*read_one)[2].second, 2U);
}

TEST(foreign, pyroscope_adds_up_what_is_in_it) {
  const auto read_one = read(push_request(cpu_profile().finish()));
  ASSERT_TRUE(read_one) << base::to_text(read_one.error());
  EXPECT_EQ(read_one->kind, ForeignKind::pyroscope);
  ASSERT_EQ(read_one->series.size(), 1U);
  EXPECT_EQ(read_one->series[0].labels.service, "shop");
  EXPECT_TRUE(read_one->series[0].labels.free.empty());
  EXPECT_EQ(totals(*read_one)[1].second, 160U);
}

TEST(foreign, bombs_are_refused) {
  std::vector<std::byte> packed;
  auto sink = base::gzip_sink(base::memory_sink(packed));
  const std::vector<std::byte> zeros(std::size_t{70} << 20);
  ASSERT_TRUE(sink->write(zeros) && sink->commit());
  const auto read_one = read_foreign(packed, ForeignKind::pprof, {});
  ASSERT_FALSE(read_one);
  EXPECT_EQ(read_one.error().code, base::Code::limit_exceeded);
}

const ProfileRoute& route_of(ForeignKind kind) {
  return *std::ranges::find(profile_routes(), kind, &ProfileRoute::kind);
}

TEST(profile_request, answers_as_the_sender_expects) {
  OtlpText text;
  const std::string otlp = text.finish();
  const ProfileAnswer taken =
      answer_profile(route_of(ForeignKind::otlp), "/v1development/profiles", otlp, {});
  EXPECT_EQ(taken.status, 200U);
  EXPECT_EQ(taken.type, "application/x-protobuf");
  EXPECT_EQ(taken.body, "");
  EXPECT_EQ(taken.samples, 1U);
  const ProfileAnswer late = answer_profile(route_of(ForeignKind::otlp), "/v1development/profiles",
                                            otlp, {.accepted = {.newest = kAt}});
  EXPECT_EQ(late.refused, 1U);
  EXPECT_NE(late.body.find("impossible times"), std::string::npos);
  const ProfileAnswer damaged = answer_profile(
      route_of(ForeignKind::otlp), "/v1development/profiles", otlp.substr(0, otlp.size() - 1), {});
  EXPECT_EQ(damaged.status, 400U);
  EXPECT_TRUE(damaged.body.ends_with("\n"));
}

TEST(profile_request, labels_stand_in_the_query) {
  const ProfileRoute& route = route_of(ForeignKind::pprof);
  const std::string profile = cpu_profile().finish();
  const ProfileAnswer taken =
      answer_profile(route, "/v1/traces?label=service%3Dshop&label=version:2%2e1", profile, {});
  ASSERT_EQ(taken.status, 200U);
  ASSERT_EQ(taken.rows.of<warehouse::Series>().size(), 1U);
  EXPECT_EQ(taken.rows.of<warehouse::Series>()[0].service_name, "shop");
  EXPECT_EQ(taken.rows.of<warehouse::Series>()[0].version, "2.1");
  EXPECT_EQ(answer_profile(route, "/v1/traces?label=7", profile, {}).status, 400U);
  EXPECT_EQ(answer_profile(route, "/v1/traces?name=x", profile, {}).status, 400U);
}

// Whatever the bytes: rows and notices, or an error that says something.
void expect_sane(const std::string& message, std::optional<ForeignKind> kind) {
  const auto made = read(message, kind, {.otherwise = kAt});
  EXPECT_TRUE(made || !base::to_text(made.error()).empty());
}

TEST(foreign, every_cut_and_every_flipped_bit_is_survived) {
  OtlpText text;
  const std::string otlp = text.finish(), pprof = cpu_profile().finish();
  for (const std::string& whole : {otlp, pprof, push_request(pprof)}) {
    const auto kind = recognise_foreign(bytes_of(whole));
    ASSERT_TRUE(kind);
    for (std::size_t size = 0; size < whole.size(); ++size)
      for (const ForeignName& name : foreign_names()) expect_sane(whole.substr(0, size), name.kind);
    for (std::size_t bit = 0; bit < whole.size() * 8; ++bit) {
      std::string flipped = whole;
      flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << bit % 8));
      expect_sane(flipped, kind);
      static_cast<void>(recognise_foreign(bytes_of(flipped)));
    }
  }
}

}  // namespace
}  // namespace polytrace::collector
