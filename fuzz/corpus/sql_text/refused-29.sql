CREATE INDEX i ON slice(ts)
