// SPDX-License-Identifier: Apache-2.0
import java.util.Map;
import java.util.TreeMap;

/** Throws in every way, and says how often each method threw what, caught, or passed on. */
public class Faults {
  static class Fresh extends RuntimeException {}

  static class Constant extends RuntimeException {}

  static class Made extends RuntimeException {
    Made(boolean fails) {
      if (fails) {
        thrown("Faults$Fresh", "<init>");
        throw new Fresh();
      }
    }
  }

  static class Resource implements AutoCloseable {
    public void close() {}
  }

  static final Constant CONSTANT = new Constant();
  static final Map<String, Integer> COUNTS = new TreeMap<>();
  static int sum;

  static synchronized void count(String what) {
    COUNTS.merge(what, 1, Integer::sum);
  }

  static void thrown(String type, String method) {
    count("throw " + type + " " + method);
  }

  static void caught(String method) {
    count("catch_clause " + method);
  }

  static void passed(String method) {
    count("finally " + method);
  }

  static void thrower() {
    thrown("Faults$Fresh", "thrower");
    throw new Fresh();
  }

  static void down(int frames) {
    if (frames == 0) thrower();
    else down(frames - 1);
    ++sum;
  }

  static void throughFrames() {
    try {
      down(10);
    } catch (Fresh e) {
      caught("throughFrames");
    }
  }

  static void constant() {
    thrown("Faults$Constant", "constant");
    throw CONSTANT;
  }

  static void constants() {
    try {
      constant();
    } catch (Constant e) {
      caught("constants");
    }
  }

  static void passesByFinally() {
    try {
      thrower();
    } finally {
      for (int i = 0; i < 3; ++i) sum += i;
      try {
        passed("passesByFinally");
        thrown("Faults$Made", "passesByFinally");
        throw new Made(false);
      } catch (Made e) {
        caught("passesByFinally");
      }
    }
  }

  static void passesByLock(Object lock) {
    synchronized (lock) {
      passed("passesByLock");
      thrower();
    }
  }

  static synchronized void lockedMethod() {
    thrower();
  }

  static void passesByResource() {
    try (Resource resource = new Resource()) {
      passed("passesByResource");
      thrower();
    }
  }

  static void passesByHand() {
    try {
      thrower();
    } catch (Fresh e) {
      passed("passesByHand");
      throw e;
    }
  }

  static void throwsAgainLater() {
    RuntimeException kept = null;
    try {
      thrower();
    } catch (Fresh e) {
      caught("throwsAgainLater");
      kept = e;
    }
    thrown("Faults$Fresh", "throwsAgainLater");
    throw kept;
  }

  static void mayPass(boolean passes) {
    try {
      thrower();
    } catch (Fresh e) {
      caught("mayPass");
      if (passes) throw e;
    }
  }

  static void wraps() {
    try {
      thrower();
    } catch (Fresh e) {
      caught("wraps");
      thrown("Faults$Made", "wraps");
      throw new Made(false);
    }
  }

  @SuppressWarnings("finally")
  static void replaces() {
    try {
      thrower();
    } finally {
      caught("replaces");
      thrown("Faults$Constant", "replaces");
      throw CONSTANT;
    }
  }

  // Not by what was caught, but by the same object from elsewhere: a throw like any other.
  static void constantAgain() {
    try {
      constant();
    } catch (Constant e) {
      caught("constantAgain");
      thrown("Faults$Constant", "constantAgain");
      throw CONSTANT;
    }
  }

  static void byMachine(int n, Object text, int[] none) {
    try {
      switch (n % 4) {
        case 0:
          thrown("java.lang.ArithmeticException", "byMachine");
          sum /= n - n;
          break;
        case 1:
          thrown("java.lang.ArrayIndexOutOfBoundsException", "byMachine");
          none[n] = 1;
          break;
        case 2:
          thrown("java.lang.ClassCastException", "byMachine");
          sum += (Integer) text;
          break;
        default:
          thrown("java.lang.NullPointerException", "byMachine");
          text = null;
          sum += text.hashCode();
      }
    } catch (ArithmeticException
        | ArrayIndexOutOfBoundsException
        | ClassCastException
        | NullPointerException e) {
      caught("byMachine");
    }
  }

  static void inConstructor() {
    try {
      new Made(true);
    } catch (Fresh e) {
      caught("inConstructor");
    }
  }

  // What leaves a reflected method, or the initialisation of a class, becomes another exception.
  static void reflected() {
    try {
      Faults.class.getDeclaredMethod("thrower").invoke(null);
    } catch (ReflectiveOperationException e) {
      caught("reflected");
    }
  }

  static class Broken {
    static final int NUMBER = fail();

    static int fail() {
      thrower();
      return 1;
    }
  }

  static void initializer() {
    try {
      sum += Broken.NUMBER;
    } catch (LinkageError e) {
      thrown(e.getClass().getName(), "initializer");
      caught("initializer");
    }
  }

  static void nobody() {
    thrown("Faults$Fresh", "nobody");
    throw new Fresh();
  }

  static void all(Runnable... parts) {
    for (Runnable part : parts) {
      try {
        part.run();
      } catch (RuntimeException e) {
        caught("all");
      }
    }
  }

  static void round(int n) {
    throughFrames();
    constants();
    byMachine(n, "text", new int[0]);
    inConstructor();
    mayPass(false);
    all(
        Faults::reflected,
        Faults::initializer,
        Faults::passesByFinally,
        () -> passesByLock(CONSTANT),
        Faults::lockedMethod,
        Faults::passesByResource,
        Faults::passesByHand,
        Faults::throwsAgainLater,
        () -> mayPass(true),
        Faults::wraps,
        Faults::replaces,
        Faults::constantAgain);
  }

  public static void main(String[] arguments) throws Exception {
    int rounds = Integer.parseInt(arguments[0]);
    for (int i = 0; i < rounds; ++i) round(i);
    Thread thread = new Thread(Faults::nobody, "dies");
    thread.setUncaughtExceptionHandler((t, e) -> {});
    thread.start();
    thread.join();
    COUNTS.forEach((what, count) -> System.out.println(what + " " + count));
  }
}
