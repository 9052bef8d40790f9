SELECT name, samples, share FROM samples('method', NULL, NULL, NULL) ORDER BY samples DESC LIMIT 10
