// SPDX-License-Identifier: Apache-2.0
import java.util.ArrayList;
import java.util.List;

// One till for all customers: the lock convoy. It keeps every order for ever: the leak. It finds out
// that an amount is no number by catching what parseInt() throws: the exception storm.
final class Till {
  private final List<Order> orders = new ArrayList<>();
  private int sold;
  private int refused;

  void pay(Order order) {
    synchronized (this) {
      if (!Shop.repaired) orders.add(order);
      int amount = amountOf(order);
      if (amount < 0) {
        refused++;
      } else {
        sold += amount;
      }
      if (!Shop.repaired) print();
    }
    if (Shop.repaired) print();
  }

  private static int amountOf(Order order) {
    if (Shop.repaired && !Character.isDigit(order.amount.charAt(0))) return -1;
    for (int attempt = 0; attempt < 5; attempt++) {
      try {
        return Integer.parseInt(order.amount);
      } catch (NumberFormatException nonsense) {
        // Try again: perhaps it goes away.
      }
    }
    return -1;
  }

  // The printer is slow, and the till waits for it with its lock held.
  private void print() {
    try {
      Thread.sleep(1);
    } catch (InterruptedException stop) {
      Thread.currentThread().interrupt();
    }
  }

  synchronized void close() {
    System.gc();
  }

  synchronized int sold() {
    return sold;
  }

  synchronized int refused() {
    return refused;
  }
}
