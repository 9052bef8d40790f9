// SPDX-License-Identifier: Apache-2.0
// Does what it reads, a line each: a number, so many calls; a word, the program of that name. Says
// what it has done, and ends with 3.
import java.io.BufferedReader;
import java.io.InputStreamReader;

public class Steps {
  static long deed(long n) {
    return n * 31;
  }

  public static void main(String[] arguments) throws Exception {
    BufferedReader input = new BufferedReader(new InputStreamReader(System.in));
    long sum = 0;
    for (String line; (line = input.readLine()) != null;) {
      if (Character.isDigit(line.charAt(0)))
        for (long n = Long.parseLong(line); n > 0; --n) sum += deed(n);
      else if (new ProcessBuilder(line).start().waitFor() != 0) System.out.println("failed");
      System.out.println("done " + line);
    }
    System.exit(sum == 1 ? 1 : 3);
  }
}
