// SPDX-License-Identifier: Apache-2.0
// Looks for a few things and buys them.
final class Customer implements Runnable {
  private static final int PURCHASES = 10;

  private final int day;
  private final int number;
  private final Catalog catalog;
  private final Till till;

  Customer(int day, int number, Catalog catalog, Till till) {
    this.day = day;
    this.number = number;
    this.catalog = catalog;
    this.till = till;
  }

  @Override
  public void run() {
    for (int i = 0; i < PURCHASES; i++) {
      String wanted = "article-" + (day * 7 + number * 31 + i * 13) % 400 + Catalog.OF_WHAT;
      Article article = catalog.find(wanted);
      till.pay(new Order(day, article, amount(i)));
    }
  }

  // Every third customer types nonsense.
  private String amount(int purchase) {
    return (number + purchase) % 3 == 0 ? "a few" : Integer.toString(1 + purchase % 4);
  }
}
