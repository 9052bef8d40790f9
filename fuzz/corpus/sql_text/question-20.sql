SELECT name, objects, fmt_bytes(bytes)
FROM allocations('class', NULL, NULL, NULL)
ORDER BY bytes DESC
LIMIT 10
