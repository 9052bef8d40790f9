// SPDX-License-Identifier: Apache-2.0
final class Article {
  final String name;
  final int price;

  Article(String name, int price) {
    this.name = name;
    this.price = price;
  }
}
