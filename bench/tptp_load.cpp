// SPDX-License-Identifier: Apache-2.0
// What loading costs on one core, everything in memory: a TBF stream and the same trace as XML to
// event batches, beside memcpy over the former and expat with empty handlers over the latter. All
// four in turn. Prints JSON: medians in bytes per second of CPU, medians of ratios.
// usage: tptp_load FILE.trcbin FILE.trcxml RUNS
#include <expat.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <ctime>
#include <functional>

#include "format/format.hpp"

namespace {

namespace base = polytrace::base;
using Bytes = std::vector<std::byte>;

double cpu_seconds() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

Bytes content_of(const char* path) {
  Bytes bytes;
  auto source = base::open_source(path);
  if (!source) return bytes;
  Bytes piece(1 << 20);
  for (;;) {
    const auto got = (*source)->read(piece);
    if (!got || *got == 0) return bytes;
    bytes.insert(bytes.end(), piece.begin(), piece.begin() + static_cast<std::ptrdiff_t>(*got));
  }
}

// Events of the trace.
std::uint64_t load(std::unique_ptr<base::Source> source) {
  auto opened = polytrace::format::open(std::move(source));
  if (!opened) return 0;
  std::uint64_t events = 0;
  polytrace::event::Batch batch;
  for (;;) {
    const auto more = opened->reader->next(batch);
    if (!more || !*more) return events;
    events += batch.events.size();
  }
}

// CPU seconds. The source's own bytes are copied beforehand.
double load_seconds(const Bytes& bytes, std::uint64_t& events) {
  auto source = base::memory_source(bytes);
  const double begun = cpu_seconds();
  events = load(std::move(source));
  return cpu_seconds() - begun;
}

double copy_seconds(const Bytes& bytes, Bytes& to) {
  const double begun = cpu_seconds();
  std::memcpy(to.data(), bytes.data(), bytes.size());
  asm volatile("" : : "r"(to.data()) : "memory");
  return cpu_seconds() - begun;
}

double expat_seconds(const Bytes& bytes) {
  const double begun = cpu_seconds();
  XML_Parser parser = XML_ParserCreate("UTF-8");
  XML_SetElementHandler(
      parser, [](void*, const XML_Char*, const XML_Char**) {}, [](void*, const XML_Char*) {});
  constexpr std::size_t kPiece = 64 * 1024;
  for (std::size_t at = 0; at < bytes.size(); at += kPiece) {
    const auto size = std::min(kPiece, bytes.size() - at);
    XML_Parse(parser, reinterpret_cast<const char*>(bytes.data()) + at, static_cast<int>(size),
              at + size == bytes.size());
  }
  XML_ParserFree(parser);
  return cpu_seconds() - begun;
}

double median(std::vector<double> values) {
  std::ranges::sort(values);
  return values[values.size() / 2];
}

struct Run {
  double copy, tbf, xml, expat;
};

double median_of(const std::vector<Run>& runs, const std::function<double(const Run&)>& figure) {
  std::vector<double> values;
  for (const Run& run : runs) values.push_back(figure(run));
  return median(std::move(values));
}

void print(const std::vector<Run>& runs, double tbf_bytes, double xml_bytes) {
  const auto speed = [&](double bytes, double Run::* seconds) {
    return median_of(runs, [&](const Run& run) { return bytes / (run.*seconds); });
  };
  const auto ratio = [&](double Run::* a, double Run::* b) {
    return median_of(runs, [&](const Run& run) { return run.*a / (run.*b); });
  };
  fmt::print(
      "{{\"tbf\": {:.0f}, \"memcpy\": {:.0f}, \"tbf_of_memcpy\": {:.3f}, \"xml\": {:.0f}, "
      "\"expat\": {:.0f}, \"xml_of_expat\": {:.3f}, \"xml_time_of_tbf\": {:.2f}}}\n",
      speed(tbf_bytes, &Run::tbf), speed(tbf_bytes, &Run::copy), ratio(&Run::copy, &Run::tbf),
      speed(xml_bytes, &Run::xml), speed(xml_bytes, &Run::expat), ratio(&Run::expat, &Run::xml),
      ratio(&Run::xml, &Run::tbf));
}

}  // namespace

int main(int count, char** words) {
  if (count != 4) return fmt::print(stderr, "usage: tptp_load TRCBIN TRCXML RUNS\n"), 2;
  const Bytes tbf = content_of(words[1]);
  const Bytes xml = content_of(words[2]);
  Bytes copy(tbf.size());
  std::vector<Run> runs;
  for (int i = 0; i < std::max(1, std::atoi(words[3])); ++i) {
    std::uint64_t tbf_events = 0;
    std::uint64_t xml_events = 0;
    Run run{};
    run.copy = copy_seconds(tbf, copy);
    run.tbf = load_seconds(tbf, tbf_events);
    run.xml = load_seconds(xml, xml_events);
    run.expat = expat_seconds(xml);
    if (tbf_events == 0 || tbf_events != xml_events)
      return fmt::print(stderr, "{} events, {} as XML\n", tbf_events, xml_events), 1;
    runs.push_back(run);
  }
  print(runs, static_cast<double>(tbf.size()), static_cast<double>(xml.size()));
  return 0;
}
