SELECT quantile(dur, 0.5), quantile(dur, 0.99), max(dur) FROM slice WHERE name GLOB '*Main*'
