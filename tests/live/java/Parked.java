// SPDX-License-Identifier: Apache-2.0
// Threads that are parked, by their own word, when mark() is called, and one that has ended.
import java.util.concurrent.CountDownLatch;

public class Parked {
    static final CountDownLatch open = new CountDownLatch(1);

    static int marked;

    // With a loop: what is shorter is not recorded.
    static void mark() {
        for (int i = 0; i < 10; i++) marked += i;
    }

    static void park() {
        try {
            open.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    public static void main(String[] args) throws Exception {
        Thread gone = new Thread(Parked::mark, "gone");
        gone.start();
        gone.join();
        Thread[] parked = new Thread[3];
        for (int i = 0; i < parked.length; i++) {
            parked[i] = new Thread(Parked::park, "parked-" + i);
            parked[i].start();
        }
        for (Thread thread : parked)
            while (thread.getState() != Thread.State.WAITING) Thread.onSpinWait();
        mark();
        open.countDown();
        for (Thread thread : parked) thread.join();
    }
}
