// SPDX-License-Identifier: Apache-2.0
import java.lang.management.GarbageCollectorMXBean;
import java.lang.management.ManagementFactory;
import java.util.Random;

/** Makes garbage of all ages in a small heap, and says how often each collector says it ran. */
public class Garbage {
  public static void main(String[] arguments) {
    Random random = new Random(1);
    byte[][] kept = new byte[24][];
    for (int i = 0; i < Integer.parseInt(arguments[0]); ++i) {
      kept[random.nextInt(kept.length)] = new byte[random.nextInt(1 << 20)];
      if (i % 200 == 0) System.gc();
    }
    long collections = 0;
    for (GarbageCollectorMXBean of : ManagementFactory.getGarbageCollectorMXBeans())
      collections += of.getCollectionCount();
    System.out.println(collections);
  }
}
