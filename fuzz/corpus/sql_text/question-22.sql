SELECT ts, alloc_bytes FROM activity(NULL, NULL, 60, NULL)
