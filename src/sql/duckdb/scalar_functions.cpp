// SPDX-License-Identifier: Apache-2.0
#include "sql/duckdb/scalar_functions.hpp"

#include <algorithm>

#include "base/codes.hpp"
#include "sql/duckdb/handles.hpp"
#include "sql/duckdb/vectors.hpp"

namespace polytrace::sql {
namespace {

DuckType answer_type_of(Type type) {
  return type == Type::integer ? DuckType::bigint : DuckType::varchar;
}

// Which types its parameters come in. Sums of whole numbers are larger ones for DuckDB, which makes
// reals of them.
std::vector<std::vector<DuckType>> ways_to_call(const Scalar& scalar) {
  std::vector<DuckType> plain, other;
  for (const Type type : scalar.parameters) {
    plain.push_back(type == Type::integer ? DuckType::bigint : DuckType::varchar);
    other.push_back(type == Type::integer ? DuckType::double_
                    : type == Type::null  ? DuckType::bigint
                                          : DuckType::varchar);
  }
  if (plain == other) return {plain};
  return {plain, other};
}

Value as_parameter(Value value, Type type) {
  if (type != Type::integer || value.type != Type::real) return value;
  if (value.real >= 9.2e18) return Value::of(INT64_MAX);
  return Value::of(value.real <= -9.2e18 ? INT64_MIN : static_cast<std::int64_t>(value.real));
}

base::result<void> answer_rows(const DuckScalarOf& of, DuckChunk chunk, DuckVector to) {
  const DuckApi& api = of.shared.api;
  const std::uint64_t rows = api.data_chunk_get_size(chunk);
  std::vector<DuckRead> reads;
  for (std::uint64_t i = 0; i < api.data_chunk_get_column_count(chunk); ++i)
    reads.emplace_back(api, api.data_chunk_get_vector(chunk, i));
  DuckFill fill(api, to, answer_type_of(of.scalar.answers));
  std::vector<Value> values(reads.size());
  for (std::uint64_t row = 0; row < rows; ++row) {
    for (std::size_t i = 0; i < reads.size(); ++i)
      values[i] = as_parameter(reads[i].value(row), of.scalar.parameters[i]);
    if (std::ranges::any_of(values, &Value::is_null)) {
      fill.put(row, {});
      continue;
    }
    ScalarCall call{values, of.trace};
    const auto answer = of.scalar.answer(call);
    if (!answer) return base::Unexpected(answer.error());
    fill.put(row, *answer);
  }
  return {};
}

void answer_scalar_chunk(DuckCall info, DuckChunk chunk, DuckVector to) {
  const DuckApi& api = loaded_duck();
  guarded_duck(
      [&] {
        const auto& of = *static_cast<DuckScalarOf*>(api.scalar_function_get_extra_info(info));
        if (const auto done = answer_rows(of, chunk, to); !done)
          api.scalar_function_set_error(info, of.shared.keep(done.error()).c_str());
      },
      [&](const char* why) { api.scalar_function_set_error(info, why); });
}

void add_way(const DuckScalarOf& of, const std::string& name, const std::vector<DuckType>& types,
             DuckScalarSet set) {
  const DuckApi& api = of.shared.api;
  const OwnedScalar function(api, api.create_scalar_function());
  api.scalar_function_set_name(function.get(), name.c_str());
  for (const DuckType type : types) {
    const OwnedType own = duck_type(api, type);
    api.scalar_function_add_parameter(function.get(), own.get());
  }
  const OwnedType answers = duck_type(api, answer_type_of(of.scalar.answers));
  api.scalar_function_set_return_type(function.get(), answers.get());
  api.scalar_function_set_extra_info(function.get(), const_cast<DuckScalarOf*>(&of), nullptr);
  api.scalar_function_set_function(function.get(), answer_scalar_chunk);
  api.add_scalar_function_to_set(set, function.get());
}

}  // namespace

base::result<void> add_duck_scalars(DuckLink link, const std::string& prefix, const Trace* trace,
                                    DuckShared& shared, DuckScalars& kept) {
  const DuckApi& api = shared.api;
  const auto all = scalars();
  for (std::size_t i = 0; i < all.size();) {
    const std::string_view word = all[i].name;
    const std::string name = prefix + all[i].name;
    const OwnedScalarSet set(api, api.create_scalar_function_set(name.c_str()));
    const bool is_wanted = all[i].is_of_trace == (trace != nullptr);
    for (; i < all.size() && all[i].name == word; ++i) {
      if (!is_wanted) continue;
      kept.push_back(std::make_unique<DuckScalarOf>(DuckScalarOf{all[i], trace, shared}));
      for (const auto& types : ways_to_call(all[i])) add_way(*kept.back(), name, types, set.get());
    }
    if (is_wanted && api.register_scalar_function_set(link, set.get()) != DuckState::good)
      return base::fail(base::Code::limit_exceeded, "DuckDB does not take the function " + name);
  }
  return {};
}

}  // namespace polytrace::sql
