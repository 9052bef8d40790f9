// SPDX-License-Identifier: Apache-2.0
#include "collector/edge/secret.hpp"

#include <bit>
#include <span>
#include <vector>

#include "agent/control/protocol/endpoint.hpp"
#include "base/codes.hpp"

namespace polytrace::collector {
namespace {

constexpr std::size_t kHashChunk = 64;
constexpr std::size_t kHashRounds = 64;
constexpr std::array<std::uint32_t, kHashRounds> kHashWords = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

std::uint32_t big_word(const std::uint8_t* at) {
  return std::uint32_t{at[0]} << 24 | std::uint32_t{at[1]} << 16 | std::uint32_t{at[2]} << 8 |
         std::uint32_t{at[3]};
}

void hash_chunk(std::array<std::uint32_t, 8>& state, const std::uint8_t* chunk) {
  std::array<std::uint32_t, kHashRounds> w{};
  for (std::size_t i = 0; i < 16; ++i) w[i] = big_word(chunk + 4 * i);
  for (std::size_t i = 16; i < w.size(); ++i) {
    const std::uint32_t a = w[i - 15];
    const std::uint32_t b = w[i - 2];
    w[i] = w[i - 16] + (std::rotr(a, 7) ^ std::rotr(a, 18) ^ a >> 3) + w[i - 7] +
           (std::rotr(b, 17) ^ std::rotr(b, 19) ^ b >> 10);
  }
  auto [a, b, c, d, e, f, g, h] = state;
  for (std::size_t i = 0; i < w.size(); ++i) {
    const std::uint32_t one = h + (std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25)) +
                              ((e & f) ^ (~e & g)) + kHashWords[i] + w[i];
    const std::uint32_t two =
        (std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22)) + ((a & b) ^ (a & c) ^ (b & c));
    h = g, g = f, f = e, e = d + one, d = c, c = b, b = a, a = one + two;
  }
  const std::array<std::uint32_t, 8> after = {a, b, c, d, e, f, g, h};
  for (std::size_t i = 0; i < state.size(); ++i) state[i] += after[i];
}

}  // namespace

Sha256 sha256(base::Bytes bytes) {
  std::vector<std::uint8_t> text(bytes.size());
  for (std::size_t i = 0; i < text.size(); ++i) text[i] = static_cast<std::uint8_t>(bytes[i]);
  const std::uint64_t bits = std::uint64_t{text.size()} * 8;
  text.push_back(0x80);
  while (text.size() % kHashChunk != kHashChunk - sizeof bits) text.push_back(0);
  for (int shift = 56; shift >= 0; shift -= 8)
    text.push_back(static_cast<std::uint8_t>(bits >> shift));
  std::array<std::uint32_t, 8> state = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                        0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  for (std::size_t at = 0; at < text.size(); at += kHashChunk) hash_chunk(state, text.data() + at);
  Sha256 sum{};
  for (std::size_t i = 0; i < sum.size(); ++i)
    sum[i] = static_cast<std::uint8_t>(state[i / 4] >> (24 - 8 * (i % 4)));
  return sum;
}

base::result<Secret> Secret::read(const std::string& path) {
  const auto token = agent::control::read_private_token(path);
  if (!token) return base::fail(base::Code::open_failed, token.error().detail);
  return Secret(sha256(std::as_bytes(std::span(*token))));
}

bool Secret::is(std::string_view token) const {
  const Sha256 sum = sha256(std::as_bytes(std::span(token)));
  unsigned different = 0;
  for (std::size_t i = 0; i < sum.size(); ++i) different |= static_cast<unsigned>(sum[i] ^ sum_[i]);
  return different == 0;
}

}  // namespace polytrace::collector
