CREATE TABLE main.t(x)
