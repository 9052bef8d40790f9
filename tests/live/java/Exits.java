// SPDX-License-Identifier: Apache-2.0
// Every way into and out of a method. Each method says so itself, as its first and its last deed.
import java.util.function.IntUnaryOperator;
import java.util.function.Supplier;

public class Exits {
  interface Greeter {
    default int greet(int n) {
      Log.in("greet");
      try {
        return n + 1;
      } finally {
        Log.out("greet");
      }
    }
  }

  static class Base implements Greeter {
    final int value;

    Base(int value) {
      Log.in("<init>");
      this.value = value;
      if (value < 0) {
        Log.out("<init>");
        throw new IllegalArgumentException();
      }
      Log.out("<init>");
    }
  }

  // Where the super constructor throws, no exit of this one is seen: it says none either.
  static class Derived extends Base {
    Derived(int value) {
      super(Log.in("<init>", value) < 10 ? value : new Base(value).value);
      Log.out("<init>");
    }
  }

  static void ofVoid(int n) {
    Log.in("ofVoid");
    if (n > 1) {
      Log.out("ofVoid");
      return;
    }
    Log.out("ofVoid");
  }

  static int ofInt(int n) {
    Log.in("ofInt");
    Log.out("ofInt");
    return n * 2;
  }

  static long ofLong(long n) {
    Log.in("ofLong");
    Log.out("ofLong");
    return n << 33;
  }

  static float ofFloat(float n) {
    Log.in("ofFloat");
    Log.out("ofFloat");
    return n / 3;
  }

  static double ofDouble(double n, long unused) {
    Log.in("ofDouble");
    Log.out("ofDouble");
    return n / 3;
  }

  static String ofReference(Object o) {
    Log.in("ofReference");
    Log.out("ofReference");
    return "" + o;
  }

  // The loop begins at the method's first instruction.
  static int loop(int n) {
    do {
      Log.in("loop");
      Log.out("loop");
    } while (false);
    return n;
  }

  static int thrower(int depth) {
    Log.in("thrower");
    try {
      if (depth == 0) throw new IllegalStateException();
      return thrower(depth - 1);
    } finally {
      Log.out("thrower");
    }
  }

  static int catcher(int depth) {
    Log.in("catcher");
    try {
      return thrower(depth);
    } catch (IllegalStateException e) {
      return -1;
    } finally {
      Log.out("catcher");
    }
  }

  static synchronized int locked(int n) {
    Log.in("locked");
    try {
      if (n == 3) throw new IllegalStateException();
      return n;
    } finally {
      Log.out("locked");
    }
  }

  static int lockedBlock(Object lock, int n) {
    Log.in("lockedBlock");
    try {
      synchronized (lock) {
        if (n == 3) throw new IllegalStateException();
        return 10 / n;
      }
    } catch (IllegalStateException | ArithmeticException e) {
      return 0;
    } finally {
      Log.out("lockedBlock");
    }
  }

  static int choose(String text, int n) {
    Log.in("choose");
    try {
      switch (text) {
        case "one": return 1;
        case "two": return 2;
        default: break;
      }
      switch (n) {
        case 1: return 10;
        case 2: return 20;
        case 3: return 30;
        case -1000: return 40;
        case 100000: return 50;
        default: return 60;
      }
    } finally {
      Log.out("choose");
    }
  }

  static int dense(int n) {
    Log.in("dense");
    try {
      switch (n) {
        case 0: return 7;
        case 1: return 8;
        case 2: return 9;
        default: return 0;
      }
    } finally {
      Log.out("dense");
    }
  }

  static int lambdas(int n) {
    Log.in("lambdas");
    IntUnaryOperator twice = x -> {
      Log.in("lambda$lambdas$0");
      Log.out("lambda$lambdas$0");
      return 2 * x;
    };
    Supplier<Base> maker = () -> {
      Log.in("lambda$lambdas$1");
      try {
        return new Derived(n);
      } finally {
        Log.out("lambda$lambdas$1");
      }
    };
    int result = twice.applyAsInt(n) + maker.get().value;
    Log.out("lambdas");
    return result;
  }

  static void tries(int n) {
    Log.in("tries");
    try {
      locked(n);
    } catch (IllegalStateException e) {
      ofVoid(0);
    }
    try {
      new Derived(-n);
    } catch (IllegalArgumentException e) {
      ofVoid(2);
    }
    Log.out("tries");
  }

  static void round(int n) {
    Log.in("round");
    ofVoid(n);
    ofInt(n);
    ofLong(n);
    ofFloat(n);
    ofDouble(n, n);
    ofReference(n);
    loop(n);
    catcher(n % 5);
    lockedBlock(Exits.class, n % 4);
    choose(n % 3 == 0 ? "one" : n % 3 == 1 ? "two" : "three", n);
    dense(n % 4);
    lambdas(n % 20);
    tries(n % 5);
    new Base(n).greet(n);
    Log.out("round");
  }

  public static void main(String[] arguments) throws Exception {
    Log.in("main");
    int rounds = Integer.parseInt(arguments[0]);
    for (int i = 0; i < rounds; ++i) round(i);
    Thread thread = new Thread(Exits::dies, "dies");
    thread.setUncaughtExceptionHandler((t, e) -> {});
    thread.start();
    thread.join();
    Log.out("main");
    Log.print();
  }

  // The exception leaves the thread's last frame.
  static void dies() {
    Log.in("dies");
    Log.out("dies");
    throw new IllegalStateException();
  }
}
