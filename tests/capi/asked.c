// SPDX-License-Identifier: Apache-2.0
// A program in C that asks a trace and prints the answer as JSON, from the plain columns or from
// the Arrow stream: asked columns|stream FILE SQL; asked info FILE; asked contract FILE DAMAGED.
#define _POSIX_C_SOURCE 200809L
#include "asked.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void print_text(const char* at, size_t size) {
  putchar('"');
  for (size_t i = 0; i < size; ++i) {
    const unsigned char byte = (unsigned char)at[i];
    if (byte == '"' || byte == '\\') printf("\\%c", byte);
    else if (byte < 0x20) printf("\\u%04x", byte);
    else putchar(byte);
  }
  putchar('"');
}

static void print_cell(int type, const void* values, const int32_t* offsets, const uint8_t* valid,
                       size_t row) {
  if (valid != NULL && (valid[row >> 3] >> (row & 7) & 1) == 0) printf("null");
  else if (type == PT_I64) printf("%" PRId64, ((const int64_t*)values)[row]);
  else if (type == PT_F64) printf("%.17g", ((const double*)values)[row]);
  else print_text((const char*)values + offsets[row], (size_t)(offsets[row + 1] - offsets[row]));
}

static void print_column(pt_text name, pt_text unit) {
  printf("[");
  print_text(name.at, name.size);
  printf(", ");
  print_text(unit.at, unit.size);
  printf("]");
}

static void print_plain_head(const pt_columns* columns) {
  printf("{\"columns\": [");
  for (size_t i = 0; i < columns->count; ++i) {
    if (i != 0) printf(", ");
    print_column(columns->columns[i].name, columns->columns[i].unit);
  }
  printf("], \"rows\": [");
}

// {"columns": [[name, unit], ...], "rows": [[...], ...]}
static void print_columns(pt_query* query) {
  pt_columns columns = {sizeof columns, 0, 0, NULL};
  const char* comma = "";
  int is_first = 1;
  for (;;) {
    pt_error* error = NULL;
    want(pt_query_columns(query, 1000, &columns, &error), PT_OK, &error, "");
    if (is_first) print_plain_head(&columns);
    is_first = 0;
    if (columns.rows == 0) break;
    for (size_t row = 0; row < columns.rows; ++row) {
      printf("%s[", comma);
      for (size_t i = 0; i < columns.count; ++i) {
        const pt_column* column = &columns.columns[i];
        if (i != 0) printf(", ");
        print_cell(column->type, column->values, column->offsets, column->valid, row);
      }
      printf("]");
      comma = ",\n";
    }
  }
  printf("]}\n");
}

static int type_of(const struct ArrowSchema* field) {
  if (strcmp(field->format, "l") == 0) return PT_I64;
  return strcmp(field->format, "g") == 0 ? PT_F64 : PT_TEXT;
}

static void print_arrow_cell(const struct ArrowSchema* field, const struct ArrowArray* array,
                             size_t row) {
  const uint8_t* valid = array->buffers[0];
  if (field->dictionary == NULL) {
    const int is_text = type_of(field) == PT_TEXT;
    print_cell(type_of(field), array->buffers[is_text ? 2 : 1], is_text ? array->buffers[1] : NULL,
               valid, row);
    return;
  }
  const struct ArrowArray* names = array->dictionary;
  const int32_t number = ((const int32_t*)array->buffers[1])[row];
  if (valid != NULL && (valid[row >> 3] >> (row & 7) & 1) == 0) printf("null");
  else print_cell(PT_TEXT, names->buffers[2], names->buffers[1], NULL, (size_t)number);
}

static void print_head(const struct ArrowSchema* schema) {
  printf("{\"columns\": [");
  for (int64_t i = 0; i < schema->n_children; ++i) {
    const struct ArrowSchema* field = schema->children[i];
    // One pair: its count, and the lengths of key and value before them.
    const char* unit = field->metadata == NULL ? "" : field->metadata + 8 + 14 + 4;
    int32_t size = 0;
    if (field->metadata != NULL) memcpy(&size, field->metadata + 8 + 14, sizeof size);
    const pt_text told = {unit, (size_t)size};
    if (i != 0) printf(", ");
    print_column(text_of(field->name), told);
  }
  printf("], \"rows\": [");
}

static void print_stream(pt_query* query) {
  struct ArrowArrayStream stream;
  struct ArrowSchema schema;
  struct ArrowArray batch;
  pt_error* error = NULL;
  want(pt_query_stream(query, &stream, &error), PT_OK, &error, "");
  hold(stream.get_schema(&stream, &schema) == 0, "a stream has a schema");
  print_head(&schema);
  const char* comma = "";
  for (;;) {
    hold(stream.get_next(&stream, &batch) == 0, "a stream has batches");
    if (batch.release == NULL) break;
    for (int64_t row = 0; row < batch.length; ++row) {
      printf("%s[", comma);
      for (int64_t i = 0; i < batch.n_children; ++i) {
        if (i != 0) printf(", ");
        print_arrow_cell(schema.children[i], batch.children[i], (size_t)row);
      }
      printf("]");
      comma = ",\n";
    }
    batch.release(&batch);
  }
  printf("]}\n");
  schema.release(&schema);
  stream.release(&stream);
}

static void ask(const char* form, const char* path, const char* sql) {
  pt_trace* trace = open_trace(path);
  pt_query* query = prepare(trace, sql);
  pt_release(trace);
  if (strcmp(form, "stream") == 0) print_stream(query);
  else print_columns(query);
  pt_query_release(query);
}

static void print_info(const char* path) {
  pt_trace* trace = open_trace(path);
  pt_text json;
  pt_error* error = NULL;
  want(pt_info(trace, &json, &error), PT_OK, &error, "");
  fwrite(json.at, 1, json.size, stdout);
  pt_release(trace);
}

static void check_all(const char* whole, const char* damaged) {
  const char* tmp = getenv("TMPDIR");
  char folder[4096];
  snprintf(folder, sizeof folder, "%s/polytrace-capi.XXXXXX", tmp != NULL ? tmp : "/tmp");
  hold(mkdtemp(folder) != NULL, "a folder");
  check_contract(whole, damaged);
  check_events(whole, damaged);
  check_files(whole, damaged, folder);
  hold(rmdir(folder) == 0, "nothing is left behind");
  printf("all holds\n");
}

int main(int count, char** words) {
  if (count == 4 && strcmp(words[1], "contract") == 0) check_all(words[2], words[3]);
  else if (count == 4) ask(words[1], words[2], words[3]);
  else if (count == 3) print_info(words[2]);
  else return 2;
  return 0;
}
