SELECT ts, dur, utid
FROM slice
WHERE method_id = (SELECT method_id FROM method_total ORDER BY self_ns DESC LIMIT 1)
ORDER BY dur DESC
LIMIT 10
