SELECT name, calls, fmt_ns(self_ns) FROM methods(NULL, NULL, NULL) ORDER BY self_ns DESC LIMIT 20
