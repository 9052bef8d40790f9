SELECT name, calls
FROM callers((SELECT method_id FROM method_total ORDER BY self_ns DESC LIMIT 1), NULL, NULL)
