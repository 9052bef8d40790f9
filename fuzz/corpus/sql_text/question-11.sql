SELECT substr(class_name, 1, instr(class_name || '.', '.') - 1) AS package, sum(self_ns)
FROM method_total
JOIN method USING (method_id)
GROUP BY 1
ORDER BY 2 DESC
