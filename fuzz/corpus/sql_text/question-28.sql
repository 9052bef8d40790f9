SELECT ts, total FROM heap_size WHERE generation IS NULL ORDER BY ts
