SELECT name, total_ns
FROM methods(NULL, NULL, (SELECT utid FROM thread ORDER BY events DESC LIMIT 1))
ORDER BY 2 DESC
LIMIT 20
