// SPDX-License-Identifier: Apache-2.0
// A small shop with four faults to find: docs/tutorial.md. The amount of work is told by the first
// argument (days, default 20) and is the same every time. With a second one, `repaired`, none of the
// faults is there.
import java.util.ArrayList;
import java.util.List;

public final class Shop {
  static final int CUSTOMERS = 4;
  static boolean repaired;
  private static final Till TILL = new Till();

  public static void main(String[] args) throws InterruptedException {
    int days = args.length > 0 ? Integer.parseInt(args[0]) : 20;
    repaired = args.length > 1 && args[1].equals("repaired");
    Catalog catalog = new Catalog(400);
    for (int day = 0; day < days; day++) {
      openFor(day, catalog);
      TILL.close();
    }
    System.out.println(days + " days, " + TILL.sold() + " sold, " + TILL.refused() + " refused");
  }

  private static void openFor(int day, Catalog catalog) throws InterruptedException {
    List<Thread> customers = new ArrayList<>();
    for (int i = 0; i < CUSTOMERS; i++) {
      Thread customer = new Thread(new Customer(day, i, catalog, TILL), "customer-" + i);
      customers.add(customer);
      customer.start();
    }
    for (Thread customer : customers) customer.join();
  }
}
