// SPDX-License-Identifier: Apache-2.0
// The parts that JSON answers are made of: what every front end and every command tells alike.
// Each writes one value, or members of the object that is open, as it says. Pure; thread-safe.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "analysis/table/table.hpp"
#include "base/text/json_writer.hpp"
#include "event/batch.hpp"
#include "service/input/pass.hpp"

namespace polytrace::service {

// What went wrong, with its place. A usage error's sentence says nothing that its detail does not
// say better.
std::string sentence(const base::Error& error);
// One line: {"code", "file", "offset", "message", "hint"} and, where they are known, "frame",
// "line". "" is no file.
std::string error_json(const base::Error& error, std::string_view file);

void write_notice(base::JsonWriter& json, const base::Notice& notice);
// An array of them.
void write_notices(base::JsonWriter& json, const std::vector<base::Notice>& notices);
// An array of every place that is known: "code", place, "detail".
void write_places(base::JsonWriter& json, const std::vector<base::Notice>& notices);

// Members: "file" and "format".
void write_origin(base::JsonWriter& json, const Origin& origin);
// Members: "partial", "interrupted", "bytes_not_read", "notices", "error".
void write_outcome(base::JsonWriter& json, const Passed& passed);

// Numbers as numbers, addresses as hexadecimal text, null when not known.
void write_cell(base::JsonWriter& json, const analysis::Cell& cell, analysis::Unit unit);
// {"key", "section", "title", "columns": [...], "rows": [{...}], "rows_left_out", "notes"}
void write_table(base::JsonWriter& json, const analysis::Table& table);
// The member "tables".
void write_tables(base::JsonWriter& json, const std::vector<analysis::Table>& tables);

// An event: "time", "thread", "kind", what the kind is about under its own name ("method", "object"
// ...; nothing where the kind has no subject), then the fields that are told. Ids and addresses are
// hexadecimal text.
void write_event(base::JsonWriter& json, const event::Batch& batch, const event::Event& event);

}  // namespace polytrace::service
