// SPDX-License-Identifier: Apache-2.0
#include "base/frames/svb.hpp"

#include <zstd.h>

#include <array>
#include <cstring>
#include <memory>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

#include "base/codes.hpp"
#include "base/io/cursor.hpp"
#include "base/raw_array.hpp"

namespace polytrace::base {
namespace {

constexpr int kColumnLevel = 1;
// A frame of zstd has a head: less than this never gets shorter.
constexpr std::size_t kLeastCompressed = 24;

struct FreeContext {
  void operator()(ZSTD_CCtx* context) const { ZSTD_freeCCtx(context); }
  void operator()(ZSTD_DCtx* context) const { ZSTD_freeDCtx(context); }
};

// Contexts are large, and columns many and small.
ZSTD_CCtx* column_compressor() {
  thread_local const std::unique_ptr<ZSTD_CCtx, FreeContext> context(ZSTD_createCCtx());
  return context.get();
}
ZSTD_DCtx* column_decompressor() {
  thread_local const std::unique_ptr<ZSTD_DCtx, FreeContext> context(ZSTD_createDCtx());
  return context.get();
}

Bytes bytes_of(const std::string& text) { return std::as_bytes(std::span(text)); }

void append_raw(Bytes bytes, std::string& out) {
  out.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
}

// How many bytes it takes. Into room that nobody has to clear first.
std::size_t append_compressed(Bytes raw, std::string& out) {
  thread_local RawArray<char> compressed;
  compressed.clear();
  const std::size_t most = ZSTD_compressBound(raw.size());
  char* const to = compressed.room(most);
  const std::size_t size =
      ZSTD_compressCCtx(column_compressor(), to, most, raw.data(), raw.size(), kColumnLevel);
  if (ZSTD_isError(size) != 0) return ~std::size_t{0};
  out.append(to, size);
  return size;
}

template <class T>
void append_fixed(T value, std::string& out) {
  append_raw(std::as_bytes(std::span(&value, 1)), out);
}

void append_parts(std::size_t count, const std::string& lengths, const std::string& bytes,
                  std::string& out) {
  thread_local std::string short_lengths, short_bytes;
  short_lengths.clear();
  short_bytes.clear();
  const std::size_t raw = lengths.size() + bytes.size();
  const bool shorter = raw >= kLeastCompressed &&
                       append_compressed(bytes_of(lengths), short_lengths) < raw &&
                       append_compressed(bytes_of(bytes), short_bytes) < raw - short_lengths.size();
  const std::string& first = shorter ? short_lengths : lengths;
  const std::string& second = shorter ? short_bytes : bytes;
  append_fixed(static_cast<std::uint32_t>(count), out);
  append_fixed(shorter ? Coding::zstd : Coding::plain, out);
  append_fixed(static_cast<std::uint32_t>(first.size()), out);
  append_fixed(static_cast<std::uint32_t>(second.size()), out);
  out += first;
  out += second;
}

// By a byte of lengths: how many bytes its four numbers take.
constexpr auto kFourLengths = [] {
  std::array<std::uint8_t, 256> sums{};
  for (unsigned byte = 0; byte < sums.size(); ++byte) {
    const unsigned more = (byte & 3) + (byte >> 2 & 3) + (byte >> 4 & 3) + (byte >> 6);
    sums[byte] = static_cast<std::uint8_t>(more + 4);
  }
  return sums;
}();

constexpr std::array<std::uint32_t, 4> kLengthMasks{0xff, 0xffff, 0xff'ffff, 0xffff'ffff};
// What one step reads, whatever it uses.
constexpr std::size_t kStepBytes = 16;

unsigned more_bytes(std::uint32_t number) {
  return 3 - static_cast<unsigned>(std::countl_zero(number | 1)) / 8;
}

// Encodes by fours, with room for one step behind the numbers; how many were encoded.
using FastEncoder = std::size_t (*)(std::span<const std::uint32_t> numbers, char* lengths,
                                    char*& at);

std::size_t encode_by_stores(std::span<const std::uint32_t>, char*, char*&) { return 0; }

// Decodes as long as a step can read all it wants; how many numbers were decoded.
using FastDecoder = std::size_t (*)(const std::byte* lengths, const std::byte*& at,
                                    const std::byte* end, std::span<std::uint32_t> into);

std::size_t decode_by_loads(const std::byte* lengths, const std::byte*& told, const std::byte* end,
                            std::span<std::uint32_t> into) {
  const std::byte* at = told;
  std::size_t i = 0;
  for (; i + 4 <= into.size() && static_cast<std::size_t>(end - at) >= kStepBytes; i += 4) {
    auto byte = static_cast<unsigned>(lengths[i / 4]);
    for (std::size_t k = 0; k < 4; ++k, byte >>= 2) {
      into[i + k] = load_le<std::uint32_t>(at) & kLengthMasks[byte & 3];
      at += (byte & 3) + 1;
    }
  }
  told = at;
  return i;
}

#if defined(__x86_64__)
// By a byte of lengths: which byte of the sixteen comes to which place; 0x80 clears a place.
constexpr auto kShuffles = [] {
  std::array<std::array<std::uint8_t, kStepBytes>, 256> all{};
  for (unsigned byte = 0; byte < all.size(); ++byte) {
    unsigned from = 0;
    for (unsigned number = 0; number < 4; ++number) {
      const unsigned length = (byte >> (2 * number) & 3) + 1;
      for (unsigned k = 0; k < 4; ++k)
        all[byte][4 * number + k] = static_cast<std::uint8_t>(k < length ? from++ : 0x80);
    }
  }
  return all;
}();

// The other way.
constexpr auto kPackings = [] {
  std::array<std::array<std::uint8_t, kStepBytes>, 256> all{};
  for (unsigned byte = 0; byte < all.size(); ++byte) {
    std::size_t to = 0;
    for (unsigned number = 0; number < 4; ++number)
      for (unsigned k = 0; k <= (byte >> (2 * number) & 3); ++k)
        all[byte][to++] = static_cast<std::uint8_t>(4 * number + k);
  }
  return all;
}();

// Each of four bits as the lower one of two.
constexpr auto kSpreadBits = [] {
  std::array<std::uint8_t, 16> all{};
  for (unsigned bits = 0; bits < all.size(); ++bits)
    all[bits] =
        static_cast<std::uint8_t>((bits & 1) | (bits & 2) << 1 | (bits & 4) << 2 | (bits & 8) << 3);
  return all;
}();

__attribute__((target("ssse3"))) std::size_t encode_by_shuffles(
    std::span<const std::uint32_t> numbers, char* lengths, char*& told) {
  char* at = told;
  std::size_t i = 0;
  for (; i + 4 <= numbers.size(); i += 4) {
    const auto four = _mm_loadu_si128(reinterpret_cast<const __m128i*>(numbers.data() + i));
    // Which of the four have nothing beyond so many bytes.
    const auto within = [&](__m128i beyond) {
      const auto none = _mm_castsi128_ps(_mm_cmpeq_epi32(beyond, _mm_setzero_si128()));
      return static_cast<unsigned>(kSpreadBits[static_cast<std::size_t>(_mm_movemask_ps(none))]);
    };
    const unsigned byte = 0xff - within(_mm_srli_epi32(four, 8)) -
                          within(_mm_srli_epi32(four, 16)) - within(_mm_srli_epi32(four, 24));
    const auto places = _mm_loadu_si128(reinterpret_cast<const __m128i*>(kPackings[byte].data()));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(at), _mm_shuffle_epi8(four, places));
    lengths[i / 4] = static_cast<char>(byte);
    at += kFourLengths[byte];
  }
  told = at;
  return i;
}

__attribute__((target("ssse3"))) std::size_t decode_by_shuffles(const std::byte* lengths,
                                                                const std::byte*& told,
                                                                const std::byte* end,
                                                                std::span<std::uint32_t> into) {
  const std::byte* at = told;
  std::size_t i = 0;
  for (; i + 4 <= into.size() && static_cast<std::size_t>(end - at) >= kStepBytes; i += 4) {
    const auto byte = static_cast<unsigned>(lengths[i / 4]);
    const auto bytes = _mm_loadu_si128(reinterpret_cast<const __m128i*>(at));
    const auto places = _mm_loadu_si128(reinterpret_cast<const __m128i*>(kShuffles[byte].data()));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(into.data() + i), _mm_shuffle_epi8(bytes, places));
    at += kFourLengths[byte];
  }
  told = at;
  return i;
}
#endif

FastDecoder fast_decoder() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("ssse3") != 0) return decode_by_shuffles;
#endif
  return decode_by_loads;
}

FastEncoder fast_encoder() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("ssse3") != 0) return encode_by_shuffles;
#endif
  return encode_by_stores;
}

unsigned length_at(Bytes lengths, std::size_t i) {
  return (static_cast<unsigned>(lengths[i / 4]) >> (i % 4 * 2) & 3) + 1;
}

// The parts of a column as they were before they were compressed.
struct SvbParts {
  std::size_t count;
  Bytes lengths;
  Bytes bytes;
};

struct SvbScratch {
  RawArray<std::byte> lengths;
  RawArray<std::byte> bytes;
  RawArray<std::uint32_t> numbers;
};

SvbScratch& svb_scratch() {
  thread_local SvbScratch scratch;
  return scratch;
}

result<SvbParts> read_parts(Bytes& bytes, std::size_t most, SvbScratch& scratch) {
  Cursor cursor(bytes, 0);
  const std::size_t count = cursor.fixed<std::uint32_t>();
  const std::uint8_t coding = cursor.byte();
  const std::size_t lengths_size = cursor.fixed<std::uint32_t>();
  const std::size_t bytes_size = cursor.fixed<std::uint32_t>();
  const Bytes lengths = cursor.bytes(lengths_size);
  const Bytes numbers = cursor.bytes(bytes_size);
  if (!cursor.ok()) return fail(cursor.fault_code());
  if (count > most) return fail(Code::count_too_large);
  constexpr std::size_t kMostEach = 4 + 10;
  const auto raw_lengths = read_coded(lengths, coding, svb_lengths(count), scratch.lengths);
  if (!raw_lengths) return Unexpected(raw_lengths.error());
  const auto raw_bytes = read_coded(numbers, coding, kMostEach * count, scratch.bytes);
  if (!raw_bytes) return Unexpected(raw_bytes.error());
  if (raw_lengths->size() != svb_lengths(count)) return fail(Code::field_past_end);
  bytes = Bytes(cursor.at(), cursor.left());
  return SvbParts{count, *raw_lengths, *raw_bytes};
}

}  // namespace

Coding append_coded(Bytes raw, std::string& out) {
  const std::size_t before = out.size();
  if (raw.size() >= kLeastCompressed && append_compressed(raw, out) < raw.size())
    return Coding::zstd;
  out.resize(before);
  append_raw(raw, out);
  return Coding::plain;
}

result<Bytes> read_coded(Bytes stored, std::uint8_t coding, std::size_t most,
                         RawArray<std::byte>& into) {
  if (coding == static_cast<std::uint8_t>(Coding::plain)) {
    if (stored.size() > most) return fail(Code::count_too_large);
    return stored;
  }
  if (coding != static_cast<std::uint8_t>(Coding::zstd)) return fail(Code::value_unexpected);
  const unsigned long long told = ZSTD_getFrameContentSize(stored.data(), stored.size());
  if (told == ZSTD_CONTENTSIZE_ERROR || told == ZSTD_CONTENTSIZE_UNKNOWN)
    return fail(Code::compressed_damaged);
  if (told > most) return fail(Code::count_too_large);
  into.clear();
  std::byte* const to = into.room(told);
  const std::size_t size =
      ZSTD_decompressDCtx(column_decompressor(), to, told, stored.data(), stored.size());
  if (ZSTD_isError(size) != 0 || size != told) return fail(Code::compressed_damaged);
  into.grew_to(to + size);
  return Bytes(into.data(), into.size());
}

void append_varint(std::uint64_t value, std::string& out) {
  for (; value >= 0x80; value >>= 7) out.push_back(static_cast<char>(value | 0x80));
  out.push_back(static_cast<char>(value));
}

void encode_svb(std::span<const std::uint32_t> numbers, std::string& lengths, std::string& bytes) {
  static const FastEncoder kEncode = fast_encoder();
  thread_local RawArray<char> encoded;
  const std::size_t lengths_before = lengths.size();
  lengths.resize(lengths_before + svb_lengths(numbers.size()));
  encoded.clear();
  char* const begin = encoded.room(4 * numbers.size() + kStepBytes);
  char* const at_lengths = lengths.data() + lengths_before;
  char* at = begin;
  for (std::size_t i = kEncode(numbers, at_lengths, at); i < numbers.size(); ++i) {
    const unsigned more = more_bytes(numbers[i]);
    std::memcpy(at, &numbers[i], sizeof numbers[i]);
    at += more + 1;
    at_lengths[i / 4] |= static_cast<char>(more << i % 4 * 2);
  }
  bytes.append(begin, at);
}

std::optional<std::size_t> decode_svb(Bytes lengths, Bytes bytes, std::span<std::uint32_t> into) {
  static const FastDecoder kDecode = fast_decoder();
  const std::byte* at = bytes.data();
  const std::byte* const end = at + bytes.size();
  for (std::size_t i = kDecode(lengths.data(), at, end, into); i < into.size(); ++i) {
    const unsigned length = length_at(lengths, i);
    if (static_cast<std::size_t>(end - at) < length) return {};
    std::uint32_t number = 0;
    std::memcpy(&number, at, length);
    into[i] = number;
    at += length;
  }
  return static_cast<std::size_t>(at - bytes.data());
}

void append_svb(std::span<const std::uint64_t> numbers, std::string& out) {
  thread_local std::vector<std::uint32_t> small;
  thread_local std::string lengths, bytes;
  lengths.clear();
  bytes.clear();
  small.resize(numbers.size());
  for (std::size_t i = 0; i < numbers.size(); ++i)
    small[i] = numbers[i] > kSvbMost ? kSvbLarger : static_cast<std::uint32_t>(numbers[i]);
  encode_svb(small, lengths, bytes);
  for (const std::uint64_t number : numbers)
    if (number > kSvbMost) append_varint(number, bytes);
  append_parts(numbers.size(), lengths, bytes, out);
}

result<void> read_svb(Bytes& bytes, std::vector<std::uint64_t>& into, std::size_t most) {
  SvbScratch& scratch = svb_scratch();
  const auto parts = read_parts(bytes, most, scratch);
  if (!parts) return Unexpected(parts.error());
  scratch.numbers.clear();
  const std::span numbers(scratch.numbers.room(parts->count), parts->count);
  const auto used = decode_svb(parts->lengths, parts->bytes, numbers);
  if (!used) return fail(Code::field_past_end);
  Cursor larger(parts->bytes.subspan(*used), 0);
  into.resize(parts->count);
  for (std::size_t i = 0; i < numbers.size(); ++i)
    into[i] = numbers[i] == kSvbLarger ? larger.uleb() : numbers[i];
  if (!larger.ok()) return fail(larger.fault_code());
  if (!larger.done()) return fail(Code::value_unexpected);
  return {};
}

}  // namespace polytrace::base
