PRAGMA threads = 8
