SELECT name, events, calls FROM thread ORDER BY events DESC LIMIT 10
