// SPDX-License-Identifier: Apache-2.0
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntSupplier;
import java.util.function.Supplier;

/** Makes classes that have no names of their own, on several threads at once. */
public class Hidden {
  static class Other {
    static IntSupplier supplier(int n) {
      return () -> n;
    }
  }

  static void fails() {
    throw new IllegalStateException();
  }

  static int caught(Runnable part) {
    try {
      part.run();
      return 0;
    } catch (IllegalStateException e) {
      return 1;
    }
  }

  static void work(int n) {
    Supplier<int[]> numbers = () -> new int[n];
    Runnable throwing = () -> fails();
    int sum = numbers.get().length + caught(throwing) + caught(Hidden::fails);
    Object[] kept = new Object[1000];
    for (int i = 0; i < kept.length; ++i) kept[i] = Other.supplier(i);
    if (sum + kept.length < 0) System.out.println("sum " + sum + " of " + kept.length);
  }

  public static void main(String[] arguments) throws InterruptedException {
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < 4; ++i) {
      int n = i;
      threads.add(new Thread(() -> work(n)));
    }
    for (Thread thread : threads) thread.start();
    for (Thread thread : threads) thread.join();
  }
}
