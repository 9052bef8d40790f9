// SPDX-License-Identifier: Apache-2.0
// A class in two loaders that know only java.* besides their own.
import java.io.InputStream;

public class Loaders {
  public static class Guest implements Runnable {
    @Override
    public void run() {
      deed();
    }

    void deed() {
      if (getClass().getClassLoader() == ClassLoader.getSystemClassLoader())
        throw new IllegalStateException("the wrong loader");
    }
  }

  static class Lonely extends ClassLoader {
    Lonely() {
      super(null);
    }

    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
      if (name.startsWith("java.")) return super.loadClass(name, resolve);
      try (InputStream file = Loaders.class.getResourceAsStream(name + ".class")) {
        if (file == null) throw new ClassNotFoundException(name);
        byte[] bytes = file.readAllBytes();
        return defineClass(name, bytes, 0, bytes.length);
      } catch (java.io.IOException e) {
        throw new ClassNotFoundException(name, e);
      }
    }
  }

  public static void main(String[] arguments) throws Exception {
    for (int i = 0; i < 2; ++i) {
      Object guest =
          new Lonely().loadClass("Loaders$Guest").getDeclaredConstructor().newInstance();
      ((Runnable) guest).run();
    }
  }
}
