// SPDX-License-Identifier: Apache-2.0
import java.io.InputStream;
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.util.Random;

/** Makes garbage of all ages in a small heap, and says how often each collector says it ran. */
public class Garbage {
  /** One more class, with a loader of its own. */
  static class Loader extends ClassLoader {
    Class<?> load() throws java.io.IOException {
      try (InputStream in = Garbage.class.getResourceAsStream("Garbage.class")) {
        byte[] bytes = in.readAllBytes();
        return defineClass("Garbage", bytes, 0, bytes.length);
      }
    }
  }

  static void makeGarbage(int rounds) {
    Random random = new Random(1);
    byte[][] kept = new byte[24][];
    for (int i = 0; i < rounds; ++i) {
      kept[random.nextInt(kept.length)] = new byte[random.nextInt(1 << 20)];
      if (i % 200 == 0) System.gc();
    }
  }

  public static void main(String[] arguments) throws Exception {
    int rounds = Integer.parseInt(arguments[0]);
    if (arguments.length == 1) makeGarbage(rounds);
    for (int i = 0; arguments.length > 1 && i < rounds; ++i) new Loader().load();
    long collections = 0;
    for (GarbageCollectorMXBean of : ManagementFactory.getGarbageCollectorMXBeans())
      collections += of.getCollectionCount();
    System.out.println(collections);
  }
}
