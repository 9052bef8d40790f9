// SPDX-License-Identifier: Apache-2.0
final class Order {
  final int day;
  final Article article;
  final String amount;
  // What the printer will need.
  final byte[] receipt = new byte[2048];

  Order(int day, Article article, String amount) {
    this.day = day;
    this.article = article;
    this.amount = amount;
  }
}
