PRAGMA mmap_size = 1000000
