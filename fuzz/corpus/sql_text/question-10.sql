SELECT name, calls FROM method_total ORDER BY calls DESC LIMIT 10
