SELECT t.name, count(*), sum(l.dur)
FROM lock_wait l
JOIN thread t USING (utid)
GROUP BY 1
ORDER BY 3 DESC
