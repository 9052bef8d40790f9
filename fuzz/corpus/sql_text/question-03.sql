SELECT code, count, bytes, message
FROM notice
UNION ALL SELECT 'lost', records, bytes, reason
FROM lost
