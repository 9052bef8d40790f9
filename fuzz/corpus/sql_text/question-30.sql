SELECT class_name, sum(CASE WHEN dump_id = (SELECT max(id) FROM heap_dump) THEN size ELSE -size END) AS growth
FROM heap_object
WHERE dump_id IN ((SELECT min(id) FROM heap_dump), (SELECT max(id) FROM heap_dump))
GROUP BY 1
ORDER BY 2 DESC
LIMIT 10
