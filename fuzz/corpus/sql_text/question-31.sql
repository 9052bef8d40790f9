SELECT o.class_name, count(*)
FROM heap_object t
JOIN heap_reference r ON r.owned_id = t.id
JOIN heap_object o ON o.id = r.owner_id
WHERE t.class_name = 'System.String'
GROUP BY 1
ORDER BY 2 DESC
LIMIT 10
