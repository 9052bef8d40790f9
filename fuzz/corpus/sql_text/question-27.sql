SELECT fmt_ns(window_ns), utilisation FROM mmu('[1000000, 10000000, 100000000]')
