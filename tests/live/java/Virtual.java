// SPDX-License-Identifier: Apache-2.0
// Virtual threads that wait, yield and contend, so that they change their carriers. Each prints how
// often it called.
import java.util.ArrayList;
import java.util.List;

public class Virtual {
  static final Object LOCK = new Object();
  static int shared;

  static int deed(int n) throws InterruptedException {
    if (n % 3 == 0) Thread.yield();
    if (n % 10 == 0) Thread.sleep(1);  // wait: parks now and then
    return inner(n) + 1;
  }

  static int inner(int n) {
    synchronized (LOCK) {
      ++shared;
      if (n % 7 == 0) Thread.yield();
    }
    return n;
  }

  public static void main(String[] arguments) throws Exception {
    List<Thread> threads = new ArrayList<>();
    for (int i = 0; i < Integer.parseInt(arguments[0]); ++i) {
      int calls = 10 + i % 5;
      threads.add(Thread.ofVirtual().name("virtual-" + i).start(() -> {
        try {
          for (int n = 0; n < calls; ++n) deed(n);
        } catch (InterruptedException e) {
          throw new IllegalStateException(e);
        }
      }));
    }
    for (Thread thread : threads) thread.join();
    System.out.println(shared);
  }
}
