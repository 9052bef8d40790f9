// SPDX-License-Identifier: Apache-2.0
// The same calls, threads and collections every time, one thread at a time; and one wait for a lock.
public class Parts {
  static final Object LOCK = new Object();

  static int fall(int depth) {
    if (depth == 0) throw new IllegalStateException();
    return fall(depth - 1) + 1;
  }

  static int land(int depth) {
    try {
      return fall(depth);
    } catch (IllegalStateException e) {
      return depth;
    }
  }

  static long climb(int n) {
    return n < 2 ? n : climb(n - 1) + climb(n - 2);
  }

  static void pause() throws InterruptedException {
    synchronized (LOCK) {
      LOCK.wait(2);
    }
  }

  static void part(int i) {
    try {
      climb(10 + i);
      land(5 * i);
      pause();
    } catch (InterruptedException e) {
      throw new IllegalStateException(e);
    }
  }

  static void enter() {
    synchronized (LOCK) {
      climb(3);
    }
  }

  static void contend() throws InterruptedException {
    Thread thread = new Thread(Parts::enter, "part-3");
    synchronized (LOCK) {
      thread.start();
      while (thread.getState() != Thread.State.BLOCKED) Thread.onSpinWait();
    }
    thread.join();
  }

  public static void main(String[] arguments) throws InterruptedException {
    for (int i = 0; i < 3; ++i) {
      int number = i;
      Thread thread = new Thread(() -> part(number), "part-" + i);
      thread.start();
      thread.join();
    }
    contend();
    System.gc();
    System.gc();
    System.out.println("done");
  }
}
