SELECT k1 AS utid, k2 AS class_id, s1
FROM group_by('alloc', 'utid,class_id', 'size', NULL)
ORDER BY s1 DESC
LIMIT 20
