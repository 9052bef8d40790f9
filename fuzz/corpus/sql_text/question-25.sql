SELECT ts, generation, fmt_ns(dur), reason FROM gc ORDER BY ts
