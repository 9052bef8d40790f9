// SPDX-License-Identifier: Apache-2.0
// A format is a passive descriptor: everything the house needs to know about it. Adding one is a
// folder with such a descriptor, and one line in formats.def.
#pragma once

#include <bit>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/io/sink.hpp"
#include "base/io/source.hpp"
#include "event/reader.hpp"
#include "event/writer.hpp"
#include "format/rewriter.hpp"

namespace polytrace::format {

struct WriteOptions {
  std::string version;                      // of the format, empty = Format::write_versions[0]
  std::optional<std::endian> byte_order{};  // where Format::byte_orders; the format's own if absent
};

struct Format {
  std::string_view name;                               // on the command line: "mlpd"
  std::string_view title;                              // for people: "Mono log profiler"
  std::string_view suffix;                             // usual file name ending, with the dot
  std::string_view read_versions;                      // for people: "1 to 17"
  std::span<const std::string_view> write_versions{};  // the default first; empty = read only

  // Whether a stream that starts with `head` (up to kHeadBytes) is of this format. Exclusive: no
  // two formats of the list say yes to the same bytes.
  bool (*recognise)(base::Bytes head) = nullptr;
  base::result<std::unique_ptr<event::Reader>> (*open)(std::unique_ptr<base::Source>,
                                                       const event::ReadOptions&) = nullptr;
  bool byte_orders = false;  // whether it can be written in either byte order
  // Null when the format cannot be written.
  base::result<std::unique_ptr<event::Writer>> (*create)(std::unique_ptr<base::Sink>,
                                                         const WriteOptions&) = nullptr;
  // Formats of one family say the same records in different ways. Reads a trace of any of them and
  // writes this one. Null, and no family, when there is no such kinship.
  std::string_view family{};
  base::result<std::unique_ptr<Rewriter>> (*rewrite)(std::unique_ptr<base::Source>,
                                                     std::unique_ptr<base::Sink>,
                                                     const event::ReadOptions&,
                                                     const WriteOptions&) = nullptr;
  // The name of a native record number of event::Tally, in the format's own words.
  std::string (*record_name)(std::uint8_t record) = nullptr;
  // Whether names stand apart: those of methods tell their classes themselves, those of threads are
  // events of their own.
  bool names_apart = false;
  // Whether a whole trace says where it ends: that of a killed program may lack it and still be
  // well formed.
  bool has_end = false;
  // Whether its heap snapshots tell class and size of each object they name. Else an object may be
  // told by its references alone, and what it is says its allocation.
  bool whole_objects = false;
  // Whether an event of this kind can be written in `version` at all. Null when read only.
  bool (*holds)(event::Kind kind, std::string_view version) = nullptr;
};

inline constexpr std::size_t kHeadBytes = 128;

// The descriptors, each defined in the folder of its row.
#define FORMAT(folder, descriptor) \
  namespace folder {               \
  extern const Format descriptor;  \
  }
#include "format/formats.def"
#undef FORMAT

// All of them, in the order of formats.def.
std::span<const Format* const> formats();
// Null when there is none of that name.
const Format* find_format(std::string_view name);
// By a file name's ending (a final .gz or .zst is ignored); null when none fits.
const Format* format_for_path(std::string_view path);

// Whether `target` can be written from a trace of `source` record by record.
bool is_kin(const Format& source, const Format& target);

struct Recognised {
  const Format* format;
  std::unique_ptr<base::Source> source;  // from its first byte
};
// By content. Fails with not_recognised.
base::result<Recognised> recognise(std::unique_ptr<base::Source> source);

struct Opened {
  const Format* format;
  std::unique_ptr<event::Reader> reader;
};
// Recognises the format and opens a reader.
base::result<Opened> open(std::unique_ptr<base::Source> source,
                          const event::ReadOptions& options = {});

}  // namespace polytrace::format
