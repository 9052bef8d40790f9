// SPDX-License-Identifier: Apache-2.0
import java.util.function.IntSupplier;

/** Runs out of stack in many ways, catches it at many depths, and goes on with ordinary calls. */
public class Overflow {
  static class Chain {
    final Chain next;
    int value;

    Chain() {
      value = 7;
      next = new Chain();
      ++value;
    }
  }

  static int sum;

  static void down() {
    down();
    ++sum;
  }

  static int wide(long a, long b, double c, Object d, int n) {
    long x = a + b;
    long y = x * 3;
    int below = wide(x, y, c * 2, d, n + 1);
    return below + (int) (x + y);
  }

  static void viaFinally() {
    try {
      viaFinally();
    } finally {
      ++sum;
    }
  }

  static synchronized void locked() {
    locked();
    ++sum;
  }

  static void lambda() {
    IntSupplier below =
        () -> {
          lambda();
          return 1;
        };
    sum += below.getAsInt();
  }

  static void catchesBelow(int frames) {
    if (frames > 0) {
      catchesBelow(frames - 1);
      ++sum;
      return;
    }
    try {
      down();
    } catch (StackOverflowError e) {
      marker();
    }
  }

  static void passesOn(int depth) {
    try {
      passesOn(depth + 1);
    } catch (StackOverflowError e) {
      if (depth < 40) marker();
      throw e;
    }
  }

  static int marker() {
    return Integer.toString(sum).length();
  }

  static void attempt(Runnable part) {
    try {
      part.run();
    } catch (StackOverflowError e) {
      marker();
    }
    marker();
  }

  static void all(int rounds) {
    for (int i = 0; i < rounds; ++i) {
      attempt(Overflow::down);
      attempt(() -> wide(1, 2, 3, "x", 4));
      attempt(Overflow::viaFinally);
      attempt(Overflow::locked);
      attempt(Overflow::lambda);
      attempt(Chain::new);
      attempt(() -> catchesBelow(50));
      attempt(() -> passesOn(0));
      marker();
    }
  }

  public static void main(String[] arguments) throws InterruptedException {
    int rounds = Integer.parseInt(arguments[0]);
    Thread small = new Thread(null, () -> all(rounds), "small", 256 << 10);
    small.start();
    small.join();
    all(rounds);
    System.out.println("done");
  }
}
