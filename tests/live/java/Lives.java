// SPDX-License-Identifier: Apache-2.0
// Objects that live for known numbers of collections, and many that live for none.
public class Lives {
  static final int AGES = 4;
  static Object[] kept = new Object[AGES];
  static volatile Object sink;

  static class Aged {
    int n;
  }

  static class Stays {
    int n;
  }

  static class Little {
    long n;
  }

  static class Table {
    long a, b, c, d, e, f, g, h;
  }

  // Object n of each round of ages survives n collections; the last one takes them all.
  static void age(int count) {
    Object[] stays = new Object[count];
    for (int i = 0; i < count; ++i) stays[i] = new Stays();
    for (int age = AGES - 1; age >= 0; --age) {
      Object[] objects = new Object[count + age];
      for (int i = 0; i < objects.length; ++i) objects[i] = new Aged();
      kept[age] = objects;
      if (age > 0) System.gc();
    }
    kept = null;
    sink = stays;
    System.gc();
  }

  static void thread() throws InterruptedException {
    Thread thread = new Thread(() -> sink = new Little(), "made");
    thread.start();
    thread.join();
  }

  static void many(int count) {
    for (int i = 0; i < count; ++i) {
      sink = new Little();
      sink = new Table();
      if (i % 16 == 0) sink = new byte[4000];
    }
  }

  public static void main(String[] arguments) throws Exception {
    int count = Integer.parseInt(arguments[1]);
    if (arguments[0].equals("age")) {
      thread();
      age(count);
    } else {
      many(count);
    }
  }
}
