SELECT * FROM dbstat
