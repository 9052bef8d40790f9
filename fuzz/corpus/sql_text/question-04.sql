SELECT id, ts, kind, subject, detail
FROM event
WHERE ts >= trace_start() + ns('50ms')
ORDER BY id
LIMIT 50
