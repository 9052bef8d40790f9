SELECT stack_text(path_id, ' < '), sum(size)
FROM alloc
WHERE class_name GLOB '*String'
GROUP BY path_id
ORDER BY 2 DESC
LIMIT 10
