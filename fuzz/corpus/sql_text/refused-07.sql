PRAGMA hard_heap_limit = 0
