PRAGMA trusted_schema = ON
