// SPDX-License-Identifier: Apache-2.0
#include "sql/files/arrow_messages.hpp"

#include <cstring>
#include <initializer_list>
#include <vector>

namespace polytrace::sql {
namespace {

using namespace std::string_view_literals;

// Numbers of Arrow's own schema of messages.
constexpr std::int16_t kVersion5 = 4, kDoublePrecision = 2;
enum class Header : std::uint8_t { schema = 1, batch = 3 };
enum class FieldType : std::uint8_t { whole = 2, real = 3, utf8 = 5 };

// A table that is being written: where it and its fields are.
struct FlatTable {
  std::size_t at;
  std::vector<std::size_t> fields;
};

// FlatBuffers, written forwards: what a table points to stands behind it.
class FlatBytes {
 public:
  FlatBytes() { put(std::uint32_t{0}); }

  // Of fields of these sizes; 0: it is left out.
  FlatTable table(std::initializer_list<std::uint16_t> sizes) {
    std::vector<std::uint16_t> offsets;
    std::size_t end = sizeof(std::int32_t);
    for (const std::uint16_t size : sizes) {
      if (size != 0) end = (end + size - 1) / size * size;
      offsets.push_back(size == 0 ? std::uint16_t{0} : static_cast<std::uint16_t>(end));
      end += size;
    }
    align(8);
    const std::size_t names = bytes_.size();
    put(static_cast<std::uint16_t>(4 + 2 * offsets.size()));
    put(static_cast<std::uint16_t>(end));
    for (const std::uint16_t offset : offsets) put(offset);
    align(8);
    FlatTable made{bytes_.size(), {}};
    for (const std::uint16_t offset : offsets) made.fields.push_back(made.at + offset);
    put(static_cast<std::int32_t>(made.at - names));
    bytes_.resize(made.at + end);
    return made;
  }
  template <class Number>
  void set(std::size_t at, Number number) {
    std::memcpy(bytes_.data() + at, &number, sizeof number);
  }
  void point(std::size_t at, std::size_t to) { set(at, static_cast<std::uint32_t>(to - at)); }
  std::size_t text(std::string_view text) {
    align(4);
    const std::size_t at = bytes_.size();
    put(static_cast<std::uint32_t>(text.size()));
    bytes_ += text;
    bytes_ += '\0';
    return at;
  }
  // Of pointers that are told later; where the first of them is stands behind the count.
  std::size_t pointers(std::size_t count) {
    align(4);
    const std::size_t at = bytes_.size();
    put(static_cast<std::uint32_t>(count));
    bytes_.resize(bytes_.size() + 4 * count);
    return at;
  }
  template <class Struct>
  std::size_t structs(std::span<const Struct> all) {
    align(8);
    put(std::uint32_t{0});
    const std::size_t at = bytes_.size();
    put(static_cast<std::uint32_t>(all.size()));
    bytes_.append(reinterpret_cast<const char*>(all.data()), all.size_bytes());
    return at;
  }
  // With Arrow's head before it, to a multiple of 8 bytes.
  std::string message() {
    align(8);
    std::string all = "\xff\xff\xff\xff";
    const auto size = static_cast<std::int32_t>(bytes_.size());
    all.append(reinterpret_cast<const char*>(&size), sizeof size);
    return all += bytes_;
  }

 private:
  template <class Number>
  void put(Number number) {
    bytes_.append(reinterpret_cast<const char*>(&number), sizeof number);
  }
  void align(std::size_t to) { bytes_.resize((bytes_.size() + to - 1) / to * to); }

  std::string bytes_{};
};

FlatTable begin_message(FlatBytes& bytes, Header header, std::int64_t body) {
  const FlatTable message = bytes.table({2, 1, 4, 8});
  bytes.point(0, message.at);
  bytes.set(message.fields[0], kVersion5);
  bytes.set(message.fields[1], header);
  bytes.set(message.fields[3], body);
  return message;
}

FieldType field_type(Type type) {
  if (type == Type::integer) return FieldType::whole;
  return type == Type::real ? FieldType::real : FieldType::utf8;
}

std::size_t write_type(FlatBytes& bytes, FieldType type) {
  if (type == FieldType::utf8) return bytes.table({}).at;
  if (type == FieldType::real) {
    const FlatTable real = bytes.table({2});
    bytes.set(real.fields[0], kDoublePrecision);
    return real.at;
  }
  const FlatTable whole = bytes.table({4, 1});
  bytes.set(whole.fields[0], std::int32_t{64});
  bytes.set(whole.fields[1], std::uint8_t{1});
  return whole.at;
}

std::size_t write_unit(FlatBytes& bytes, std::string_view unit) {
  const std::size_t list = bytes.pointers(1);
  const FlatTable pair = bytes.table({4, 4});
  bytes.point(list + 4, pair.at);
  bytes.point(pair.fields[0], bytes.text("polytrace.unit"));
  bytes.point(pair.fields[1], bytes.text(unit));
  return list;
}

std::size_t write_field(FlatBytes& bytes, const ArrowField& field) {
  const std::uint16_t has_unit = field.unit.empty() ? 0 : 4;
  const FlatTable own = bytes.table({4, 1, 1, 4, 0, 4, has_unit});
  const FieldType type = field_type(field.type);
  bytes.set(own.fields[1], std::uint8_t{1});
  bytes.set(own.fields[2], type);
  bytes.point(own.fields[0], bytes.text(field.name));
  bytes.point(own.fields[3], write_type(bytes, type));
  bytes.point(own.fields[5], bytes.pointers(0));
  if (has_unit != 0) bytes.point(own.fields[6], write_unit(bytes, field.unit));
  return own.at;
}

}  // namespace

std::string arrow_schema(std::span<const ArrowField> fields) {
  FlatBytes bytes;
  const FlatTable message = begin_message(bytes, Header::schema, 0);
  const FlatTable schema = bytes.table({2, 4});
  bytes.point(message.fields[2], schema.at);
  const std::size_t list = bytes.pointers(fields.size());
  bytes.point(schema.fields[1], list);
  for (std::size_t i = 0; i < fields.size(); ++i)
    bytes.point(list + 4 + 4 * i, write_field(bytes, fields[i]));
  return bytes.message();
}

std::string arrow_batch(std::int64_t rows, std::span<const ArrowNode> nodes,
                        std::span<const ArrowBuffer> buffers, std::int64_t size) {
  FlatBytes bytes;
  const FlatTable message = begin_message(bytes, Header::batch, size);
  const FlatTable batch = bytes.table({8, 4, 4});
  bytes.point(message.fields[2], batch.at);
  bytes.set(batch.fields[0], rows);
  bytes.point(batch.fields[1], bytes.structs(nodes));
  bytes.point(batch.fields[2], bytes.structs(buffers));
  return bytes.message();
}

std::string_view arrow_end() { return "\xff\xff\xff\xff\0\0\0\0"sv; }

}  // namespace polytrace::sql
