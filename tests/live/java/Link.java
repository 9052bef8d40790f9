// SPDX-License-Identifier: Apache-2.0
// Loads and links every n-th class of the JDK and of jar files, and prints those that cannot be.
import java.io.File;
import java.net.URI;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.jar.JarEntry;
import java.util.jar.JarFile;
import java.util.stream.Stream;

public class Link {
  static int linked;

  // Asking for its methods links a class without running any code of it.
  static void link(String file, ClassLoader loader) {
    String name = file.substring(0, file.length() - ".class".length()).replace('/', '.');
    if (name.endsWith("module-info") || name.startsWith("META-INF")) return;
    try {
      Class.forName(name, false, loader).getDeclaredMethods();
      ++linked;
    } catch (Throwable e) {
      System.out.println(name + ": " + e.getClass().getName());
    }
  }

  static List<String> ofJdk() throws Exception {
    List<String> names = new ArrayList<>();
    Path modules = FileSystems.getFileSystem(URI.create("jrt:/")).getPath("/modules");
    try (Stream<Path> files = Files.walk(modules)) {
      files.map(file -> modules.relativize(file).toString()).filter(file -> file.endsWith(".class"))
          .sorted().forEach(file -> names.add(file.substring(file.indexOf('/') + 1)));
    }
    return names;
  }

  static List<String> ofJar(String jar) {
    List<String> names = new ArrayList<>();
    try (JarFile file = new JarFile(jar)) {
      for (JarEntry entry : Collections.list(file.entries()))
        if (entry.getName().endsWith(".class")) names.add(entry.getName());
    } catch (java.io.IOException e) {
      System.out.println(jar + ": " + e.getClass().getName());
    }
    return names;
  }

  public static void main(String[] arguments) throws Exception {
    int every = Integer.parseInt(arguments[0]);
    int n = 0;
    for (String name : ofJdk())
      if (n++ % every == 0) link(name, Link.class.getClassLoader());
    for (int i = 1; i < arguments.length; ++i) {
      URL[] places = {new File(arguments[i]).toURI().toURL()};
      ClassLoader loader = new URLClassLoader(places, ClassLoader.getPlatformClassLoader());
      for (String name : ofJar(arguments[i]))
        if (n++ % every == 0) link(name, loader);
    }
    System.out.println("linked " + linked);
  }
}
