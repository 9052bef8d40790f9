SELECT a.object_id, a.utid, b.utid, overlap(a.ts, a.dur, b.ts, b.dur) AS ns
FROM lock_wait a
JOIN lock_wait b ON a.object_id = b.object_id AND a.id < b.id
WHERE ns > 0
