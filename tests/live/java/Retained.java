// SPDX-License-Identifier: Apache-2.0
// What VisualVM's heap library says of a heap dump: id, class, size and retained size of each object.
import java.io.File;
import java.io.PrintStream;
import java.util.Iterator;
import org.graalvm.visualvm.lib.jfluid.heap.Heap;
import org.graalvm.visualvm.lib.jfluid.heap.HeapFactory;
import org.graalvm.visualvm.lib.jfluid.heap.Instance;

public class Retained {
  public static void main(String[] arguments) throws Exception {
    Heap heap = HeapFactory.createHeap(new File(arguments[0]));
    PrintStream out = new PrintStream(System.out, false);
    for (Iterator<?> all = heap.getAllInstancesIterator(); all.hasNext(); ) {
      Instance one = (Instance) all.next();
      out.println(one.getInstanceId() + "\t" + one.getSize() + "\t" + one.getRetainedSize()
          + "\t" + one.getJavaClass().getName());
    }
    out.flush();
  }
}
