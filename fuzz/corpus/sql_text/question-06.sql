SELECT name, self_ns
FROM methods(trace_start() + ns('100ms'), trace_start() + ns('300ms'), NULL)
ORDER BY 2 DESC
LIMIT 20
