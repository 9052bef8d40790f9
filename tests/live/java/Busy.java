// SPDX-License-Identifier: Apache-2.0
// Calls without end on some threads, and writes into a file how many: that file outlives the program.
import java.io.RandomAccessFile;
import java.nio.ByteOrder;
import java.nio.LongBuffer;
import java.nio.channels.FileChannel;

public class Busy {
  static long deed(long n) {
    return other(n) + 1;
  }

  static long other(long n) {
    return n * 31;
  }

  // The deed is done before it is counted.
  static long work(LongBuffer counts, int thread, int spins) {
    long sum = 0;
    for (long n = 1;; ++n) {
      sum += deed(n);
      counts.put(8 * thread, n);
      for (int i = 0; i < spins; ++i) Thread.onSpinWait();  // no more than can be looked at
    }
  }

  public static void main(String[] arguments) throws Exception {
    int threads = Integer.parseInt(arguments[1]);
    int spins = arguments.length > 2 ? Integer.parseInt(arguments[2]) : 300;
    try (RandomAccessFile file = new RandomAccessFile(arguments[0], "rw")) {
      LongBuffer counts = file.getChannel()
          .map(FileChannel.MapMode.READ_WRITE, 0, 64L * threads)
          .order(ByteOrder.LITTLE_ENDIAN).asLongBuffer();
      for (int i = 0; i < threads; ++i) {
        int thread = i;
        new Thread(() -> work(counts, thread, spins), "busy-" + i).start();
      }
      System.out.println("ready");
      Thread.currentThread().join();
    }
  }
}
