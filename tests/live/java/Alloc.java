// SPDX-License-Identifier: Apache-2.0
// Makes known numbers of known objects and prints how many of each class, and the bytes they take as
// the JDK's own instrumentation tells: "class count bytes".
import java.lang.instrument.Instrumentation;
import java.util.Map;
import java.util.TreeMap;

public class Alloc {
  static Instrumentation truth;
  static final Map<String, long[]> COUNTS = new TreeMap<>();

  public static void premain(String arguments, Instrumentation instrumentation) {
    truth = instrumentation;
  }

  static class Small {
    int a;
    byte b;
  }

  static class Large extends Small {
    long c;
    Object d;
    short e;
  }

  // Made before its class has been initialised to the end.
  static class Early {
    static final Early ONE = new Early();
    double value;
  }

  static void count(Object object) {
    long[] counts = COUNTS.computeIfAbsent(object.getClass().getTypeName(), name -> Tell.two());
    counts[0] += 1;
    counts[1] += truth.getObjectSize(object);
    if (object instanceof Object[] && !(object instanceof String[]))
      for (Object part : (Object[]) object)
        if (part != null) count(part);
  }

  static void make(int rounds) {
    for (int i = 0; i < rounds; ++i) {
      count(new Small());
      if (i % 2 == 0) count(new Large());
      count(new long[17]);
      count(new byte[i]);
      count(new boolean[3]);
      count(new String[5]);
      count(new int[3][4]);
      count(new double[2][3][]);
      count(new char[2][0][7]);
    }
    count(Early.ONE);
  }

  public static void main(String[] arguments) {
    make(Integer.parseInt(arguments[0]));
    Tell.all(COUNTS);
  }
}

// Not recorded itself.
class Tell {
  static long[] two() {
    return new long[2];
  }

  static void all(Map<String, long[]> counts) {
    counts.forEach((name, of) -> System.out.println(name + " " + of[0] + " " + of[1]));
  }
}
