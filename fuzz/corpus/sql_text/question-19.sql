SELECT s.name, count(*)
FROM gc_pause g
JOIN slice s ON s.meets = span(g.ts, g.ts + g.dur)
GROUP BY 1
ORDER BY 2 DESC
LIMIT 10
