// SPDX-License-Identifier: Apache-2.0
// A heap with known objects, reached from static fields; more of them with each line of input.
import java.io.BufferedReader;
import java.io.InputStreamReader;

public class Heap {
  static class Link {
    Link next;
  }

  static class Leaf {
    byte value;
  }

  static class Big {
    final long[] numbers = new long[1000];
  }

  static Link head;
  static Object[] leaves;
  static Big big = new Big();

  static void build(int links, int count) {
    head = null;
    for (int i = 0; i < links; ++i) {
      Link link = new Link();
      link.next = head;
      head = link;
    }
    leaves = new Leaf[count];
    for (int i = 0; i < count; ++i) leaves[i] = new Leaf();
  }

  public static void main(String[] arguments) throws Exception {
    build(Integer.parseInt(arguments[0]), Integer.parseInt(arguments[1]));
    BufferedReader input = new BufferedReader(new InputStreamReader(System.in));
    System.out.println("ready");
    for (String line = input.readLine(); line != null; line = input.readLine()) {
      String[] sizes = line.split(" ");
      build(Integer.parseInt(sizes[0]), Integer.parseInt(sizes[1]));
      System.out.println("ready");
    }
  }
}
