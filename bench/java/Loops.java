// SPDX-License-Identifier: Apache-2.0
// Loops whose cost per call or object is told: nanoseconds of the thread's CPU time, best of several
// rounds. Loops KIND COUNT ROUNDS
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;

public class Loops {
  static Object kept;
  static int sum;

  static int fib(int n) {
    return n < 2 ? n : fib(n - 1) + fib(n - 2);
  }

  static int tiny(int n) {
    return n + 1;
  }

  static long calls(int count) {
    for (int i = 0; i < count; ++i) sum += tiny(i);
    return count;
  }

  static long objects(int count) {
    for (int i = 0; i < count; ++i) kept = new Loops();
    return count;
  }

  static final int FIB = 30;
  static final long FIB_CALLS = 2_692_537;
  static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

  // Nanoseconds per call or object.
  static double round(String kind, int count) {
    long number = kind.equals("fib") ? FIB_CALLS : count;
    long start = THREADS.getCurrentThreadCpuTime();
    switch (kind) {
      case "fib": sum += fib(FIB); break;
      case "calls": calls(count); break;
      default: objects(count); break;
    }
    return (double) (THREADS.getCurrentThreadCpuTime() - start) / number;
  }

  public static void main(String[] arguments) {
    double best = Double.MAX_VALUE;
    for (int i = 0; i < Integer.parseInt(arguments[2]); ++i)
      best = Math.min(best, round(arguments[0], Integer.parseInt(arguments[1])));
    System.out.printf("%.3f%n", best);
  }
}
