// SPDX-License-Identifier: Apache-2.0
// So many calls as told, as fast as can be, in an order that never repeats: each tells its place.
// Then the file that is named is made.
import java.io.FileOutputStream;
import java.io.IOException;

public class Flood {
  static int sum;

  static void zero() {
    sum += 1;
  }

  static void one() {
    sum += 2;
  }

  public static void main(String[] arguments) throws IOException {
    int calls = Integer.parseInt(arguments[0]);
    for (int n = 0; n < calls; ++n) {
      if ((Integer.bitCount(n) & 1) == 0) zero();
      else one();
    }
    if (arguments.length > 1) new FileOutputStream(arguments[1]).close();
    System.out.println("done");
  }
}
