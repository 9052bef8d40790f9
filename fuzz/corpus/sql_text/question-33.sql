SELECT name, waits, wait_ns, most_ns FROM lock_waits('class', NULL, NULL) ORDER BY wait_ns DESC
