// SPDX-License-Identifier: Apache-2.0
// The same in every run, but for what is planted: calls3, calls12, time, wait, alloc or lock.
import java.util.concurrent.CountDownLatch;

public class Twin {
  static class Node { Node next; }
  static class Extra { long value; }

  static final Object OLD = new Object();
  static final Object NEW = new Object();
  static Object kept;

  static void work(int milliseconds) throws InterruptedException { Thread.sleep(milliseconds); }  // wait: the work is to last

  static int spin(int turns) {
    int n = turns;
    for (int i = 0; i < turns; ++i) n = n * 31 + i;
    return n;
  }

  static int step(int n, boolean extra) {
    if (extra) kept = new Extra();
    for (int i = 0; i < 20; ++i) n = n * 31 + i;
    return n;
  }

  static Node chain(int length) {
    Node first = null;
    for (int i = 0; i < length; ++i) {
      Node node = new Node();
      node.next = first;
      first = node;
    }
    return first;
  }

  static void hold(Object lock, int milliseconds, CountDownLatch held) {
    synchronized (lock) {
      held.countDown();
      try {
        work(milliseconds);
      } catch (InterruptedException e) {
        throw new IllegalStateException(e);
      }
    }
  }

  // One thread waits for another.
  static void meet(Object lock, int milliseconds) throws InterruptedException {
    CountDownLatch held = new CountDownLatch(1);
    Thread holder = new Thread(() -> hold(lock, milliseconds, held), "holder");
    holder.start();
    held.await();
    hold(lock, 0, held);
    holder.join();
  }

  public static void main(String[] arguments) throws InterruptedException {
    String planted = arguments[0];
    int steps = planted.equals("calls3") ? 60000 : planted.equals("calls12") ? 240000 : 20000;
    int sum = 0;
    for (int i = 0; i < 30; ++i) work(planted.equals("wait") ? 25 : 20);
    for (int i = 0; i < 100; ++i) sum += spin(planted.equals("time") ? 2_500_000 : 2_000_000);
    for (int i = 0; i < steps; ++i) sum = step(sum, planted.equals("alloc"));
    for (int i = 0; i < 20; ++i) kept = chain(1000);
    meet(OLD, 10);
    if (planted.equals("lock")) meet(NEW, 100);
    System.gc();
    System.out.println(sum != 0);
  }
}
