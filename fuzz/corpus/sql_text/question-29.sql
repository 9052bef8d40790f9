SELECT class_name, count(*), sum(size)
FROM heap_object
WHERE dump_id = (SELECT max(id) FROM heap_dump)
GROUP BY 1
ORDER BY 3 DESC
LIMIT 10
