SELECT c.ts, c.value
FROM counter c
JOIN counter_track t USING (counter_id)
WHERE t.name GLOB '*'
ORDER BY c.ts
LIMIT 100
