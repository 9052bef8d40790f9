SELECT ts, dur FROM gc_pause ORDER BY dur DESC LIMIT 5
