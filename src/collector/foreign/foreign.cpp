// SPDX-License-Identifier: Apache-2.0
#include "collector/foreign/foreign.hpp"

#include <fmt/format.h>
#include <xxhash.h>

#include <algorithm>
#include <array>
#include <protozero/exception.hpp>

#include "base/codes.hpp"
#include "collector/foreign/foreign_work.hpp"
#include "collector/foreign/otlp_reader.hpp"
#include "collector/foreign/pprof_reader.hpp"
#include "collector/foreign/unpack.hpp"
#include "exports/profiles/fields.hpp"

namespace polytrace::collector {
namespace {

using namespace exports;
using base::Code;
using protozero::pbf_wire_type;

constexpr std::array kForeign{
    ForeignName{ForeignKind::pprof, "pprof", "pprof's profile.proto"},
    ForeignName{ForeignKind::otlp, "otlp", "OpenTelemetry's profiles, 1.10 to 1.11"},
    ForeignName{ForeignKind::pyroscope, "pyroscope", "what Pyroscope's clients push"},
};
constexpr WireForm kPushForm{"PushRequest", "l"};
constexpr WireForm kSeriesForm{"RawProfileSeries", "ll"};
constexpr WireForm kPushLabelForm{"LabelPair", "ll"};
constexpr WireForm kPushSampleForm{"RawSample", "ll"};

std::string_view chars_of(base::Bytes bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// Pyroscope's names of what are our labels; those with "__" are its own affair.
std::pair<std::string, std::string> push_label(std::string_view name, std::string_view value) {
  const std::string_view label = name == "service_name" ? "service"
                                 : name == "hostname"   ? "host"
                                                        : name;
  return {label_name(label), std::string(value)};
}

void read_push_series(ForeignWork& work, PprofReader& reader, protozero::data_view bytes,
                      std::size_t& room) {
  LabelList told;
  Walk<PyroscopeSeries> labels(&work, kSeriesForm, bytes);
  while (labels.next()) {
    if (labels.field() != PyroscopeSeries::labels) {
      labels.skip();
      continue;
    }
    std::string_view name, value;
    Walk<PyroscopeLabel> pair(&work, kPushLabelForm, labels.view());
    while (pair.next()) (pair.field() == PyroscopeLabel::name ? name : value) = pair.text();
    if (!name.starts_with("__") && told.size() < kMostLabels * 4)
      told.push_back(push_label(name, value));
  }
  Walk<PyroscopeSeries> samples(nullptr, kSeriesForm, bytes);
  while (samples.next()) {
    if (samples.field() != PyroscopeSeries::samples) {
      samples.skip();
      continue;
    }
    Walk<PyroscopeSample> sample(&work, kPushSampleForm, samples.view());
    while (sample.next()) {
      if (sample.field() != PyroscopeSample::raw_profile) {
        sample.skip();
        continue;
      }
      const std::string_view packed = sample.text();
      auto profile = unpacked(std::as_bytes(std::span(packed)), room);
      if (!profile) throw RoomFault{base::to_text(profile.error())};
      room -= profile->size();
      reader.read(std::move(*profile), told);
    }
  }
}

void read_push(ForeignWork& work, PprofReader& reader, std::string_view message) {
  std::size_t room = kMostUnpacked;
  Walk<PyroscopePush> walk(&work, kPushForm, {message.data(), message.size()});
  while (walk.next()) read_push_series(work, reader, walk.view(), room);
}

void read_message(ForeignWork& work, std::vector<std::byte>&& message, ForeignKind kind) {
  const std::uint64_t print = XXH3_64bits(message.data(), message.size());
  const auto gen = static_cast<std::uint8_t>(print);
  if (kind == ForeignKind::otlp) {
    OtlpReader reader(work);
    reader.read(chars_of(message));
    return work.finish(reader, gen, print);
  }
  PprofReader reader(work);
  if (kind == ForeignKind::pprof) reader.read(std::move(message), {});
  else read_push(work, reader, chars_of(message));
  work.finish(reader, gen, print);
}

base::Unexpected layout_error(ForeignKind kind, const LayoutFault& fault) {
  if (kind != ForeignKind::otlp)
    return base::fail(Code::header_invalid, fmt::format("{}: {} is not what it should be",
                                                        foreign_name(kind).name, fault.what));
  return base::fail(
      Code::version_unsupported,
      fmt::format("not the layout of OpenTelemetry's profiles 1.10 to 1.11, where the "
                  "values of a Sample are field 4 (before: 2): {}",
                  fault.what));
}

// What fields of a message show of it.
struct Looks {
  bool fits = true;        // they are as of one of that form
  bool ends = false;       // all of them could be read
  std::uint32_t seen = 0;  // which there are
};
Looks looks_of(protozero::data_view bytes, std::string_view form) {
  Looks looks;
  try {
    protozero::pbf_reader walk(bytes);
    while (looks.fits && walk.next()) {
      const unsigned number = walk.tag();
      const bool text = walk.wire_type() == pbf_wire_type::length_delimited;
      const bool varint = walk.wire_type() == pbf_wire_type::varint;
      looks.fits = number <= form.size() && (form[number - 1] != 'l' || text) &&
                   (form[number - 1] != 'v' || varint);
      if (!looks.fits) break;
      walk.skip();
      looks.seen |= std::uint32_t{1} << number;
    }
    looks.ends = true;
  } catch (const protozero::exception&) {
    looks.ends = false;
  }
  return looks;
}

}  // namespace

std::span<const ForeignName> foreign_names() { return kForeign; }

const ForeignName& foreign_name(ForeignKind kind) {
  return kForeign[static_cast<std::size_t>(kind)];
}

std::optional<ForeignKind> recognise_foreign(base::Bytes message) {
  constexpr std::uint32_t kFirst = 1U << 1, kDictionary = 1U << 2, kTexts = 1U << 6;
  const std::string_view chars = chars_of(message);
  if (chars.empty()) return {};
  const Looks looks = looks_of({chars.data(), chars.size()}, "llllllvvvvlvrvv");
  const auto has = [&](std::uint32_t all) { return (looks.seen & all) == all; };
  // Of what is damaged, more is to be seen.
  if (!looks.fits || (!looks.ends && !has(kFirst | kTexts) && !has(kFirst | kDictionary)))
    return {};
  if (has(kTexts)) return ForeignKind::pprof;
  if ((looks.seen & ~(kFirst | kDictionary)) != 0) return {};
  return has(kDictionary) ? ForeignKind::otlp : ForeignKind::pyroscope;
}

base::result<Foreign> read_foreign(base::Bytes packed, std::optional<ForeignKind> kind,
                                   const ForeignOptions& options) {
  auto message = unpacked(packed);
  if (!message) return base::Unexpected(message.error());
  if (!kind) kind = recognise_foreign(*message);
  if (!kind)
    return base::fail(Code::not_recognised, "no profile of pprof, OpenTelemetry or Pyroscope");
  Foreign out;
  out.kind = *kind;
  ForeignWork work(options, out);
  try {
    read_message(work, std::move(*message), *kind);
  } catch (const protozero::exception& fault) {
    return base::fail(Code::field_past_end, fmt::format("the {} profile is damaged: {}",
                                                        foreign_name(*kind).name, fault.what()));
  } catch (const LayoutFault& fault) {
    return layout_error(*kind, fault);
  } catch (const RoomFault& fault) {
    return base::fail(Code::limit_exceeded, fault.what);
  }
  return out;
}

}  // namespace polytrace::collector
